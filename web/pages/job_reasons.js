// Parts of a job's page that say what is in the way. Each is null when there is nothing to say.

import { href } from "../core/address.js";
import { amount, count, counted } from "../core/amounts.js";
import { whyEvicted } from "../core/cluster.js";
import { h } from "../core/dom.js";
import { barList, queueBar, queueBarLegend, queueFiguresText } from "../parts/bars.js";
import { card } from "../parts/card.js";
import { stateBadge } from "../parts/state_badge.js";
import { fitsIf } from "./job_fits.js";

const MOST_AHEAD = 20;

const jobLink = (name) => h("a", { href: href("jobs", name) }, name);

/** Nodes by the reason for which they refuse. */
export function obstacles({ refusals }) {
  if (!refusals?.reasons.length) return null;
  const rows = refusals.reasons.map(({ reason, nodes }) => ({
    label: reason,
    value: nodes,
    text: `${count(nodes)} of ${count(refusals.nodes)}`,
  }));
  return card(
    "Nodes by reason",
    {},
    barList(rows, { caption: "Nodes by reason" }),
    refusals.pod && h("p.note", {}, `Looked at for the pod ${refusals.pod}.`),
  );
}

/** How near it is: changes that were tried or `finder`, which has them tried; what is missing in all, and on the node that lacks least. */
export function remedies(job, finder) {
  const parts = [job.fits_if && fitsIf(job.fits_if), finder, needs(job), closest(job)].filter(Boolean);
  return parts.length ? card("What would make it fit", {}, parts) : null;
}

const NEEDS_OF = { minimum: "what has to start together", minResources: "the minResources of the job", rest: "the pods that wait" };

function needs({ needs: rows, needs_of: part, state }) {
  const names = Object.keys(rows ?? {});
  if (!names.length || ["running", "finished", "ending"].includes(state)) return null;
  const row = (name) => {
    const { missing, free, total } = rows[name];
    return h(
      "tr",
      { "data-short": free !== undefined && missing > free },
      h("th", { scope: "row" }, name),
      [missing, free, total].map((value) => h("td", {}, amount(name, value))),
    );
  };
  return h(
    "div",
    {},
    h("h3", {}, `Room for ${NEEDS_OF[part] ?? "it"}`),
    h(
      "table.plain",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["Resource", "Missing", "Free", "All nodes"].map((title) => h("th", { scope: "col" }, title)),
        ),
      ),
      h("tbody", {}, names.map(row)),
    ),
  );
}

function closest({ closest_node: node }) {
  if (!node) return null;
  const lacks = Object.entries(node.lacks).map(([resource, { asked, free }]) =>
    h("li", {}, `${resource}: ${amount(resource, asked)} asked, ${amount(resource, free)} free`),
  );
  const first = Object.keys(node.lacks)[0];
  const holders = Object.entries(node.held_by).map(([job, held]) => ({
    label: job,
    href: href("jobs", job),
    value: held,
    text: amount(first, held),
  }));
  return h(
    "div",
    {},
    h("h3", {}, "The closest node: ", h("a", { href: href("nodes", node.node) }, node.node)),
    h("ul", {}, lacks),
    holders.length > 0 && [
      h("p.note", {}, `Who holds ${first} there:`),
      barList(holders, { caption: `Who holds ${first} on ${node.node}` }),
    ],
  );
}

/** Its queue with those above it, and the jobs whose turn comes first. */
export function ahead({ queue }) {
  const above = [queue, ...(queue.above ?? [])];
  const list = queue.ahead.slice(0, MOST_AHEAD).map(({ job, state }) => h("li", {}, jobLink(job), " ", stateBadge(state)));
  const more = (queue.place ? queue.place - 1 : queue.ahead.length) - list.length; // not all of them may be named
  const place = queue.place && h("p", {}, "Place ", h("b", {}, count(queue.place)), ` of ${count(queue.jobs)} in the queue ${queue.name}.`);
  return card(
    queue.place ? "Who is ahead" : "Its queue",
    {},
    place,
    list.length > 0 && h("ol.ahead", {}, list),
    more > 0 && h("p.note", {}, `and ${counted(more, "other")}`),
    queue.place === 1 && h("p.note", {}, "Nobody: its turn comes first in this queue."),
    queue.place && h("h3", {}, "Its queue"),
    queueBarLegend(above.flatMap(({ resources }) => Object.values(resources))),
    above.map(queueFigures),
  );
}

function queueFigures({ name, resources }) {
  const rows = Object.entries(resources).map(([resource, figures]) => {
    const scale = Math.max(...Object.values(figures).filter((value) => typeof value === "number"), 0);
    const most = figures.limit ?? figures.deserved ?? figures.fair_share;
    const text = `${amount(resource, figures.allocated ?? 0)}${most === undefined ? "" : ` / ${amount(resource, most)}`}`;
    return h(
      "li",
      {},
      h("span.queue-name", {}, resource),
      queueBar(figures, scale),
      h("span.queue-figures", { "aria-hidden": "true" }, text),
      h("small.queue-words", {}, queueFiguresText(resource, figures)),
    );
  });
  return h("div", {}, h("h4", {}, name), h("ul.queues", { "aria-label": `Queue ${name}` }, rows));
}

/** Evictions of it and for it, and why nobody else was evicted for it. */
export function evictions(job) {
  const { evicted = [], made_way: madeWay = [], not_evicted: chances = [] } = job;
  if (!evicted.length && !madeWay.length && !chances.length) return null;
  const list = (title, items, line) =>
    items.length > 0 &&
    h(
      "div",
      {},
      h("h3", {}, title),
      h(
        "ul",
        {},
        items.map((item) => h("li", {}, line(item))),
      ),
    );
  return card(
    "Evictions",
    {},
    list("Evicted pods of this job", evicted, (one) => `${one.pod}, by ${one.rule}: ${whyEvicted(one)}`),
    list("Pods that made way for it", madeWay, (one) => `${one.pod}, by ${one.rule}: ${one.why}`),
    list("Why nobody makes way", chances, (chance) => [h("b", {}, `${chance.action}: `), chance.text, keptList(chance.kept)]),
  );
}

function keptList(kept) {
  const rows = Object.entries(kept ?? {}).map(([why, pods]) => ({ label: why, value: pods, text: counted(pods, "pod") }));
  return rows.length > 0 && barList(rows, { caption: "Pods that stay, by reason" });
}
