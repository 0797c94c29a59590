import assert from "node:assert/strict";
import { test } from "node:test";

// What live.js and api.js need of a browser. Answers and reasons of a 503 are by path; `asked` is what was asked for.
const answers = new Map();
const asked = [];
const refused = new Map();
let shell; // what it heard last
const page = { baseURI: "http://scheduler/", hidden: false, addEventListener: () => {} };
globalThis.document = page;
const { setInterval: everySo, setTimeout: once } = globalThis;
globalThis.setInterval = (...options) => everySo(...options).unref(); // what runs for ever in a page does not hold the tests up
globalThis.setTimeout = (...options) => once(...options).unref();
globalThis.sessionStorage = { getItem: () => null, setItem: () => {} };
const streams = []; // what writes to each of them
const streamed = (signal) =>
  new ReadableStream({
    start: (stream) => {
      streams.push(stream);
      signal.addEventListener("abort", () => stream.error(signal.reason));
    },
  });
globalThis.fetch = async (url, { signal } = {}) => {
  const path = url.pathname.replace("/api/v1/", "");
  asked.push(path);
  if (path === "events") return new Response(streamed(signal));
  if (refused.has(path)) return new Response(JSON.stringify({ error: refused.get(path) }), { status: 503 });
  const data = answers.get(path);
  return data ? new Response(JSON.stringify(data)) : new Response(JSON.stringify({ error: "none of that" }), { status: 404 });
};

const { begin, follow, hurry } = await import("../../../web/core/live.js");
const { ask, events, learn, tells } = await import("../../../web/core/api.js");

const LEADING = { synced: true, leading: true, cycle: 1 };
const soon = (look) =>
  new Promise((done, fail) => {
    const start = Date.now();
    const again = () => (look() ? done() : Date.now() - start > 9000 ? fail(new Error("not within nine seconds")) : once(again, 20));
    again();
  });

test("views are asked for once somebody can answer and told when they change", async () => {
  answers.set("state", { ...LEADING, leading: false });
  answers.set("jobs", { jobs: [1] });
  const states = [];
  await begin((answer, about) => {
    shell = about;
    states.push([answer.data?.leading, about.hasOtherViews]);
  });
  const leave = new AbortController();
  const seen = [];
  follow("jobs", leave.signal, (answer) => seen.push(answer.data.jobs));
  assert.deepEqual(asked, ["state"], "who does not lead is not asked for jobs");

  answers.set("state", LEADING);
  await soon(() => seen.length === 1);
  await soon(() => asked.filter((path) => path === "jobs").length >= 2);
  assert.deepEqual(seen, [[1]], "what has not changed is no news");

  answers.set("jobs", { jobs: [1, 2] });
  await soon(() => seen.length === 2);
  assert.deepEqual(seen[1], [1, 2]);

  page.hidden = true;
  const before = asked.length;
  await new Promise((done) => once(done, 2600));
  assert.ok(asked.length <= before + 1, "nothing is asked for while nobody looks");
  page.hidden = false;

  leave.abort();
  const again = new AbortController();
  const later = [];
  follow("jobs", again.signal, (answer) => later.push(answer.data.jobs));
  assert.deepEqual(later, [[1, 2]], "who comes back sees the last answer at once");
  again.abort();
  assert.deepEqual(states[0], [false, false]);
});

test("who is asked in vain is asked again, the last answer stays, and the shell hears how old it is", async () => {
  const leave = new AbortController();
  const seen = [];
  follow("queues", leave.signal, (answer) => seen.push(answer));
  const told = { queues: [] };
  answers.set("queues", told);
  await soon(() => seen.at(-1)?.kind === "told");
  refused.set("queues", "too many ask at once: try again");
  await soon(() => shell.stale);
  assert.equal(shell.stale.text, "too many ask at once: try again");
  assert.ok(Math.abs(shell.stale.since - Date.now()) < 9000, "when it was told");
  assert.deepEqual(seen.at(-1).data, told, "the last answer stays");
  refused.clear();
  const news = seen.length;
  hurry();
  await soon(() => shell.stale === null);
  assert.equal(seen.length, news, "what is told again is no news");

  answers.set("state", { ...LEADING, leading: false });
  await soon(() => shell.stale);
  assert.equal(shell.stale.text, undefined, "the state says why");
  leave.abort();
  await soon(() => shell.stale === null); // nothing is on the screen
  answers.set("state", LEADING);
});

test("what is not told is not asked for", async () => {
  const before = asked.length;
  assert.deepEqual(await ask("cycles"), { kind: "untold" });
  assert.equal(asked.length, before);
  assert.equal(learn({ tells: ["cycles"] }), true);
  assert.equal(learn({ tells: ["cycles"] }), false);
  assert.ok(tells("cycles") && !tells("whatif"));
  assert.deepEqual(await ask("cycles"), { kind: "untold" }, "a 404 of a whole view");
  assert.deepEqual(await ask("jobs/a/b"), { kind: "absent", text: "none of that" });
});

test("an answer that has not changed is the same one", async () => {
  const first = await ask("jobs");
  assert.equal(await ask("jobs", { before: first }), first);
});

test("a stream is given up when it has been silent for long, and not while it is kept alive", async () => {
  const heard = [];
  let ended = "";
  const listen = async () => {
    for await (const event of events(new AbortController().signal, 300)) heard.push(event.cycle);
  };
  listen().catch((error) => (ended = error.name));
  await soon(() => streams.length === 1);
  const bytes = new TextEncoder();
  const start = Date.now();
  for (let left = 4; left > 0; left -= 1) {
    await new Promise((done) => once(done, 150));
    streams[0].enqueue(bytes.encode(": alive\n\n"));
  }
  streams[0].enqueue(bytes.encode('event: cycle\ndata: {"cycle"'));
  streams[0].enqueue(bytes.encode(":7}\n\n"));
  await soon(() => ended);
  assert.equal(ended, "AbortError");
  assert.deepEqual(heard, [7]);
  assert.ok(Date.now() - start >= 850, "comments keep it alive");
});

test("the stream ends when the state is lost, and there is another when it is back", async () => {
  answers.set("state", { ...LEADING, tells: ["events"] });
  await soon(() => streams.length === 2 && shell.streaming);
  refused.set("state", "the cluster is being read");
  await soon(() => !shell.streaming);
  assert.throws(() => streams[1].enqueue(new Uint8Array(1)), "it was given up");
  refused.clear();
  await soon(() => streams.length === 3 && shell.streaming);
  answers.set("state", LEADING);
});
