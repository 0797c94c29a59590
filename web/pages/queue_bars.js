// The tree of queues with a bar each, for one resource. Queues of one level have one scale: beside their parents they would be too
// small to see.

import { href, remember } from "../core/address.js";
import { amount } from "../core/amounts.js";
import { queueTree, resourcesOf, scaleOf } from "../core/cluster.js";
import { fill, h, styled } from "../core/dom.js";
import { grouped } from "../core/grouping.js";
import { queueBar, queueBarLegend } from "../parts/bars.js";
import { choice, offer } from "../parts/controls.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";

const FIGURES = [
  ["deserved", "Deserves"],
  ["fair_share", "Fair share"],
  ["allocated", "Holds"],
  ["promised", "Was promised"],
  ["requested", "Asks for"],
  ["limit", "May hold"],
];

export class QueueBars {
  /** isDetailed: with every figure in a column of its own. */
  constructor({ resource, isDetailed = false }) {
    Object.assign(this, { resource, isDetailed, queues: null });
    this.controls = choice("Resource", [], "", (value) => {
      this.resource = value;
      remember({ "queue-resource": value });
      this.draw();
    });
    this.element = h("div", {}, waiting());
  }

  show(answer) {
    if (fellSilent(this.element, answer, "This scheduler does not tell its queues.")) return;
    this.queues = answer.data.queues;
    this.draw();
  }

  draw() {
    const names = resourcesOf(this.queues);
    if (!this.queues.length || !names.length) return fill(this.element, silence("There is no queue that holds or asks for anything."));
    if (!names.includes(this.resource)) this.resource = names[0];
    offer(
      this.controls,
      names.map((name) => [name, name]),
    );
    this.controls.querySelector("select").value = this.resource;
    const all = this.queues.map((queue) => this.figuresOf(queue));
    fill(this.element, queueBarLegend(all), this.isDetailed ? this.table(all) : this.list());
  }

  figuresOf(queue) {
    return queue.resources[this.resource] ?? {};
  }

  /** The queues from the root to the leaves, each with the scale of its level. */
  scaledTree() {
    const tree = queueTree(this.queues);
    const levels = grouped(tree, ({ depth }) => depth);
    const queuesAt = (depth) => levels.get(depth).map(({ queue }) => queue);
    const scales = new Map([...levels.keys()].map((depth) => [depth, scaleOf(queuesAt(depth), this.resource)]));
    return tree.map((place) => ({ ...place, scale: scales.get(place.depth) }));
  }

  /** In a narrow card: what each holds, and what it deserves. */
  list() {
    const rows = this.scaledTree().map(({ queue, depth, scale }) => {
      const figures = this.figuresOf(queue);
      return h("li", {}, nameOf(queue, depth, "span"), queueBar(figures, scale), h("span.queue-figures", {}, this.shortText(figures)));
    });
    return h("ul.queues", { "aria-label": "Queues" }, rows);
  }

  shortText(figures) {
    const told = FIGURES.filter(([key]) => figures[key] !== undefined);
    if (!told.length) return h("span", { title: `nothing of ${this.resource}` }, "–");
    const most = figures.deserved ?? figures.fair_share ?? figures.limit;
    return h(
      "span",
      { title: told.map(([key, title]) => `${title} ${amount(this.resource, figures[key])}`).join(" · ") },
      `${amount(this.resource, figures.allocated ?? 0)}${most === undefined ? "" : ` / ${amount(this.resource, most)}`}`,
    );
  }

  /** Every figure that at least one queue has. */
  table(all) {
    const isKai = all.some((figures) => figures.fair_share !== undefined);
    const columns = FIGURES.filter(([key]) => all.some((figures) => figures[key] > 0 || (key !== "promised" && figures[key] === 0)));
    const titles = columns.map(([key, title]) => (isKai && key === "deserved" ? "Quota" : title));
    const rows = this.scaledTree().map(({ queue, depth, scale }) => {
      const figures = this.figuresOf(queue);
      return h(
        "tr",
        {},
        nameOf(queue, depth, "th"),
        h("td.bar-cell", {}, queueBar(figures, scale)),
        columns.map(([key], index) => h("td", { "data-title": titles[index] }, this.cell(figures, key))),
      );
    });
    const head = ["Queue", "", ...titles].map((title) => (title ? h("th", { scope: "col" }, title) : h("td", {})));
    return h("table.plain.queue-table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
  }

  cell(figures, key) {
    const text = amount(this.resource, figures[key]);
    if (key !== "limit" || !figures.limit_of) return text;
    return h("span", { title: `the limit of queue ${figures.limit_of}` }, `${text} (${figures.limit_of})`);
  }
}

function nameOf(queue, depth, tag) {
  const link = h("a", { href: href("jobs", "", { queue: queue.queue }) }, queue.queue);
  const state = queue.state && queue.state !== "Open" && h("span.tag", {}, queue.state);
  return styled(h(`${tag}.queue-name`, tag === "th" ? { scope: "row" } : {}, link, state), { "--depth": depth });
}
