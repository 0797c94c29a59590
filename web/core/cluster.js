// Figures that follow from what the API tells, by themselves: no page, no network.

import { grouped } from "./grouping.js";

const COMMON = ["pods", "cpu", "memory", "ephemeral-storage"];
const EMPTY = { allocatable: 0, used: 0, idle: 0, releasing: 0 };

/** What a node has of a resource. */
export const of = (node, resource) => node.resources[resource] ?? EMPTY;

/** Whether the cluster has marked it as one whose kubelet does not answer. */
export const isLost = (node) => node.ready === false;

/** The resources of things with `resources`, the one that people care most about first: devices, then cpu, memory, others. */
export function resourcesOf(things) {
  const names = new Set(things.flatMap((thing) => Object.keys(thing.resources)));
  const rank = (name) => (isDevice(name) ? 0 : ["cpu", "memory"].includes(name) ? 1 : 2);
  return [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const isDevice = (name) => name === "gpu" || (name.includes("/") && !COMMON.includes(name));

/** Sums of a resource over nodes. */
export function total(nodes, resource) {
  const sum = { ...EMPTY };
  for (const node of nodes) for (const key of Object.keys(sum)) sum[key] += of(node, resource)[key] ?? 0;
  return sum;
}

/** How free room is spread: "full", "whole" when nothing of it is used, "piece" between the two, "none" when the node has nothing of it. */
export function roomOf(node, resource) {
  const { allocatable, used, idle } = of(node, resource);
  if (allocatable <= 0) return "none";
  if (idle <= 0) return "full";
  return used <= 0 ? "whole" : "piece";
}

/** The free amount by kind of node, and how much of it only pods can use that take less than a node. */
export function fragmentation(nodes, resource) {
  const free = { whole: 0, piece: 0 };
  const counts = { full: 0, whole: 0, piece: 0, none: 0, closed: 0, lost: 0 };
  for (const node of nodes) {
    const kind = isLost(node) ? "lost" : node.unschedulable ? "closed" : roomOf(node, resource);
    counts[kind] += 1;
    if (kind in free) free[kind] += of(node, resource).idle;
  }
  const all = free.whole + free.piece;
  return { free, counts, share: all ? free.piece / all : 0 };
}

/** Nodes by how much they have free, for a resource that is counted in whole devices: [{free, nodes}], or null when it is not. */
export function nodesByFree(nodes, resource) {
  const counts = new Map();
  for (const node of nodes) {
    const { allocatable, idle } = of(node, resource);
    if (allocatable <= 0 || node.unschedulable || isLost(node)) continue;
    const free = Math.floor(Math.max(0, idle) + 1e-9);
    counts.set(free, (counts.get(free) ?? 0) + 1);
    if (counts.size > 17) return null;
  }
  return counts.size ? [...counts].map(([free, number]) => ({ free, nodes: number })).sort((a, b) => a.free - b.free) : null;
}

/** Queues as a tree, children after their parents: [{queue, depth}]. A parent that does not exist, or a circle, does not lose anybody. */
export function queueTree(queues) {
  const names = new Set(queues.map((queue) => queue.queue));
  const children = grouped(queues, (queue) => (names.has(queue.parent) && queue.parent !== queue.queue ? queue.parent : ""));
  const rows = [];
  const seen = new Set();
  const visit = (queue, depth) => {
    if (seen.has(queue.queue)) return;
    seen.add(queue.queue);
    rows.push({ queue, depth });
    for (const child of children.get(queue.queue) ?? []) visit(child, depth + 1);
  };
  for (const queue of children.get("") ?? []) visit(queue, 0);
  for (const queue of queues) visit(queue, 0);
  return rows;
}

/** The largest figure that a bar of any of these queues has to show, for one resource. */
export function scaleOf(queues, resource) {
  const figures = queues.flatMap((queue) => Object.values(queue.resources[resource] ?? {})).filter((value) => typeof value === "number");
  return Math.max(0, ...figures);
}

/**
 * What a job was made for, "ReplicaSet/web-5d4f8c6b9d", where that has another name: people know it by this one, and the job's own is
 * often made of a uid. Else nothing.
 */
export function otherName({ job, workload = "" }) {
  const nameIn = (text) => text.slice(text.indexOf("/") + 1);
  return nameIn(workload) === nameIn(job) ? "" : workload;
}

/** For whom a pod was evicted and why; some rules say for whom in their own words. */
export function whyEvicted({ for_job: job, for_pod: pod, why = "" }) {
  const whom = job && !why.startsWith("for ") ? `for ${job}${pod ? ` (${pod})` : ""}` : "";
  return [whom, why].filter(Boolean).join(": ");
}

const LISTED = 1000; // decisions that the API tells at most, docs/api.md

/**
 * How much was decided in each of the last minutes, the oldest first: [{bind, evict, isListed}]. Where the API tells as many as it
 * lists, nothing is known of what was before: `since` is the oldest decision's age in seconds then, and null otherwise.
 */
export function decidedByMinute(decisions, now, length) {
  const ageOf = ({ time }) => (now - Date.parse(time)) / 1000;
  const oldest = decisions.length >= LISTED ? ageOf(decisions.at(-1)) : Infinity;
  const minutes = Array.from({ length }, (_, index) => ({ bind: 0, evict: 0, isListed: (length - 1 - index) * 60 <= oldest }));
  for (const decision of decisions) {
    const minute = Math.floor(ageOf(decision) / 60);
    if (minute >= 0 && minute < length) minutes[length - 1 - minute][decision.kind] += 1;
  }
  return { minutes, since: oldest < length * 60 ? oldest : null };
}

/** Decisions that belong together, which are neighbours of one kind, job, cycle and rule, as one: with their number and nodes. */
export function gathered(decisions) {
  const groups = [];
  for (const one of decisions) {
    const last = groups.at(-1);
    const isSame = last && ["kind", "job", "cycle", "rule", "for_job"].every((key) => last[key] === one[key]);
    if (isSame) last.members.push(one);
    else groups.push({ ...one, members: [one] });
  }
  return groups;
}
