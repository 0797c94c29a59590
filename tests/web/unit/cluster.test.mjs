import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decidedByMinute,
  fragmentation,
  gathered,
  nodesByFree,
  otherName,
  queueTree,
  resourcesOf,
  roomOf,
  scaleOf,
  total,
  whyEvicted,
} from "../../../web/core/cluster.js";

const GPU = "nvidia.com/gpu";
const node = (used, { allocatable = 8, unschedulable = false, releasing = 0 } = {}) => ({
  node: `n${used}`,
  unschedulable,
  pods: used,
  resources: { [GPU]: { allocatable, used, idle: allocatable - used, releasing } },
});

test("free room is whole, in pieces, or none", () => {
  assert.deepEqual(
    [0, 3, 8].map((used) => roomOf(node(used), GPU)),
    ["whole", "piece", "full"],
  );
  assert.equal(roomOf(node(0), "cpu"), "none");
  const { free, counts, share } = fragmentation(
    [node(0), node(2), node(8), node(0, { unschedulable: true }), { ...node(0), ready: false }],
    GPU,
  );
  assert.deepEqual(free, { whole: 8, piece: 6 });
  assert.deepEqual(counts, { full: 1, whole: 1, piece: 1, none: 0, closed: 1, lost: 1 });
  assert.equal(share, 6 / 14);
  assert.equal(fragmentation([node(8)], GPU).share, 0);
});

test("nodes by what they have free", () => {
  assert.deepEqual(nodesByFree([node(0), node(8), node(8), node(5)], GPU), [
    { free: 0, nodes: 2 },
    { free: 3, nodes: 1 },
    { free: 8, nodes: 1 },
  ]);
  assert.equal(nodesByFree([node(0, { allocatable: 0 })], GPU), null);
  assert.equal(
    nodesByFree(
      Array.from({ length: 40 }, (_, used) => node(used, { allocatable: 64 })),
      GPU,
    ),
    null,
  );
});

test("sums", () => {
  assert.deepEqual(total([node(1), node(2, { releasing: 1 })], GPU), { allocatable: 16, used: 3, idle: 13, releasing: 1 });
});

test("devices come first", () => {
  assert.deepEqual(resourcesOf([{ resources: { memory: {}, cpu: {}, [GPU]: {}, "ephemeral-storage": {} } }]), [
    GPU,
    "cpu",
    "memory",
    "ephemeral-storage",
  ]);
  assert.deepEqual(resourcesOf([{ resources: { cpu: {}, gpu: {} } }]), ["gpu", "cpu"]);
});

test("queues as a tree; nobody is lost, whatever their parents are", () => {
  const queue = (name, parent) => ({ queue: name, parent, resources: {} });
  const shape = (queues) => queueTree(queues).map(({ queue: { queue: name }, depth }) => [name, depth]);
  assert.deepEqual(shape([queue("a", "root"), queue("b", "a"), queue("c", "root"), queue("root")]), [
    ["root", 0],
    ["a", 1],
    ["b", 2],
    ["c", 1],
  ]);
  assert.deepEqual(shape([queue("lost", "nobody"), queue("x", "y"), queue("y", "x"), queue("self", "self")]), [
    ["lost", 0],
    ["self", 0],
    ["x", 0],
    ["y", 1],
  ]);
});

test("the scale of bars counts amounts only", () => {
  assert.equal(scaleOf([{ resources: { cpu: { allocated: 3, limit: 9, limit_of: "root" } } }, { resources: {} }], "cpu"), 9);
});

test("neighbours of one cycle, job and rule are one", () => {
  const one = (job, cycle) => ({ kind: "bind", job, cycle, rule: "allocate", node: "n" });
  assert.deepEqual(
    gathered([one("a", 2), one("a", 2), one("b", 2), one("a", 1)]).map(({ job, members }) => [job, members.length]),
    [
      ["a", 2],
      ["b", 1],
      ["a", 1],
    ],
  );
});

test("a job is called by its workload, too, where that has another name", () => {
  const called = (job, workload) => otherName({ job, workload });
  assert.equal(called("default/podgroup-7f3e", "ReplicaSet/web-5d4f"), "ReplicaSet/web-5d4f");
  assert.equal(called("research/train", "Job/train"), "");
  assert.equal(called("research/train", undefined), "");
});

test("for whom is said once", () => {
  assert.equal(whyEvicted({ for_job: "a/b", for_pod: "a/b-0", why: "lower priority" }), "for a/b (a/b-0): lower priority");
  assert.equal(whyEvicted({ for_job: "a/b", why: "for a/b, which gets n1" }), "for a/b, which gets n1");
  assert.equal(whyEvicted({}), "");
});

test("what was decided before the oldest of a full list is not known", () => {
  const now = Date.parse("2026-01-01T01:00:00Z");
  const decided = (seconds, kind = "bind") => ({ kind, time: new Date(now - 1000 * seconds).toISOString() });
  const few = decidedByMinute([decided(5), decided(61, "evict"), decided(100 * 60)], now, 3);
  assert.deepEqual(few, {
    minutes: [
      { bind: 0, evict: 0, isListed: true },
      { bind: 0, evict: 1, isListed: true },
      { bind: 1, evict: 0, isListed: true },
    ],
    since: null,
  });
  const full = decidedByMinute([...Array.from({ length: 999 }, () => decided(5)), decided(70)], now, 3);
  assert.deepEqual(
    full.minutes.map(({ bind, isListed }) => [bind, isListed]),
    [
      [0, false],
      [1, true],
      [999, true],
    ],
  );
  assert.equal(full.since, 70);
  assert.equal(decidedByMinute(Array.from({ length: 1000 }, () => decided(3600)), now, 3).since, null);
});
