import assert from "node:assert/strict";
import { test } from "node:test";

import { KeptDecisions, MOST_KEPT } from "../../../web/core/kept_decisions.js";

/** The latest first, as the scheduler tells them. */
const decisions = (from, to, process = "one") =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ number: to - index, process }));
const numbers = (list) => list.map((one) => one.number);

test("only the latest are kept unless somebody asks for more", () => {
  const kept = new KeptDecisions();
  kept.with(decisions(1, 3));
  assert.deepEqual(numbers(kept.with(decisions(3, 5))), [5, 4, 3]);
});

test("older ones stay below the latest", () => {
  const kept = new KeptDecisions();
  kept.with(decisions(4, 5));
  assert.equal(kept.earliest, 4);
  assert.equal(kept.add(decisions(1, 3)), true);
  assert.deepEqual(numbers(kept.with(decisions(5, 6))), [6, 5, 4, 3, 2, 1]);
  assert.equal(kept.earliest, 1);
});

test("what may lie between is not passed over in silence", () => {
  const kept = new KeptDecisions();
  kept.with(decisions(4, 5));
  kept.add(decisions(1, 3));
  assert.deepEqual(numbers(kept.with(decisions(9, 10))), [10, 9]);
});

test("another process begins anew", () => {
  const kept = new KeptDecisions();
  kept.with(decisions(40, 50));
  kept.add(decisions(20, 39));
  const shown = kept.with(decisions(1, 45, "two"));
  assert.deepEqual([...new Set(shown.map((one) => one.process))], ["two"]);
});

test("another process begins anew though its numbers go on", () => {
  const kept = new KeptDecisions();
  kept.with(decisions(40, 50), "one");
  kept.add(decisions(20, 39));
  const shown = kept.with(decisions(45, 60, "two"), "two");
  assert.deepEqual([...new Set(shown.map((one) => one.process))], ["two"]);
  assert.deepEqual([kept.isOf("one"), kept.isOf("two")], [false, true]);
});

test("older ones stay below the latest of the same process", () => {
  const kept = new KeptDecisions();
  kept.with(decisions(4, 5), "one");
  kept.add(decisions(1, 3));
  assert.deepEqual(numbers(kept.with(decisions(5, 6), "one")), [6, 5, 4, 3, 2, 1]);
});

test("they are bounded", () => {
  const kept = new KeptDecisions();
  kept.with(decisions(MOST_KEPT, MOST_KEPT + 1));
  assert.equal(kept.add(decisions(1, MOST_KEPT - 1)), false);
  assert.equal(kept.with(decisions(MOST_KEPT + 1, MOST_KEPT + 2)).length, MOST_KEPT);
});
