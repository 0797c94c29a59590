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
  ["deserved", "deserves"],
  ["fair_share", "fair share"],
  ["allocated", "holds"],
  ["promised", "was promised"],
  ["requested", "asks for"],
  ["limit", "may hold"],
];

export class QueueBars {
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
    const hasFairShare = this.queues.some((queue) => queue.resources[this.resource]?.fair_share !== undefined);
    const tree = queueTree(this.queues);
    const scales = new Map(
      [...grouped(tree, ({ depth }) => depth)].map(([depth, level]) => [
        depth,
        scaleOf(
          level.map(({ queue }) => queue),
          this.resource,
        ),
      ]),
    );
    const rows = tree.map(({ queue, depth }) => this.row(queue, depth, scales.get(depth)));
    fill(this.element, queueBarLegend({ hasFairShare }), h("ul.queues", { "aria-label": "Queues" }, rows));
  }

  row(queue, depth, scale) {
    const figures = queue.resources[this.resource] ?? {};
    const texts = FIGURES.filter(([key]) => figures[key] !== undefined && (key !== "promised" || figures[key] > 0)).map(
      ([key, text]) => `${text} ${amount(this.resource, figures[key])}`,
    );
    const jobs = href("jobs", "", { queue: queue.queue });
    return styled(
      h(
        "li",
        {},
        h(
          "span.queue-name",
          {},
          h("a", { href: jobs }, queue.queue),
          queue.state && queue.state !== "Open" && h("span.tag", {}, queue.state),
        ),
        queueBar(figures, scale),
        h("span.queue-figures", {}, this.figuresText(figures, texts)),
      ),
      { "--depth": depth },
    );
  }

  /** In a narrow card what it holds and may have; on the page of queues everything. */
  figuresText(figures, texts) {
    if (!texts.length) return `nothing of ${this.resource}`;
    if (this.isDetailed) return texts.join(" · ") + (figures.limit_of ? ` (the limit of ${figures.limit_of})` : "");
    const most = figures.deserved ?? figures.fair_share ?? figures.limit;
    return h(
      "span",
      { title: texts.join(" · ") },
      `${amount(this.resource, figures.allocated ?? 0)}${most === undefined ? "" : ` / ${amount(this.resource, most)}`}`,
    );
  }
}
