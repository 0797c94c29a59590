// How long cycles take, phase by phase: each of the last ones where the scheduler tells them, else the averages of its metrics.

import { count, counted, shortTime } from "../core/amounts.js";
import { metrics, tells } from "../core/api.js";
import { fill, h, styled } from "../core/dom.js";
import { follow } from "../core/live.js";
import { histograms } from "../core/prometheus.js";
import { barList, stackedBar } from "../parts/bars.js";
import { card, figure, heading } from "../parts/card.js";
import { ago } from "../parts/moment.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";
import { VirtualTable, shownOf } from "../parts/virtual_table.js";

const FAMILY = "muster_cycle_phase_seconds";
const AGAIN = 2000;
const BARS = 120;

export const fillsScreen = true;

export function show(main, { signal }) {
  const body = h("div.fills", {}, waiting());
  fill(main, heading("Cycles"), body);
  if (tells("cycles")) showCycles(body, signal);
  else showAverages(body, signal);
}

function showCycles(body, signal) {
  const table = new VirtualTable({ label: "Cycles", columns: COLUMNS, signal });
  const chart = h("div", {});
  follow("cycles", signal, (answer) => {
    if (fellSilent(body, answer, "This scheduler does not tell single cycles.")) return;
    const { cycles } = answer.data;
    if (!body.contains(table.element)) fill(body, chart, table.element);
    fill(chart, cycles.length > 0 && summary(cycles));
    table.show(cycles, shownOf(cycles.length, cycles.length, "cycles, the latest first"));
  });
}

function summary(cycles) {
  const sorted = cycles.map((cycle) => cycle.seconds).sort((a, b) => a - b);
  const at = (part) => shortTime(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]);
  return [
    h(
      "dl.figures",
      {},
      figure("Median", at(0.5)),
      figure("99 of 100 within", at(0.99)),
      figure("Longest", shortTime(sorted.at(-1)), `of ${counted(cycles.length, "cycle")}`),
    ),
    timeBars(cycles),
  ];
}

/** The last cycles from left to right, as high as they were long. */
function timeBars(cycles) {
  const last = cycles.slice(0, BARS).reverse();
  const longest = Math.max(...last.map((cycle) => cycle.seconds));
  return h(
    "div.cycle-bars",
    { role: "img", "aria-label": `The last ${last.length} cycles; the longest took ${shortTime(longest)}` },
    last.map((cycle) =>
      styled(h("span", { title: `cycle ${cycle.cycle}: ${shortTime(cycle.seconds)}` }), {
        height: `${Math.max(2, (100 * cycle.seconds) / longest)}%`,
      }),
    ),
  );
}

const phasesText = (cycle) =>
  Object.entries(cycle.phases)
    .filter(([, seconds]) => seconds >= 1e-6)
    .sort((a, b) => b[1] - a[1])
    .map(([phase, seconds]) => `${phase} ${shortTime(seconds)}`)
    .join(" · ");

const COLUMNS = [
  { key: "cycle", title: "Cycle", width: "6rem", isNumber: true, cell: (cycle) => count(cycle.cycle), order: (cycle) => cycle.cycle },
  { key: "ago", title: "Ago", width: "6rem", isNumber: true, cell: (cycle) => ago(cycle.time), order: (cycle) => -Date.parse(cycle.time) },
  {
    key: "seconds",
    title: "Took",
    width: "6rem",
    isNumber: true,
    cell: (cycle) => shortTime(cycle.seconds),
    order: (cycle) => cycle.seconds,
  },
  {
    key: "binds",
    title: "Binds",
    width: "5rem",
    isNumber: true,
    isMinor: true,
    cell: (cycle) => count(cycle.binds),
    order: (cycle) => cycle.binds,
  },
  {
    key: "evictions",
    title: "Evictions",
    width: "6rem",
    isNumber: true,
    isMinor: true,
    cell: (cycle) => count(cycle.evictions),
    order: (cycle) => cycle.evictions,
  },
  { key: "phases", title: "Phases", width: "minmax(14rem, 1fr)", isLong: true, cell: phasesText },
];

function showAverages(body, signal) {
  const look = async () => {
    const text = await metrics(signal);
    const phases = text === null ? new Map() : histograms(text, FAMILY, "phase");
    fill(body, averages(phases));
  };
  const again = () => document.hidden || look().catch(ignoreLeaving);
  again();
  const timer = setInterval(again, AGAIN);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function ignoreLeaving(error) {
  if (error.name !== "AbortError") throw error;
}

function averages(phases) {
  const note = h("p.note", {}, "This scheduler does not tell single cycles: these are averages over all since it began, from its metrics.");
  const rows = [...phases]
    .map(([phase, { sum, count: times }]) => ({ phase, mean: times ? sum / times : 0, sum, times }))
    .sort((a, b) => b.sum - a.sum);
  if (!rows.length) return silence("This scheduler tells neither single cycles nor metrics of them.");
  return [
    note,
    h(
      "div.columns",
      {},
      card(
        "One cycle, on average",
        {},
        barList(
          rows.map(({ phase, mean, times }) => ({ label: phase, value: mean, text: `${shortTime(mean)}, ${count(times)} times` })),
          { caption: "Average time of each phase" },
        ),
      ),
      card(
        "All time so far",
        {},
        stackedBar(
          rows.map(({ phase, sum }) => ({ name: phase, value: sum })),
          { caption: "Time by phase", text: shortTime },
        ),
      ),
    ),
  ];
}
