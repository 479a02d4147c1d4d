// The chart of the last hour: stacked bars, one for each minute.
//
// Must not know: where the numbers come from.

import { byId, put, putAll, putTime, Rows, part, show } from "./dom.js";
import { counted, minute, number } from "./text.js";

// From the bottom of a bar to its top. Each has a fill of its own, for those who don't see colours.
const KINDS = ["limited", "threat", "banned", "denied", "unavailable"];
const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 190;
const MARGIN = { top: 10, right: 6, bottom: 22, left: 44 };
const LEVELS = 4;
const LABEL_MINUTES = 15;

const plot = byId("plot");
const svg = create("svg", { "aria-hidden": "true", focusable: "false", height: HEIGHT });
const grid = create("g", {});
const mark = create("rect", { class: "mark", y: MARGIN.top, height: HEIGHT - MARGIN.top - MARGIN.bottom });
const bars = create("g", {});
const labels = create("g", {});
svg.append(mark, grid, bars, labels);
plot.append(svg);

let minutes = [];
// The beginning of the minute whose numbers are told; null while none was chosen.
let chosen = null;
let isPassive = false;

const table = new Rows(byId("minutes").querySelector("tbody"), "minute-row", {
  fill(row, item) {
    putTime(part(row, "start"), item.start);
    put(part(row, "start"), minute(new Date(item.start)));
    putAll(row, Object.fromEntries([...KINDS, "admitted"].map((kind) => [kind, number(item[kind])])));
  },
});

export const refusedIn = (counts) => KINDS.reduce((sum, kind) => sum + counts[kind], 0);

export function showHour(hour, passive) {
  minutes = hour.minutes;
  isPassive = passive;
  draw();
  showTotals(hour.total);
  if (byId("minutes").open) showTable();
}

function showTotals(total) {
  const totals = byId("totals");
  for (const node of totals.querySelectorAll("[data-of]")) put(node, number(total[node.dataset.of] ?? 0));
  put(byId("plot-summary"), summary(refusedIn(total)));
}

function summary(refused) {
  const verb = isPassive ? "would have been refused" : refused === 1 ? "was refused" : "were refused";
  if (refused === 0) return `In the last hour no request ${isPassive ? verb : "was refused"}.`;
  const worst = minutes.reduce((most, item) => (refusedIn(item) > refusedIn(most) ? item : most));
  const most = `the most in the minute ${minute(new Date(worst.start))}: ${number(refusedIn(worst))}`;
  return `In the last hour ${counted(refused, "request", "requests")} ${verb}, ${most}.`;
}

function showTable() {
  table.show([...minutes].reverse(), (item) => item.start);
}

function create(name, attributes) {
  const node = document.createElementNS(SVG, name);
  set(node, attributes);
  return node;
}

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}

// As many nodes of a kind as there are items, which are made and dropped at the end only.
function adjust(parent, name, items, change) {
  while (parent.childElementCount > items.length) parent.lastElementChild.remove();
  while (parent.childElementCount < items.length) parent.append(create(name, {}));
  items.forEach((item, index) => change(parent.children[index], item, index));
}

// A round distance of lines, and the value at the top.
function scaleOf(most) {
  const rough = Math.max(most, 1) / LEVELS;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough));
  return { step, top: Math.max(step, Math.ceil(most / step) * step) };
}

function draw() {
  const width = plot.clientWidth;
  if (width === 0 || minutes.length === 0) return;
  set(svg, { width, viewBox: `0 0 ${width} ${HEIGHT}` });
  const { step, top } = scaleOf(Math.max(...minutes.map(refusedIn)));
  const space = HEIGHT - MARGIN.top - MARGIN.bottom;
  const y = (value) => HEIGHT - MARGIN.bottom - (value / top) * space;
  const levels = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  adjust(grid, "line", levels, (line, level) => {
    set(line, { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(level), y2: y(level) });
  });
  drawBars(space / top);
  drawLabels(levels, y);
  showChosen();
}

const slot = () => (plot.clientWidth - MARGIN.left - MARGIN.right) / minutes.length;
const left = (index) => MARGIN.left + index * slot();

function drawBars(scale) {
  const gap = slot() > 6 ? 2 : 1;
  adjust(bars, "g", minutes, (bar, item, index) => {
    let bottom = HEIGHT - MARGIN.bottom;
    adjust(bar, "rect", KINDS, (piece, kind) => {
      const height = item[kind] === 0 ? 0 : Math.max(1, item[kind] * scale);
      bottom -= height;
      set(piece, { x: left(index) + gap / 2, width: slot() - gap, y: bottom, height, class: "piece", fill: `url(#${kind}-fill)` });
    });
  });
}

function drawLabels(levels, y) {
  const quarters = minutes
    .map((item, index) => ({ date: new Date(item.start), index }))
    .filter(({ date }) => date.getMinutes() % LABEL_MINUTES === 0)
    .map(({ date, index }) => ({ text: minute(date), x: left(index), y: HEIGHT - 6, anchor: index > minutes.length - 4 ? "end" : index < 4 ? "start" : "middle" }));
  const values = levels.map((level) => ({ text: number(level), x: MARGIN.left - 6, y: y(level) + 4, anchor: "end" }));
  adjust(labels, "text", [...values, ...quarters], (label, { text, x, y: at, anchor }) => {
    set(label, { x, y: at, "text-anchor": anchor });
    put(label, text);
  });
}

const chosenIndex = () => minutes.findIndex((item) => item.start === chosen);

function numbersOf(item) {
  const named = KINDS.filter((kind) => item[kind] > 0).map((kind) => `${number(item[kind])} ${kind}`);
  return `${minute(new Date(item.start))}: ${named.join(", ") || "nothing refused"}; ${number(item.admitted)} admitted`;
}

function showChosen() {
  const found = chosenIndex();
  const index = found < 0 ? minutes.length - 1 : found;
  set(plot, { "aria-valuemax": minutes.length, "aria-valuenow": index + 1, "aria-valuetext": numbersOf(minutes[index]) });
  put(byId("plot-minute"), found < 0 ? "Point at a bar for its numbers, or use the arrow keys." : numbersOf(minutes[index]));
  mark.classList.toggle("shown", found >= 0);
  set(mark, { x: left(index), width: slot() });
}

function choose(index) {
  if (minutes.length === 0) return;
  chosen = minutes[Math.min(Math.max(index, 0), minutes.length - 1)].start;
  showChosen();
}

const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

plot.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const index = chosenIndex();
  choose((index < 0 ? minutes.length - 1 : index) + step);
});

for (const type of ["pointerdown", "pointermove"]) {
  plot.addEventListener(type, (event) => {
    if (minutes.length > 0) choose(Math.floor((event.clientX - plot.getBoundingClientRect().left - MARGIN.left) / slot()));
  });
}

plot.addEventListener("focus", () => {
  if (chosenIndex() < 0) choose(minutes.length - 1);
});

byId("minutes").addEventListener("toggle", showTable);
new ResizeObserver(draw).observe(plot);
