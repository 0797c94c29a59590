import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { histograms } from "../../../web/core/prometheus.js";

test("sums and counts by a label", () => {
  const text =
    'x_sum{phase="a"} 2\nx_count{phase="a"} 4\nx_bucket{phase="a",le="1"} 4\nxx_sum{phase="a"} 9\nx_sum{kind="k",phase="b \\" c"} 1e-3\n';
  assert.deepEqual(
    [...histograms(text, "x", "phase")],
    [
      ["a", { sum: 2, count: 4 }],
      ['b \\" c', { sum: 0.001, count: 0 }],
    ],
  );
});

test("what a real scheduler says of its phases", () => {
  const phases = histograms(
    readFileSync(new URL("../recorded/first-cluster/metrics.txt", import.meta.url), "utf8"),
    "muster_cycle_phase_seconds",
    "phase",
  );
  assert.ok(phases.get("allocate").count > 0 && phases.get("open").sum > 0);
});
