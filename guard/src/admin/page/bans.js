// The table of bans, the form that bans, and lifting.
//
// Must not know: how the page is kept up to date.

import { ask, Poll } from "./api.js";
import { answerOf, byId, part, put, putClient, putForeign, putLeft, putTime, Rows, say, show, warn } from "./dom.js";
import { bannedBy, moment, number } from "./text.js";

const PER_PAGE = 25;
// Somebody who types is not asked for after every letter.
const TYPING = 250;

const filter = byId("bans-filter");
const by = byId("bans-by");
const form = byId("ban-form");
const problem = form.querySelector(".problem");
let page = 1;
let pages = 1;

const table = new Rows(byId("bans-table").querySelector("tbody"), "ban-row", {
  fallback: byId("bans-heading"),
  prepare(row, ban) {
    part(row, "lift").addEventListener("click", () => lift(ban()));
  },
  fill(row, ban) {
    putClient(part(row, "client"), ban.client);
    putForeign(part(row, "reason"), ban.reason);
    put(part(row, "by"), bannedBy(ban.by));
    putTime(part(row, "since"), ban.since);
    putLeft(part(row, "left"), ban.remaining);
    part(row, "left").title = ban.until;
    part(row, "lift").ariaLabel = `Lift the ban on ${ban.client}`;
  },
});

export function bansQuestion() {
  const query = new URLSearchParams({ page, per_page: PER_PAGE });
  if (filter.value.trim()) query.set("filter", filter.value.trim());
  if (by.value) query.set("by", by.value);
  return `api/bans?${query}`;
}

export const bansPoll = new Poll(bansQuestion, showBans);

function showBans(answer) {
  pages = Math.max(answer.pages, 1);
  if (page > pages) {
    turnTo(pages);
    return;
  }
  table.show(answer.bans, (ban) => ban.client);
  const isFiltered = filter.value.trim() !== "" || by.value !== "";
  put(byId("bans-count"), isFiltered ? `${number(answer.total)} found` : number(answer.total));
  put(byId("bans-empty"), isFiltered ? "No ban is like this." : "Nobody is banned.");
  show(byId("bans-empty"), answer.bans.length === 0);
  show(byId("bans-pages"), pages > 1);
  put(byId("bans-page"), `Page ${number(page)} of ${number(pages)}`);
  // Not `disabled`, which would take the focus from the button.
  byId("bans-previous").ariaDisabled = String(page <= 1);
  byId("bans-next").ariaDisabled = String(page >= pages);
}

function turnTo(wanted) {
  const next = Math.min(Math.max(wanted, 1), pages);
  if (next === page) return;
  page = next;
  bansPoll.ask();
}

function askAnew() {
  page = 1;
  bansPoll.ask();
}

byId("bans-previous").addEventListener("click", () => turnTo(page - 1));
byId("bans-next").addEventListener("click", () => turnTo(page + 1));
by.addEventListener("change", askAnew);

let typing = 0;
filter.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(askAnew, TYPING);
});

// Asks once, and lifts.
export async function lift(ban) {
  const dialog = byId("question");
  putForeign(part(dialog, "client"), ban.client);
  putForeign(part(dialog, "reason"), ban.reason);
  put(part(dialog, "by"), bannedBy(ban.by));
  putTime(part(dialog, "until"), ban.until);
  if (!(await answerOf(dialog))) return;
  try {
    const { client, lifted } = await ask(`api/bans/${encodeURIComponent(ban.client)}`, { method: "DELETE" });
    say(lifted ? `The ban on ${client} is lifted.` : `${client} was not banned any more.`);
  } catch (error) {
    warn(`The ban on ${ban.client} is not lifted: ${error.message}`);
  }
  Poll.askAll();
}

export function showBanning(isOn) {
  show(byId("ban-off"), !isOn);
  form.querySelector("[type=submit]").disabled = !isOn;
}

// Puts somebody into the form; how long and why is for people to say.
export function offerBan(client) {
  form.elements.client.value = client;
  form.elements.duration.focus({ preventScroll: true });
  form.scrollIntoView({ block: "center" });
}

form.elements.duration.addEventListener("change", () => {
  const isOwn = form.elements.duration.value === "own";
  show(byId("ban-seconds"), isOwn);
  form.elements.seconds.required = isOwn;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { client, duration, seconds, reason } = form.elements;
  const body = {
    client: client.value.trim(),
    duration: Number(duration.value === "own" ? seconds.value : duration.value),
  };
  if (reason.value.trim()) body.reason = reason.value.trim();
  put(problem, "");
  try {
    const ban = await ask("api/bans", { method: "POST", body });
    say(`${ban.client} is banned until ${moment(new Date(ban.until))}.`);
    client.value = "";
    reason.value = "";
  } catch (error) {
    put(problem, error.message);
    return;
  }
  Poll.askAll();
});
