// The tree of queues with a bar each, for one resource and on one scale: what is more is longer, whoever is above whom.

import { href, remember } from "../core/address.js";
import { amount } from "../core/amounts.js";
import { queueTree, resourcesOf, scaleOf } from "../core/cluster.js";
import { fill, h, styled } from "../core/dom.js";
import { QUEUE_FIGURES, figureTitle, queueBar, queueBarLegend, queueFiguresText } from "../parts/bars.js";
import { choice, offer } from "../parts/controls.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";

export class QueueBars {
  /** isDetailed: with every figure in a column of its own. */
  constructor({ resource, isDetailed = false }) {
    Object.assign(this, { resource, isDetailed, queues: null });
    this.controls = choice("Resource", [], "", (value) => {
      this.resource = value;
      remember({ "queue-resource": value });
      this.draw();
    });
    this.controls.hidden = true; // until there is something to choose
    this.element = h("div", {}, waiting());
  }

  show(answer) {
    if (fellSilent(this.element, answer, "This scheduler does not tell its queues.")) return;
    this.queues = answer.data.queues;
    this.draw();
  }

  draw() {
    const names = resourcesOf(this.queues);
    this.controls.hidden = !names.length;
    if (!names.length) return fill(this.element, silence("There is no queue that holds or asks for anything."));
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

  /** The queues from the root to the leaves, and the scale that all bars have. */
  scaledTree() {
    const scale = scaleOf(this.queues, this.resource);
    return queueTree(this.queues).map((place) => ({ ...place, scale }));
  }

  /** In a narrow card: what each holds, and what it deserves. Everything else is heard, and seen where the mouse or the keyboard is. */
  list() {
    const rows = this.scaledTree().map(({ queue, depth, scale }) => {
      const figures = this.figuresOf(queue);
      const all = queueFiguresText(this.resource, figures);
      return h(
        "li",
        { title: all },
        nameOf(queue, depth, "span"),
        queueBar(figures, scale),
        h("span.queue-figures", { "aria-hidden": "true" }, this.shortText(figures)),
        h("span.all-figures", {}, all),
      );
    });
    return h("ul.queues", { "aria-label": `Queues, ${this.resource}` }, rows);
  }

  shortText(figures) {
    if (!QUEUE_FIGURES.some(([key]) => figures[key] !== undefined)) return "–";
    const most = figures.deserved ?? figures.fair_share ?? figures.limit;
    return `${amount(this.resource, figures.allocated ?? 0)}${most === undefined ? "" : ` / ${amount(this.resource, most)}`}`;
  }

  /** Every figure that at least one queue has. */
  table(all) {
    const isKai = all.some((figures) => figures.fair_share !== undefined);
    const columns = QUEUE_FIGURES.filter(([key]) => all.some((figures) => figures[key] > 0 || (key !== "promised" && figures[key] === 0)));
    const titles = columns.map((figure) => figureTitle(figure, isKai));
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
