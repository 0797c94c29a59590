import assert from "node:assert/strict";
import { test } from "node:test";

// What the finder needs of a browser.
class Element {
  attributes = new Map();
  listeners = {};
  children = [];
  append = (child) => this.children.push(child);
  replaceChildren = () => (this.children = []);
  getAttribute = (key) => this.attributes.get(key) ?? null;
  setAttribute = (key, value) => this.attributes.set(key, value);
  removeAttribute = (key) => this.attributes.delete(key);
  addEventListener = (name, listener) => (this.listeners[name] = listener);
}
let answer = "{}";
const asked = [];
globalThis.document = { baseURI: "http://scheduler/", createElement: () => new Element() };
globalThis.sessionStorage = { getItem: () => null };
globalThis.fetch = async (url) => {
  asked.push(url.pathname + url.search);
  return new Response(answer);
};
const { fitsFinder, fitsOf } = await import("../../../web/pages/job_fits.js");

const told = (data) => ({ kind: "told", data });

test("changes that would make a job fit are told as they are", () => {
  const changes = [{ text: "spec.minMember were 1 and not 2" }];
  assert.deepEqual(fitsOf(told({ state: "waiting", fits_if: changes })), { changes, notes: [] });
  const whatif = { verdict: "waits", notes: ["not everything was tried"] };
  assert.deepEqual(fitsOf(told({ state: "waiting", fits_if: changes, whatif })), { changes, notes: whatif.notes });
});

test("where there are none, a sentence says why", () => {
  const rows = [
    [told({ state: "waiting", fits_if: [] }), /^Nothing that was tried/],
    [told({ state: "waiting", fits_if: [], whatif: { verdict: "evicts", notes: [] } }), /^Nothing that was tried/],
    [told({ state: "waiting", whatif: { verdict: "starts", notes: [] } }), /^On a copy of the cluster it starts at once/],
    [told({ state: "waiting", whatif: { verdict: "waits", notes: ["the bound was reached"] } }), /^Nothing was tried\.$/],
    [told({ state: "waiting", whatif: { error: "the cluster is being read: try again" } }), /^Nobody could look: the cluster is being read/],
    [told({ state: "waiting" }), /^Nobody could look just now/], // of a scheduler that does not say why
    [told({ state: "running", fits_if: [] }), /does not wait any more/],
    [{ kind: "lost", text: "the scheduler does not answer" }, /^Nobody could look: the scheduler does not answer\.$/],
    [{ kind: "absent", text: "there is no such job" }, /there is no such job/],
    [{ kind: "later", text: "too many ask at once: try again" }, /too many ask at once/],
    [{ kind: "untold" }, /does not try changes/],
  ];
  for (const [answer, words] of rows) {
    const { changes, text } = fitsOf(answer);
    assert.equal(changes, undefined);
    assert.match(text, words);
  }
});

test("a search that ended before its time does not look complete", () => {
  const notes = ["the bound was reached"];
  const rows = [{ fits_if: [] }, { fits_if: [{ text: "a" }] }, {}];
  for (const row of rows) assert.deepEqual(fitsOf(told({ state: "waiting", whatif: { verdict: "waits", notes }, ...row })).notes, notes);
});

const textOf = (element) => (typeof element === "string" ? element : element.children.map(textOf).join(""));

test("notes are shown below what was found", async () => {
  const { finder, button } = finderWithButton("research/train");
  answer = JSON.stringify({ state: "waiting", fits_if: [], whatif: { verdict: "waits", notes: ["not everything was tried"] } });
  await button.listeners.click();
  assert.match(textOf(finder.element), /Nothing that was tried would make it start at once\.Not everything was tried\./);
  asked.length = 0;
});

const finderWithButton = (name) => {
  const finder = fitsFinder({ name });
  return { finder, button: finder.element.children[0].children[0] };
};

test("the button can be used again, whatever came of it", async () => {
  const { finder, button } = finderWithButton("research/a?b");
  answer = JSON.stringify({ state: "waiting", fits_if: [] });
  await button.listeners.click();
  assert.deepEqual(asked, ["/api/v1/jobs/research/a%3Fb?fits_if"]);
  answer = "null"; // which nobody expects
  await assert.rejects(button.listeners.click());
  assert.equal(button.getAttribute("aria-disabled"), null);
  assert.equal(finder.element.getAttribute("aria-busy"), null);
});
