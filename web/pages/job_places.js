// Where the pods of a job are among the nodes, and what happened to it.

import { href, viewOf } from "../core/address.js";
import { counted } from "../core/amounts.js";
import { tells } from "../core/api.js";
import { gathered, whyEvicted } from "../core/cluster.js";
import { fill, h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { HeatMap } from "../parts/heat_map.js";
import { swatch } from "../parts/node_colours.js";
import { ago } from "../parts/moment.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";

/** A map on which the nodes of the job stand out. */
export function podMap({ signal }) {
  let job = null;
  let nodes = null;
  const element = h("div", {}, waiting());
  const map = new HeatMap({
    label: "Map of nodes with the job's pods",
    signal,
    open: (node) => {
      location.hash = href("nodes", node.node);
    },
  });
  const legend = h(
    "ul.legend",
    { "aria-label": "Legend" },
    [
      ["room-mine", "has pods of this job"],
      ["heat-0", "other nodes"],
    ].map(([colour, text]) => h("li", {}, swatch(colour), text)),
  );

  function draw() {
    if (!job || !nodes) return;
    const places = Object.entries(job.nodes);
    if (!places.length) return fill(element, silence("None of its pods has a node."));
    if (!element.contains(map.element)) fill(element, map.element, legend);
    map.show(nodes, {
      paint: (node) => (job.nodes[node.node] ? "room-mine" : "heat-0"),
      describe: (node) =>
        `${node.node} · ${job.nodes[node.node] ? `${counted(job.nodes[node.node], "pod")} of this job` : "no pod of this job"}`,
      hint: `${counted(
        places.reduce((sum, [, pods]) => sum + pods, 0),
        "pod",
      )} on ${places.length > 3 ? counted(places.length, "node") : places.map(([node]) => node).join(", ")}.`,
    });
  }

  follow("nodes", signal, (answer) => {
    if (fellSilent(element, answer, "This scheduler does not tell its nodes.")) return;
    nodes = answer.data.nodes;
    draw();
  });
  return {
    element,
    show: (data) => {
      job = data;
      draw();
    },
  };
}

/**
 * Its history where the scheduler keeps one; else what the last decisions say of it, and that this may not be all. `of(name)` says whose:
 * the job's own name, which the one that it was asked for by need not be. onTold hears how many events are known.
 */
export function timeline({ signal, onTold }) {
  const element = h("div", {}, waiting());
  const tell = tells("timelines") ? fromHistory : fromDecisions;
  let whose = null;
  let leave = new AbortController();
  signal.addEventListener("abort", () => leave.abort());
  return {
    element,
    of: (name) => {
      if (name === whose) return;
      whose = name;
      leave.abort();
      leave = new AbortController();
      if (!signal.aborted) tell({ name, element, onTold, signal: leave.signal });
    },
  };
}

function fromHistory({ name, element, onTold, signal }) {
  follow(viewOf("timelines", name), signal, (answer) => {
    const events = answer.data?.events ?? [];
    if (!fellSilent(element, answer, "")) fill(element, events.length ? eventList(events) : silence("Nothing is remembered of it."));
    onTold(events.length);
  });
}

function fromDecisions({ name, element, onTold, signal }) {
  follow("decisions", signal, (answer) => {
    if (fellSilent(element, answer, "This scheduler does not tell its decisions.")) return onTold(0);
    const mine = gathered(answer.data.decisions.filter((one) => one.job === name || one.for_job === name));
    const events = mine.map((group) => ({ time: group.time, text: sentence(group, name), kind: group.kind }));
    fill(
      element,
      events.length ? eventList(events) : silence("The last decisions do not speak of it."),
      h("p.note", {}, "This scheduler keeps no history of single jobs: this is what its last 1,000 decisions say."),
    );
    onTold(events.length);
  });
}

function sentence(group, name) {
  const pods = counted(group.members.length, "pod");
  if (group.kind === "bind") return `${pods} bound by ${group.rule}`;
  if (group.job === name) return `${pods} evicted by ${group.rule}: ${whyEvicted(group)}`;
  return `${pods} of ${group.job} evicted for it by ${group.rule}`;
}

const eventList = (events) =>
  h(
    "ul.changes",
    {},
    events.map(({ time, text, kind }) => h("li", { "data-kind": kind }, ago(time), h("span", {}, text))),
  );
