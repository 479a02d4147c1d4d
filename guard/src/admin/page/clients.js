// Clients: those with the most refusals, and whatever is known about one of them.
//
// Must not know: how the page is kept up to date.

import { Poll } from "./api.js";
import { lift, offerBan } from "./bans.js";
import { byId, part, put, putAll, putClient, putForeign, putLeft, putTime, Rows, say, show, stopLeft, warn } from "./dom.js";
import { bannedBy, duration, moment, number } from "./text.js";

const COUNTS = ["refused", "limited", "threat", "banned", "denied"];
const PREFIX = "#client=";

const offenders = new Rows(byId("offenders-table").querySelector("tbody"), "offender-row", {
  fallback: byId("offenders-heading"),
  prepare(row, offender) {
    part(row, "act").addEventListener("click", () => {
      const { ban, client } = offender();
      if (ban) lift(ban);
      else offerBan(client);
    });
  },
  fill(row, offender) {
    putClient(part(row, "client"), offender.client);
    putAll(row, Object.fromEntries(COUNTS.map((count) => [count, number(offender[count])])));
    putTime(part(row, "last_seen"), offender.last_seen);
    putForeign(part(row, "request"), requestOf(offender));
    putForeign(part(row, "user_agent"), offender.user_agent);
    showLeft(part(row, "left"), offender.ban);
    const button = part(row, "act");
    put(button, offender.ban ? "Lift…" : "Ban…");
    button.ariaLabel = offender.ban ? `Lift the ban on ${offender.client}` : `Ban ${offender.client}`;
  },
});

function requestOf({ method, path }) {
  return path === null ? null : [method, path].filter((word) => word !== null).join(" ");
}

function showLeft(node, ban) {
  if (ban) putLeft(node, ban.remaining);
  else stopLeft(node);
}

export function showOffenders(items) {
  offenders.show(items, (offender) => offender.client);
  put(byId("offenders-empty"), "Nobody was refused in the last hour.");
  show(byId("offenders-empty"), items.length === 0);
}

const form = byId("client-form");
const problem = form.querySelector(".problem");
const facts = byId("client-facts");
// Who is looked at, as it was asked for.
let asked = null;
let shown = null;

const windows = new Rows(byId("windows-table").querySelector("tbody"), "window-row", {
  fill(row, item) {
    putForeign(part(row, "name"), item.name);
    putForeign(part(row, "route"), [item.methods.join(" "), item.pattern ?? "all without a limit of their own"].filter(Boolean).join(" "));
    const bar = part(row, "bar");
    bar.max = item.requests;
    bar.value = Math.min(item.used, item.requests);
    bar.ariaLabel = `${item.used} of ${item.requests} used`;
    put(part(row, "used"), `${number(item.used)} of ${number(item.requests)}`);
    put(part(row, "window"), duration(item.window));
    if (item.used > 0) putLeft(part(row, "reset"), item.reset);
    else stopLeft(part(row, "reset"));
  },
});

const lines = new Rows(byId("redis-lines"), "line", {
  prepare(row) {
    part(row, "copy").addEventListener("click", () => copy(part(row, "text")));
  },
  fill(row, line) {
    put(part(row, "text"), line);
    part(row, "copy").ariaLabel = `Copy ${line}`;
  },
});

export const clientPoll = new Poll(() => asked && `api/clients/${encodeURIComponent(asked)}`, showClient, {
  onChange(poll) {
    put(problem, poll.problem?.message ?? "");
    if (poll.problem?.isFinal) close();
  },
});

function showClient(client) {
  shown = client;
  putForeign(part(facts, "client"), client.client);
  put(part(facts, "strikes"), number(client.strikes));
  put(part(facts, "threshold"), `Strikes (more than ${number(client.strike_limit)} ban)`);
  if (client.strikes_expire === null) stopLeft(part(facts, "forgotten"), client.strikes > 0 ? "with a clean request" : "–");
  else putLeft(part(facts, "forgotten"), client.strikes_expire);
  showLeft(part(facts, "left"), client.ban);
  put(part(facts, "ban"), banOf(client.ban));
  putForeign(part(facts, "reason"), client.ban?.reason);
  show(part(facts, "reason"), client.ban !== null);
  show(part(facts, "lift"), client.ban !== null);
  show(part(facts, "offer"), client.ban === null);
  windows.show(client.windows, (item) => JSON.stringify([item.name, item.pattern, item.methods, item.window]));
  show(byId("windows-empty"), client.windows.length === 0);
  lines.show([...new Set(client.redis_cli)], (line) => line);
  show(byId("redis"), client.redis_cli.length > 0);
  show(facts, true);
}

function banOf(ban) {
  if (!ban) return "Not banned.";
  return `Banned by ${bannedBy(ban.by)} since ${moment(new Date(ban.since))} until ${moment(new Date(ban.until))}:`;
}

part(facts, "lift").addEventListener("click", () => shown?.ban && lift(shown.ban));
part(facts, "offer").addEventListener("click", () => offerBan(shown.client));
part(facts, "close").addEventListener("click", () => {
  close();
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.client.focus();
});

function close() {
  asked = null;
  shown = null;
  show(facts, false);
  clientPoll.ask();
}

function lookAt(client) {
  if (client !== asked) show(facts, false);
  asked = client;
  form.elements.client.value = client;
  put(problem, "");
  clientPoll.ask();
  byId("client-heading").focus({ preventScroll: true });
  byId("client").scrollIntoView();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const hash = PREFIX + encodeURIComponent(form.elements.client.value.trim());
  if (location.hash === hash) followHash();
  else location.hash = hash;
});

// The address of the page says who is looked at, for links and for going back.
export function followHash() {
  if (!location.hash.startsWith(PREFIX)) return;
  let client;
  try {
    client = decodeURIComponent(location.hash.slice(PREFIX.length));
  } catch {
    return;
  }
  if (client) lookAt(client);
}

addEventListener("hashchange", followHash);

// What is copied is what is seen.
async function copy(node) {
  try {
    await navigator.clipboard.writeText(node.textContent);
    say("Copied.");
  } catch {
    // Without HTTPS there is no clipboard.
    getSelection().selectAllChildren(node);
    if (document.execCommand("copy")) say("Copied.");
    else warn("The browser does not allow copying: the line is selected now.");
  }
}
