// Values as text for people.
//
// Must not know: where the text is shown.

// Control characters, line ends, and what has no shape or changes the direction of what stands beside it.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

// Text that somebody else wrote, so that nothing in it hides.
export function visible(text) {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0).toString(16).padStart(4, "0")}}`);
}

// The same for text of several lines.
export function visibleLines(text) {
  return text.split("\n").map(visible).join("\n");
}

const THOUSANDS = new Intl.NumberFormat("en");

export function number(value) {
  return THOUSANDS.format(value);
}

export function counted(value, one, many) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const UNITS = [[86_400, "d"], [3_600, "h"], [60, "min"], [1, "s"]];

// The two largest units, rounded up to whole seconds: what has not ended has not 0 s left.
export function duration(seconds) {
  let rest = Math.max(0, Math.ceil(seconds));
  const first = UNITS.findIndex(([unit]) => rest >= unit);
  if (first < 0) return "0 s";
  const parts = [];
  for (const [unit, name] of UNITS.slice(first, first + 2)) {
    if (rest >= unit) parts.push(`${Math.floor(rest / unit)} ${name}`);
    rest %= unit;
  }
  return parts.join(" ");
}

const two = (value) => String(value).padStart(2, "0");

export function minute(date) {
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

// A moment in the zone of the browser: today's without the date.
export function moment(date) {
  const time = `${minute(date)}:${two(date.getSeconds())}`;
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

// The zone of the browser, by its name if it has one.
export function zone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

export function bannedBy(by) {
  return by === "automatic" ? "the guard" : by === "manual" ? "people" : visible(by);
}
