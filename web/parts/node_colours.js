// What the colour of a node on a map says, in each of its views.

import { amount, percent } from "../core/amounts.js";
import { isLost, of, roomOf } from "../core/cluster.js";
import { h, styled } from "../core/dom.js";

export const VIEWS = [
  ["used", "in use"],
  ["room", "free room"],
];

const STEPS = 6;

/** A colour of a map in its legend; what a map only outlines is an outline here, too. */
export const swatch = (colour) =>
  styled(
    h("span.swatch", { "aria-hidden": "true" }),
    colour.endsWith("-none") ? { border: `1px solid var(--${colour})` } : { background: `var(--${colour})` },
  );

/** The functions of a heat map for a view and a resource. */
export function colouring(view, resource) {
  return view === "room" ? byRoom(resource) : byUse(resource);
}

/** Why a node takes no pods, as a word; null when it takes some. */
export function nodeTag(node) {
  if (isLost(node)) return h("span.tag.bad", { title: "its kubelet does not answer" }, "not ready");
  return node.unschedulable ? h("span.tag", { title: "closed to new pods" }, "closed") : null;
}

const withState = (node, text) =>
  [node.node, text, isLost(node) && "not ready: its kubelet does not answer", node.unschedulable && "closed to new pods"]
    .filter(Boolean)
    .join(" · ");

function byUse(resource) {
  return {
    paint: (node) => {
      const { allocatable, used } = of(node, resource);
      return allocatable > 0 ? `heat-${Math.min(STEPS - 1, Math.ceil((used / allocatable) * (STEPS - 1) - 1e-9))}` : "heat-none";
    },
    describe: (node) => {
      const { allocatable, used } = of(node, resource);
      const text =
        allocatable > 0
          ? `${amount(resource, used)} of ${amount(resource, allocatable)} ${resource} in use, ${percent(used, allocatable)}`
          : `no ${resource}`;
      return withState(node, text);
    },
    legend: [
      ["heat-0", "idle"],
      ["heat-1", "to 20 %"],
      ["heat-2", "to 40 %"],
      ["heat-3", "to 60 %"],
      ["heat-4", "to 80 %"],
      ["heat-5", "more"],
      ["heat-none", "has none"],
    ],
  };
}

const ROOM_TEXTS = { full: "full", whole: "free as a whole", piece: "free in part", none: "none of it" };

function byRoom(resource) {
  return {
    paint: (node) => `room-${roomOf(node, resource)}`,
    describe: (node) => {
      const { allocatable, idle } = of(node, resource);
      return withState(
        node,
        `${ROOM_TEXTS[roomOf(node, resource)]}: ${amount(resource, idle)} of ${amount(resource, allocatable)} ${resource}`,
      );
    },
    legend: [
      ["room-whole", "free as a whole"],
      ["room-piece", "free in part"],
      ["room-full", "full"],
      ["room-none", "has none"],
    ],
  };
}
