// How amounts, times and counts are written. The API gives cores, bytes, devices and seconds.

const BYTE_STEPS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const IN_BYTES = /^(memory|ephemeral-storage|hugepages-.*|.*\/.*memory)$/;

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const decimal = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** 12000 → "12,000". */
export const count = (number) => whole.format(number);

/** Words as a sentence: with a capital, and a full stop. */
export const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

/** "1 node", "6 nodes". */
export const counted = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** An amount of a resource with its unit, short: "256 GiB", "31.5", "8". */
export function amount(resource, value) {
  if (value === undefined || value === null) return "–";
  return IN_BYTES.test(resource) ? bytes(value) : plain(value);
}

function plain(value) {
  return Math.abs(value) >= 1000 || Number.isInteger(value) ? whole.format(value) : decimal.format(value);
}

function bytes(value) {
  if (!value) return "0";
  let step = 0;
  while (Math.abs(value) >= 1024 && step < BYTE_STEPS.length - 1) {
    value /= 1024;
    step += 1;
  }
  return `${plain(Math.abs(value) >= 100 ? Math.round(value) : value)} ${BYTE_STEPS[step]}`;
}

/** A part of a whole as "37 %". What is not nothing is not "0 %", and what is not all is not "100 %". */
export function percent(part, all) {
  if (!all) return "–";
  const share = (100 * part) / all;
  if (share > 0 && share < 0.5) return "< 1 %";
  return share >= 99.5 && share < 100 ? "> 99 %" : `${whole.format(share)} %`;
}

const SPANS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Seconds as a person says them: "3 s", "4 min", "2 h 5 min", "3 d 4 h". */
export function duration(seconds) {
  const total = Math.max(0, Math.round(seconds));
  const at = SPANS.findIndex(([size]) => total >= size);
  if (at < 0) return "0 s";
  const [size, unit] = SPANS[at];
  const first = `${Math.floor(total / size)} ${unit}`;
  const [smaller, smallerUnit] = SPANS[at + 1] ?? [0, ""];
  const rest = smaller ? Math.floor((total % size) / smaller) : 0;
  return rest && at < 2 ? `${first} ${rest} ${smallerUnit}` : first;
}

/** A short time: "840 µs", "3.2 ms", "1.4 s". */
export function shortTime(seconds) {
  if (seconds < 1e-3) return `${decimal.format(seconds * 1e6)} µs`;
  if (seconds < 1) return `${decimal.format(seconds * 1e3)} ms`;
  return `${decimal.format(seconds)} s`;
}

/** How long ago a time of RFC 3339 was. */
export const since = (time, now = Date.now()) => duration((now - Date.parse(time)) / 1000);

/** The time of day, with the date unless it is today's. */
export function clock(time, now = new Date()) {
  const when = new Date(time);
  const day = when.toDateString() === now.toDateString() ? "" : `${when.toLocaleDateString("en-CA")} `;
  return `${day}${when.toLocaleTimeString("en-GB")}`;
}
