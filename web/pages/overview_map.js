// The heat map of the overview: use or free room of one resource, node by node.

import { href, remember } from "../core/address.js";
import { amount, count, counted, percent } from "../core/amounts.js";
import { fragmentation, isLost, nodesByFree, resourcesOf, total } from "../core/cluster.js";
import { fill, h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { barList } from "../parts/bars.js";
import { figure } from "../parts/card.js";
import { choice, offer } from "../parts/controls.js";
import { HeatMap } from "../parts/heat_map.js";
import { VIEWS, colouring, swatch } from "../parts/node_colours.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";

export function clusterMap({ query, signal }) {
  let view = query.get("view") ?? "used";
  let resource = query.get("resource");
  let nodes = null;
  const map = new HeatMap({
    label: "Map of nodes",
    signal,
    open: (node) => {
      location.hash = href("nodes", node.node);
    },
  });
  const resources = choice("Resource", [], "", (value) => {
    resource = value;
    remember({ resource });
    draw();
  });
  const views = choice("Colour by", VIEWS, view, (value) => {
    view = value;
    remember({ view });
    draw();
  });
  const legend = h("ul.legend", { "aria-label": "Legend" });
  const figures = h("dl.figures", {});
  const pieces = h("div", {});
  const note = h("p.note", { hidden: true }, "This scheduler does not tell the topology: nodes are in the order of their names.");
  const body = h("div", {}, waiting());
  const content = [h("div.controls", {}, resources, views), figures, map.element, legend, note, pieces];

  function draw() {
    const names = resourcesOf(nodes);
    if (!names.includes(resource)) resource = names[0] ?? "cpu";
    offer(
      resources,
      names.map((name) => [name, name]),
    );
    resources.querySelector("select").value = resource;
    const colours = colouring(view, resource);
    map.show(nodes, { ...colours, hint: "Point at a square, or go through them with the arrow keys." });
    fill(
      legend,
      colours.legend.map(([colour, text]) => h("li", {}, swatch(colour), text)),
      nodes.some((node) => node.unschedulable) && h("li", {}, h("span.struck", { "aria-hidden": "true" }, "╱"), "closed to new pods"),
      nodes.some(isLost) && h("li", {}, h("span.struck.bad", { "aria-hidden": "true" }, "╳"), "not ready"),
    );
    fill(figures, figuresOf(nodes, resource));
    fill(pieces, view === "room" && freeList(nodes, resource));
    note.hidden = nodes.some((node) => node.domains?.length);
  }

  follow("nodes", signal, (answer) => {
    if (fellSilent(body, answer, "This scheduler does not tell its nodes.")) return;
    nodes = answer.data.nodes;
    if (!nodes.length) return void fill(body, silence("The cluster has no nodes."));
    if (!body.contains(map.element)) fill(body, content);
    draw();
  });
  return body;
}

function figuresOf(nodes, resource) {
  const sum = total(nodes, resource);
  const { counts, free, share } = fragmentation(nodes, resource);
  const all = free.whole + free.piece;
  return [
    figure("In use", percent(sum.used, sum.allocatable), `${amount(resource, sum.used)} of ${amount(resource, sum.allocatable)}`),
    figure("Free", amount(resource, all), freeNotes(resource, sum, all)),
    figure(
      "Free in pieces",
      all ? percent(share, 1) : "–",
      all ? `${amount(resource, free.piece)} on nodes that are in use` : "nothing is free",
    ),
    figure(
      "Nodes",
      count(nodes.length),
      [
        `${count(counts.whole)} untouched, ${count(counts.full)} full`,
        counts.closed && `${count(counts.closed)} closed`,
        counts.lost && `${count(counts.lost)} not ready`,
      ]
        .filter(Boolean)
        .join(", "),
    ),
  ];
}

/** What is idle where no pod may go is not free. */
function freeNotes(resource, sum, free) {
  const elsewhere = sum.idle - free;
  return [
    sum.releasing > 0 && `${amount(resource, sum.releasing)} more about to be freed`,
    elsewhere > 0 && `${amount(resource, elsewhere)} more on nodes that take no pods`,
  ]
    .filter(Boolean)
    .join(", ");
}

function freeList(nodes, resource) {
  const rows = nodesByFree(nodes, resource);
  return (
    rows &&
    h(
      "div.below",
      {},
      h("h3", {}, `Nodes by free ${resource}`),
      barList(
        rows.map(({ free, nodes: number }) => ({ label: `${count(free)} free`, value: number, text: counted(number, "node") })),
        { caption: `Nodes by free ${resource}` },
      ),
    )
  );
}
