// What is on the screen stays true: the views that a page follows are asked for again when the scheduler says that a cycle is over,
// or every two seconds where it does not say so. A view that takes long is asked for less often, and nothing is asked for while
// nobody looks.

import { ask, events, learn, tells } from "./api.js";

const PERIOD = 2000;
const LEAST_PAUSE = 1000; // lists are made once a second at most
const PATIENCE = 20; // a view may take a twentieth of the time of the page
const RARELY = 10000; // what does not exist may come to be, but hardly at once

// path → {listeners, answer, asking, ended: when it was last answered, ready: when it may be asked for again, isStale}
const followed = new Map();
let onState = () => {};
let lastState = { kind: "later", text: "the scheduler is being asked" };
let streaming = false;

/**
 * Begins to follow the scheduler, and is done when the first answer is there. `listener` hears every answer about its state, with
 * whether events are streamed, and whether it has other views than before.
 */
export async function begin(listener) {
  onState = listener;
  setInterval(beat, 250);
  document.addEventListener("visibilitychange", () => document.hidden || hurry());
  await followState();
}

/** Tells `listener` the answer for a path now and whenever it has changed, until `signal` is aborted. */
export function follow(path, signal, listener) {
  const view = followed.get(path) ?? { listeners: new Set(), answer: null, asking: false, ended: 0, ready: 0, isStale: true };
  followed.set(path, view);
  view.listeners.add(listener);
  view.isStale = true;
  if (view.answer) listener(view.answer);
  signal.addEventListener("abort", () => {
    view.listeners.delete(listener);
    if (!view.listeners.size && path.includes("/")) followed.delete(path); // lists are few: who comes back sees the last one at once
  });
  beat();
}

/** Whether there is a thread that decides: without one, views would only answer 503. */
const canAnswer = () => lastState.kind === "told" && lastState.data.synced && lastState.data.leading;

/** Has every view asked for at once. */
export function hurry() {
  for (const view of followed.values()) Object.assign(view, { ready: 0, isStale: true });
  beat();
}

async function followState() {
  if (!document.hidden || lastState.kind !== "told") await askForState();
  setTimeout(followState, PERIOD);
}

async function askForState() {
  const couldAnswer = canAnswer();
  lastState = await ask("state");
  const hasOtherViews = lastState.kind === "told" && learn(lastState.data);
  if (canAnswer() && tells("events") && !streaming) stream();
  onState(lastState, { streaming, hasOtherViews });
  if (canAnswer() && !couldAnswer) hurry();
  if (!canAnswer()) forget();
}

/** Old answers are not shown for new ones; what is on the screen stays, under a line that says that it is not live. */
function forget() {
  for (const [path, view] of followed) if (!view.listeners.size) followed.delete(path);
}

/** Only while somebody looks: a browser has six connections to a server, for all of its pages together. */
async function stream() {
  if (document.hidden) return;
  streaming = true;
  const end = new AbortController();
  document.addEventListener("visibilitychange", () => end.abort(), { signal: end.signal });
  try {
    for await (const event of events(end.signal)) if (event) onCycle();
  } catch {
    // The connection broke or nobody looks: until the state is told again, views are asked for by the clock.
  }
  end.abort();
  streaming = false;
  hurry();
}

function onCycle() {
  for (const view of followed.values()) view.isStale = true;
  beat();
}

function beat() {
  if (document.hidden) return;
  const now = performance.now();
  for (const [path, view] of followed) {
    const isDue = view.listeners.size > 0 && now >= view.ready && (view.isStale || (!streaming && now >= view.ended + PERIOD));
    const canBeTold = canAnswer() || (path === "decisions" && lastState.kind === "told");
    if (isDue && canBeTold && !view.asking) refresh(path, view);
  }
}

async function refresh(path, view) {
  const start = performance.now();
  Object.assign(view, { asking: true, isStale: false });
  try {
    const before = view.answer;
    view.answer = await ask(path, { before });
    const isNews = before?.kind !== view.answer.kind || before.text !== view.answer.text;
    if (isNews) for (const listener of view.listeners) listener(view.answer);
  } finally {
    const ended = performance.now();
    const least = view.answer?.kind === "absent" ? RARELY : LEAST_PAUSE;
    Object.assign(view, { asking: false, ended, ready: ended + Math.max(least, (ended - start) * PATIENCE) });
  }
}
