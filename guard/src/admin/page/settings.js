// What is set: routes with their limits, and the configuration.
//
// Must not know: how the page is kept up to date.

import { ask, Poll } from "./api.js";
import { byId, part, put, putForeign, Rows, show } from "./dom.js";
import { duration, number, visible, visibleLines } from "./text.js";

// Routes become known with requests, and change with a reload of the configuration.
const PERIOD = 30_000;

const routes = new Rows(byId("routes-table").querySelector("tbody"), "route-row", {
  fill(row, route) {
    putForeign(part(row, "pattern"), patternOf(route));
    put(part(row, "methods"), route.methods.map(visible).join(" ") || "any");
    putList(part(row, "limits"), route.exempt && route.limits.length === 0 ? ["exempt"] : route.limits.map(limit));
    put(part(row, "detection"), route.detection ? "on" : "off");
    put(part(row, "from"), visible(route.from));
    putForeign(part(row, "handler"), route.handler);
  },
});

function patternOf({ pattern, pattern_is_whole }) {
  if (pattern === null) return "all others";
  return pattern_is_whole ? pattern : `…${pattern}`;
}

function limit({ name, requests, window, counted_by }) {
  return `${name}: ${number(requests)} in ${duration(window)}, by ${counted_by}`;
}

function putList(node, texts) {
  const shown = texts.map(visible).join("\n");
  put(node, shown || "–");
}

export const routesPoll = new Poll(() => "api/routes", showRoutes, {
  period: PERIOD,
  onChange({ problem }) {
    if (!problem) return;
    put(byId("routes-empty"), visible(problem.message));
    show(byId("routes-empty"), true);
  },
});

function showRoutes(answer) {
  let number = 0;
  routes.show(answer.routes, (route) => JSON.stringify([route.pattern, route.handler, route.methods, route.from, (number += 1)]));
  put(byId("routes-empty"), "No route is known.");
  show(byId("routes-empty"), answer.routes.length === 0);
}

const details = byId("configuration-details");

details.addEventListener("toggle", async () => {
  if (!details.open) return;
  const problem = details.querySelector(".problem");
  try {
    const { toml } = await ask("api/configuration");
    put(details.querySelector("pre"), visibleLines(toml));
    put(problem, "");
  } catch (error) {
    put(problem, error.message);
  }
});
