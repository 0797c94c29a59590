import assert from "node:assert/strict";
import { test } from "node:test";

// What the page needs of a browser.
class Element {
  style = { setProperty() {} };
  children = [];
  constructor(name) {
    this.name = name;
  }
  append = (...children) => this.children.push(...children);
  setAttribute() {}
  get text() {
    return this.children.map((child) => child.text ?? String(child)).join("");
  }
}
globalThis.document = { baseURI: "http://scheduler/", createElement: (name) => new Element(name) };
globalThis.sessionStorage = { getItem: () => null };
const { devices } = await import("../../../web/pages/node.js");

const GPU = "nvidia.com/gpu";
const OTHERS = "This scheduler does not tell which pod has which of the others.";
const has = (allocatable, used) => ({ allocatable, used, idle: allocatable - used, releasing: 0 });
const lines = (node) => {
  const drawn = [devices(node)].flat().filter(Boolean);
  return drawn.flatMap((part) => (part.name === "ul" ? part.children.map((one) => one.text) : [part.text]));
};

test("each device says what of it is in use, and by whom", () => {
  const card = (device, used, taken, pods) => ({
    device, resource: "volcano.sh/vgpu-number", used, pods,
    amounts: { "volcano.sh/vgpu-memory": { used: taken, total: 16384 }, "volcano.sh/vgpu-number": { used: pods.length, total: 10 } },
  });
  const resources = { "volcano.sh/vgpu-number": has(20, 2), "volcano.sh/vgpu-memory": has(32768, 6144), cpu: has(8, 1) };
  assert.deepEqual(lines({ resources, devices: [card("G0", 0.375, 6144, ["a/b", "a/c"]), card("G1", 0, 0, [])] }), [
    "G0 volcano.sh/vgpu-number38 % in use by a/b, a/c; 6,144 of 16,384 vgpu-memory; 2 of 10 vgpu-number",
    "G1 volcano.sh/vgpu-numberfree; 0 of 16,384 vgpu-memory; 0 of 10 vgpu-number",
  ]);
});

test("devices of claims have no resource, and their memory is in bytes", () => {
  const devices = [
    { device: "gpu/n1/d0", used: 1, pods: [] },
    { device: "gpu/n1/d1", used: 0, pods: ["a/b"] },
    { device: "gpu/n1/d2", used: 0.5, pods: ["a/c"], amounts: { memory: { used: 2 ** 33, total: 2 ** 34 } } },
  ];
  assert.deepEqual(lines({ resources: { cpu: has(8, 1) }, devices }), [
    "gpu/n1/d0100 % in use", "gpu/n1/d1in use by a/b", "gpu/n1/d250 % in use by a/c; 8 GiB of 16 GiB memory",
  ]);
});

test("whose the others are is not told, where somebody has them", () => {
  const shared = [{ device: "a1b2", resource: GPU, used: 0.5, pods: ["a/b"] }];
  const first = `a1b2 ${GPU}50 % in use by a/b`;
  assert.deepEqual(lines({ resources: { [GPU]: has(8, 0.5) }, devices: shared }), [first]);
  assert.deepEqual(lines({ resources: { [GPU]: has(8, 2.5) }, devices: shared }), [first, OTHERS]);
  assert.deepEqual(lines({ resources: { [GPU]: has(8, 0.5), "example.com/nic": has(2, 1) }, devices: shared }), [
    first, "example.com/nic: 1 of 2 in use", "This scheduler does not tell which pod has which of these.",
  ]);
});

test("a node without devices says so, and one of which none is told by name has squares", () => {
  assert.deepEqual(lines({ resources: { cpu: has(8, 1) } }), ["This node has no devices."]);
  assert.deepEqual(lines({ resources: { [GPU]: has(8, 3) } }), [`${GPU}: 3 of 8 in use`, "This scheduler does not tell which pod has which device."]);
});
