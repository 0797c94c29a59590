// Bars that compare amounts: one thing per row, its figure beside it.

import { amount } from "../core/amounts.js";
import { h, styled } from "../core/dom.js";

const width = (part, all) => `${all > 0 ? Math.min(100, (100 * part) / all) : 0}%`;

/** Rows of {label, value, text, href}, the largest as wide as there is room. */
export function barList(rows, { caption }) {
  const most = Math.max(0, ...rows.map((row) => row.value));
  return h(
    "ul.bar-list",
    { "aria-label": caption },
    rows.map((row) =>
      h(
        "li",
        {},
        h("span.bar-label", {}, row.href ? h("a", { href: row.href }, row.label) : row.label),
        h("span.bar-track", { "aria-hidden": "true" }, styled(h("span.bar-fill", {}), { width: width(row.value, most) })),
        h("span.bar-text", {}, row.text),
      ),
    ),
  );
}

/**
 * What a queue holds against what it may and wants: `allocated` is filled, what is `promised` follows it, the rest of `requested` is
 * hatched; `deserved` (or its fair share) and `limit` are marks. `scale` is the amount at the right end. Hidden from screen readers:
 * the same has to stand beside it as text.
 */
export function queueBar({ allocated = 0, promised = 0, requested = 0, deserved, fair_share: fairShare, limit }, scale) {
  const held = allocated + promised;
  const part = (kind, from, to) =>
    to > from && styled(h(`span.part.${kind}`, {}), { left: width(from, scale), width: width(to - from, scale) });
  const mark = (kind, at) => at !== undefined && at <= scale && styled(h(`span.mark.${kind}`, {}), { left: width(at, scale) });
  return h(
    "span.queue-bar",
    { "aria-hidden": "true" },
    part("allocated", 0, allocated),
    part("promised", allocated, held),
    part("requested", held, requested),
    mark("deserved", deserved),
    mark("fair", fairShare),
    mark("limit", limit),
  );
}

/** The figures of a queue in the order in which they are told: [key, title]. */
export const QUEUE_FIGURES = [
  ["deserved", "Deserves"],
  ["fair_share", "Fair share"],
  ["allocated", "Holds"],
  ["promised", "Was promised"],
  ["requested", "Asks for"],
  ["limit", "May hold"],
];

/** How a figure is called: what is deserved is a quota where there are fair shares, too. */
export const figureTitle = ([key, title], hasFairShare) => (key === "deserved" && hasFairShare ? "Quota" : title);

/** Everything that a bar shows, in words, for those who cannot see it: "Deserves 4 · Holds 3 · Asks for 5 · May hold 8 (all)". */
export function queueFiguresText(resource, figures) {
  const told = QUEUE_FIGURES.filter(([key]) => figures[key] !== undefined && (key !== "promised" || figures[key] > 0));
  if (!told.length) return `nothing of ${resource}`;
  const owner = (key) => (key === "limit" && figures.limit_of ? ` (${figures.limit_of})` : "");
  const words = ([key, title]) =>
    `${figureTitle([key, title], figures.fair_share !== undefined)} ${amount(resource, figures[key])}${owner(key)}`;
  return told.map(words).join(" · ");
}

/** Explains what is to be seen in the bars of these figures. */
export function queueBarLegend(rows) {
  const entry = (kind, text) => h("li", {}, h(`span.swatch.${kind}`, { "aria-hidden": "true" }), text);
  const hasFairShare = rows.some((row) => row.fair_share !== undefined);
  return h(
    "ul.legend",
    { "aria-label": "Legend" },
    entry("allocated", "allocated"),
    rows.some((row) => row.promised > 0) && entry("promised", "promised"),
    entry("requested", "requested, not held"),
    rows.some((row) => row.deserved !== undefined) && entry("deserved", hasFairShare ? "quota" : "deserved"),
    hasFairShare && entry("fair", "fair share"),
    rows.some((row) => row.limit !== undefined) && entry("limit", "limit"),
  );
}

/** Parts of one whole side by side: [{name, value}], with a legend that says the numbers. */
export function stackedBar(parts, { caption, text }) {
  const all = parts.reduce((sum, part) => sum + part.value, 0);
  return h(
    "div.stacked",
    {},
    h(
      "div.stack",
      { "aria-hidden": "true" },
      parts.map(
        (part) =>
          part.value > 0 &&
          styled(h("span", { "data-part": part.name, title: `${part.name}: ${text(part.value)}` }), { width: width(part.value, all) }),
      ),
    ),
    h(
      "ul.legend",
      { "aria-label": caption },
      parts.map(
        (part) =>
          part.value > 0 &&
          h("li", {}, h("span.swatch", { "data-part": part.name, "aria-hidden": "true" }), `${part.name} `, h("b", {}, text(part.value))),
      ),
    ),
  );
}
