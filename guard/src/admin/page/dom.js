// Changes the page in place: what stays the same is not touched, so that focus, selection and scrolling survive.
// Texts only ever become text, never markup.
//
// Must not know: the API.

import { duration, moment, visible } from "./text.js";

// Longer texts of others are cut, and unfold.
const LONG = 72;

export const byId = (id) => document.getElementById(id);

// The part of a row or section that shows this.
export const part = (root, name) => root.querySelector(`[data-of="${name}"]`);

export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Fills all parts that have these names.
export function putAll(root, texts) {
  for (const [name, text] of Object.entries(texts)) put(part(root, name), text);
}

export function show(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

export function putTime(node, iso) {
  if (node.dateTime !== iso) {
    node.dateTime = iso;
    node.title = iso;
  }
  put(node, moment(new Date(iso)));
}

const shownTexts = new WeakMap();

// Text that somebody else wrote.
export function putForeign(node, text) {
  if (shownTexts.get(node) === text) return;
  shownTexts.set(node, text);
  const characters = [...visible(text || "–")];
  const whole = characters.join("");
  node.classList.add("foreign");
  if (characters.length <= LONG) {
    node.replaceChildren(whole);
    return;
  }
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const begin = document.createElement("span");
  begin.textContent = `${characters.slice(0, LONG).join("")}…`;
  summary.append(begin);
  summary.title = whole;
  details.append(summary, whole);
  node.replaceChildren(details);
}

// Names a client, and leads to what is known about it.
export function putClient(link, client) {
  putForeign(link, client);
  const target = `#client=${encodeURIComponent(client)}`;
  if (link.getAttribute("href") !== target) link.setAttribute("href", target);
}

const ends = new Map();

// Counts down to nothing. Answers that differ by no more than their time on the way don't make it jump.
export function putLeft(node, seconds) {
  const end = performance.now() + seconds * 1_000;
  const known = ends.get(node);
  if (known === undefined || Math.abs(known - end) > 1_500) ends.set(node, end);
  put(node, duration((ends.get(node) - performance.now()) / 1_000));
}

export function stopLeft(node, text = "–") {
  ends.delete(node);
  put(node, text);
}

function countDown() {
  for (const [node, end] of ends) {
    if (node.isConnected) put(node, duration((end - performance.now()) / 1_000));
    else ends.delete(node);
  }
}
setInterval(countDown, 1_000);

// The rows of a table or list, one for each key.
export class Rows {
  #body;
  #template;
  #fill;
  #rows = new Map();
  // What shall have the focus when the row that had it is gone and there is no other.
  #fallback;

  // `fill` puts an item into its row; `prepare` is called once for each row, with a function that gives the item of then.
  constructor(body, template, { fill, prepare = () => {}, fallback }) {
    this.#body = body;
    this.#template = byId(template).content;
    this.#fill = fill;
    this.prepare = prepare;
    this.#fallback = fallback;
  }

  show(items, keyOf) {
    const rows = new Map();
    for (const item of items) {
      const key = keyOf(item);
      const known = this.#rows.get(key) ?? this.#create();
      known.item = item;
      this.#fill(known.row, item);
      rows.set(key, known);
    }
    const wanted = [...rows.values()].map(({ row }) => row);
    const focused = this.#focusOfGone(wanted);
    for (const row of [...this.#body.children]) if (!wanted.includes(row)) row.remove();
    arrange(this.#body, wanted);
    this.#rows = rows;
    if (focused) (wanted[Math.min(focused.index, wanted.length - 1)]?.querySelector("button") ?? this.#fallback)?.focus();
  }

  #create() {
    const known = { row: this.#template.firstElementChild.cloneNode(true), item: null };
    this.prepare(known.row, () => known.item);
    return known;
  }

  #focusOfGone(wanted) {
    const index = [...this.#body.children].findIndex((row) => row.contains(document.activeElement));
    return index >= 0 && !wanted.includes(this.#body.children[index]) ? { index } : null;
  }
}

// Brings the rows into this order around the one that is in use, which is not moved: moving takes away focus and selection.
function arrange(body, rows) {
  if (rows.length === 0) return;
  const used = [document.activeElement, getSelection()?.anchorNode];
  const found = rows.findIndex((row) => row.parentNode === body && used.some((node) => node && row.contains(node)));
  const pivot = Math.max(found, 0);
  if (found < 0 && body.firstElementChild !== rows[0]) body.prepend(rows[0]);
  for (let i = pivot - 1; i >= 0; i -= 1) {
    if (rows[i].nextElementSibling !== rows[i + 1]) rows[i + 1].before(rows[i]);
  }
  for (let i = pivot + 1; i < rows.length; i += 1) {
    if (rows[i - 1].nextElementSibling !== rows[i]) rows[i - 1].after(rows[i]);
  }
}

// What has been done; read out by screen readers when they have time.
export function say(text) {
  message(text, "");
}

// What could not be done; read out at once.
export function warn(text) {
  message("", text);
}

function message(said, warned) {
  show(byId("message"), said !== "" || warned !== "");
  put(byId("said"), visible(said));
  put(byId("warned"), visible(warned));
}

byId("message-close").addEventListener("click", () => message("", ""));

// Asks before something is done; `true` if it shall be. Escape is a no.
export function answerOf(dialog) {
  return new Promise((resolve) => {
    dialog.returnValue = "no";
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    dialog.showModal();
  });
}

for (const button of document.querySelectorAll("dialog button")) {
  button.addEventListener("click", () => button.closest("dialog").close(button.value));
}
