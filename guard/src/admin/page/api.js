// Asks the API: once, or again and again.
//
// Must not know: what the answers mean, or where they are shown.

const PERIOD = 2_000;
const SLOWEST = 30_000;
const PATIENCE = 10_000;

// location.origin has no user name and password, with which fetch() would refuse the address.
const BASE = location.origin + location.pathname;

// Why there is no answer, in words for people.
export class Problem extends Error {
  constructor(message, status = 0, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  // Asking the same once more is of no use.
  get isFinal() {
    return this.status >= 400 && this.status < 500 && this.status !== 408 && this.status !== 429;
  }
}

// The answer to one request; throws a Problem.
export async function ask(path, { method = "GET", body, signal } = {}) {
  const signals = [signal, AbortSignal.timeout(PATIENCE)].filter(Boolean);
  const request = { method, cache: "no-store", signal: AbortSignal.any(signals) };
  if (body !== undefined) {
    request.headers = { "Content-Type": "application/json" };
    request.body = JSON.stringify(body);
  }
  let response, answer;
  try {
    response = await fetch(BASE + path, request);
    answer = await response.json();
  } catch (error) {
    throw missing(response, error);
  }
  if (!response.ok) throw refused(response, answer);
  return answer;
}

function missing(response, error) {
  if (response?.status === 401) return refused(response);
  if (error.name === "TimeoutError") return new Problem("The server takes too long to answer.");
  if (!response) return new Problem("The server does not answer.");
  return new Problem(`The answer (${response.status}) is not JSON.`, response.ok ? 0 : response.status);
}

function refused(response, problem) {
  const status = response.status;
  if (status === 401) return new Problem("You are not logged in any more: reload the page and log in.", status);
  const text = problem?.detail || problem?.title || response.statusText || "no reason is given";
  return new Problem(`${text} (${status})`, status, Number(response.headers.get("Retry-After")) || 0);
}

// Asks one question again and again: more slowly while that fails, and not while nobody looks at the page.
export class Poll {
  static #all = new Set();
  // Whoever is logged out would be asked for a password with every request.
  static #isLoggedOut = false;

  #question;
  #show;
  #period;
  #underWay = null;
  #timer = 0;
  #failures = 0;
  updated = null;
  problem = null;

  // `question` is a function that gives the path, or null for none; `show` takes the answers.
  constructor(question, show, { period = PERIOD, onChange = () => {} } = {}) {
    this.#question = question;
    this.#show = show;
    this.#period = period;
    this.onChange = onChange;
    Poll.#all.add(this);
  }

  // Something has changed that all of them may tell of.
  static askAll() {
    for (const poll of Poll.#all) poll.ask();
  }

  // Asks at once; an answer that is still on its way is to a question that nobody has any more.
  async ask() {
    clearTimeout(this.#timer);
    this.#underWay?.abort();
    this.#underWay = null;
    const path = this.#question();
    if (path === null) {
      this.problem = null;
      return;
    }
    if (document.hidden || Poll.#isLoggedOut) return;
    const underWay = new AbortController();
    this.#underWay = underWay;
    let answer, problem = null;
    try {
      answer = await ask(path, { signal: underWay.signal });
    } catch (error) {
      problem = error;
    }
    if (this.#underWay !== underWay) return;
    this.#underWay = null;
    this.#take(answer, problem);
    this.#timer = setTimeout(() => this.ask(), this.#pause());
    this.onChange(this);
  }

  #take(answer, problem) {
    this.problem = problem;
    this.#failures = problem ? this.#failures + 1 : 0;
    if (problem?.status === 401) Poll.#isLoggedOut = true;
    if (problem) return;
    this.updated = new Date();
    this.#show(answer);
  }

  #pause() {
    if (!this.problem) return this.#period;
    const slower = Math.min(this.#period * 2 ** (this.#failures - 1), Math.max(SLOWEST, this.#period));
    return Math.max(slower, this.problem.retryAfter * 1_000);
  }
}

document.addEventListener("visibilitychange", () => Poll.askAll());
