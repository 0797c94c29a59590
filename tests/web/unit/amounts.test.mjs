import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, counted, duration, percent, sentence, shortTime } from "../../../web/core/amounts.js";

test("amounts have the unit of their resource", () => {
  const cases = [
    ["memory", 1024 ** 4, "1 TiB"],
    ["memory", 96 * 1024 ** 3, "96 GiB"],
    ["memory", 0, "0"],
    ["cpu", 0.5, "0.5"],
    ["cpu", 12345.6, "12,346"],
    ["nvidia.com/gpu", 8, "8"],
    ["hugepages-2Mi", 2 ** 21, "2 MiB"],
    ["cpu", undefined, "–"],
    ["memory", 1023.6 * 1024 ** 3, "1,024 GiB"],
  ];
  for (const [resource, value, text] of cases) assert.equal(amount(resource, value), text);
});

test("a part that is not nothing is not 0 %", () => {
  assert.equal(percent(1, 1000), "< 1 %");
  assert.equal(percent(1468, 1472), "> 99 %");
  assert.equal(percent(8, 8), "100 %");
  assert.equal(percent(0, 1000), "0 %");
  assert.equal(percent(1, 0), "–");
  assert.equal(percent(2, 3), "67 %");
});

test("times are said as people say them", () => {
  const cases = [
    [-5, "0 s"],
    [0, "0 s"],
    [59, "59 s"],
    [61, "1 min"],
    [3600, "1 h"],
    [3900, "1 h 5 min"],
    [90000, "1 d 1 h"],
  ];
  for (const [seconds, text] of cases) assert.equal(duration(seconds), text);
  assert.equal(shortTime(0.00042), "420 µs");
  assert.equal(shortTime(0.0123), "12.3 ms");
  assert.equal(shortTime(2), "2 s");
});

test("words", () => {
  assert.equal(counted(1, "node"), "1 node");
  assert.equal(counted(1200, "node"), "1,200 nodes");
  assert.equal(sentence("no room"), "No room.");
  assert.equal(sentence("No room."), "No room.");
});
