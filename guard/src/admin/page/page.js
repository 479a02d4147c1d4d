// The page of the guard: keeps it up to date, and says whether it is.
//
// Must not know: how the sections look.

import { Poll } from "./api.js";
import { bansPoll, showBanning } from "./bans.js";
import { showHour } from "./chart.js";
import { followHash, showOffenders } from "./clients.js";
import { byId, put, putTime, show } from "./dom.js";
import { routesPoll } from "./settings.js";
import { moment, visible, zone } from "./text.js";

const overviewPoll = new Poll(() => "api/overview", showOverview);

function showOverview(overview) {
  showState(overview);
  showBanning(overview.banning);
  showHour(overview.last_hour, overview.passive);
  showOffenders(overview.offenders);
}

function showState({ version, started, passive, rate_limiting, banning, detection, store }) {
  const badge = byId("store-badge");
  put(badge, storeText(store));
  badge.classList.toggle("warning", store.state !== "available");
  show(badge, true);
  show(byId("passive-badge"), passive);
  show(byId("rate-limiting-badge"), !rate_limiting);
  show(byId("banning-badge"), !banning);
  show(byId("detection-badge"), !detection);
  put(byId("version"), visible(version));
  putTime(byId("started"), started);
}

function storeText({ kind, windows, state }) {
  if (kind === "memory") return "Store: memory of this process";
  const reach = state === "available" ? "" : " is out of reach";
  return `Store: Redis${reach}, windows are ${windows === "shared" ? "shared" : "of this process"}`;
}

// The polls whose answers are in view all the time: as old as the oldest of them is the page.
const polls = [overviewPoll, bansPoll];

function showConnection() {
  const failed = polls.filter((poll) => poll.problem);
  const isLive = failed.length === 0 && polls.every((poll) => poll.updated);
  const connection = byId("connection");
  connection.classList.toggle("live", isLive);
  connection.classList.toggle("lost", failed.length > 0);
  if (isLive) put(connection, "Live");
  else if (failed.length > 0) put(connection, visible(lostText(failed)));
}

function lostText(failed) {
  const { problem } = failed[0];
  const oldest = failed.every((poll) => poll.updated) && new Date(Math.min(...failed.map((poll) => poll.updated)));
  const since = oldest ? `Not updated since ${moment(oldest)}.` : "There is no answer yet.";
  return `${since} ${problem.message}${problem.status === 401 ? "" : " It is asked again."}`;
}

put(byId("zone"), zone() && ` (${zone()})`);
for (const poll of polls) poll.onChange = showConnection;
for (const poll of [...polls, routesPoll]) poll.ask();
followHash();
