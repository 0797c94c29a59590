// What is on the screen stays true: the views that a page follows are asked for again when the scheduler says that a cycle is over,
// or every two seconds where it does not say so. A view that takes long is asked for less often, and nothing is asked for while
// nobody looks. Where no answer comes, the last one stays on the screen, the shell hears from when it is, and pauses grow.

import { ask, events, learn, tells } from "./api.js";

const PERIOD = 2000;
const LEAST_PAUSE = 1000; // lists are made once a second at most
const PATIENCE = 20; // a view may take a twentieth of the time of the page
const RARELY = 10000; // what does not exist may come to be, but hardly at once
const LONGEST_PAUSE = 15000; // after asking in vain
const ANSWER_WITHIN = 20000; // the scheduler itself says after ten seconds that it cannot
const BY_ACCIDENT = 1; // what is asked for in vain so often is asked for again before anybody is told

// path → {listeners, answer, since: when it was told (Date.now()), vain: how often it was asked for in vain since then, trouble: why,
// asking, ended: when it was last answered, ready: when it may be asked for again, isStale}
const followed = new Map();
let onState = () => {};
let lastState = { kind: "later", text: "the scheduler is being asked" };
let askingForState = false;
let wasAsked = false;
let stateInVain = 0;
let stateTimer;
let listening = null; // ends the stream of events
let listenInVain = 0;
let listenAt = 0;

/** Nobody could say: what was told before is the best that is known. */
const isInVain = ({ kind }) => kind === "later" || kind === "lost" || kind === "locked";

/**
 * Twice as long each time, up to a bound; somewhere between a half and the whole of that, since many pages lose a scheduler at the same
 * moment and must not all come back at one.
 */
const pauseAfter = (vain) => Math.min(LONGEST_PAUSE, LEAST_PAUSE * 2 ** vain) * (0.5 + Math.random() / 2);

/**
 * Begins to follow the scheduler, and is done when the first answer is there. `listener` hears every answer about its state, with
 * whether events are streamed, whether it has other views than before, and `stale`: since when and why something on the screen is not
 * told any more, or null.
 */
export async function begin(listener) {
  onState = listener;
  setInterval(beat, 250);
  document.addEventListener("visibilitychange", () => document.hidden || hurry());
  await followState();
}

/** Tells `listener` the answer for a path now and whenever it has changed, until `signal` is aborted. */
export function follow(path, signal, listener) {
  const view = followed.get(path) ?? { listeners: new Set(), answer: null, vain: 0, asking: false, ended: 0, ready: 0 };
  followed.set(path, view);
  view.listeners.add(listener);
  view.isStale = true;
  if (view.answer) listener(view.answer);
  signal.addEventListener("abort", () => {
    view.listeners.delete(listener);
    if (!view.listeners.size && path.includes("/")) followed.delete(path); // lists are few: who comes back sees the last one at once
  });
  tellShell();
  beat();
}

/** Whether there is a thread that decides: without one, views would only answer 503. */
const canAnswer = () => lastState.kind === "told" && lastState.data.synced && lastState.data.leading;

const canBeTold = (path) => canAnswer() || (path === "decisions" && lastState.kind === "told");

/** Has everything asked for at once, however often that was in vain. */
export function hurry() {
  stateInVain = listenAt = 0;
  for (const view of followed.values()) Object.assign(view, { ready: 0, isStale: true });
  if (lastState.kind !== "told") followState();
  beat();
}

async function followState() {
  if (askingForState) return;
  clearTimeout(stateTimer);
  askingForState = true;
  try {
    if (!document.hidden || !wasAsked) await askForState(); // once at least: the shell waits for the first answer
  } finally {
    askingForState = false;
    stateTimer = setTimeout(followState, lastState.kind === "lost" ? pauseAfter(stateInVain) : PERIOD);
  }
}

async function askForState() {
  const couldAnswer = canAnswer();
  wasAsked = true;
  lastState = await ask("state", { signal: AbortSignal.timeout(ANSWER_WITHIN) });
  stateInVain = lastState.kind === "told" ? 0 : stateInVain + 1;
  const hasOtherViews = lastState.kind === "told" && learn(lastState.data);
  if (canAnswer() && !couldAnswer) comeBack();
  if (lastState.kind !== "told") deafen();
  if (canAnswer() && tells("events") && !listening) stream();
  tellShell(hasOtherViews);
}

/** What nobody looks at is not shown for new: it may be of another process. */
function comeBack() {
  for (const [path, view] of followed) if (!view.listeners.size) followed.delete(path);
  hurry();
}

const tellShell = (hasOtherViews = false) => onState(lastState, { streaming: Boolean(listening), stale: staleness(), hasOtherViews });

/** Of what is on the screen and cannot be told now, from when the oldest is, and why it was asked for in vain. */
function staleness() {
  const isOld = (path, { listeners, answer, vain }) =>
    listeners.size > 0 && answer && !isInVain(answer) && (vain > BY_ACCIDENT || !canBeTold(path));
  const old = [...followed].filter(([path, view]) => isOld(path, view)).map(([, view]) => view);
  if (!old.length) return null;
  return { since: Math.min(...old.map(({ since }) => since)), text: old.find(({ trouble }) => trouble)?.trouble };
}

/** Only while somebody looks: a browser has six connections to a server, for all of its pages together. */
async function stream() {
  if (document.hidden || performance.now() < listenAt) return;
  const end = new AbortController();
  listening = end;
  document.addEventListener("visibilitychange", deafen, { signal: end.signal });
  let hears = false;
  try {
    for await (const _ of events(end.signal)) {
      hears = true;
      onCycle();
    }
  } catch {
    // The connection broke, nothing came for long or nobody looks: until there is a stream again, views are asked for by the clock.
  }
  listenInVain = hears || end.signal.aborted ? 0 : listenInVain + 1;
  listenAt = performance.now() + pauseAfter(listenInVain);
  end.abort();
  if (listening === end) listening = null;
  onCycle(); // there may have been one that nobody has told
}

/** Ends the stream, whose connection may be one that is gone. */
function deafen() {
  listening?.abort();
  listening = null;
}

function onCycle() {
  for (const view of followed.values()) view.isStale = true;
  beat();
}

function beat() {
  if (document.hidden) return;
  const now = performance.now();
  for (const [path, view] of followed) {
    const isDue = view.listeners.size > 0 && now >= view.ready && (view.isStale || (!listening && now >= view.ended + PERIOD));
    if (isDue && canBeTold(path) && !view.asking) refresh(path, view);
  }
}

async function refresh(path, view) {
  const start = performance.now();
  Object.assign(view, { asking: true, isStale: false });
  try {
    take(view, await ask(path, { before: view.answer, signal: AbortSignal.timeout(ANSWER_WITHIN) }));
  } finally {
    const ended = performance.now();
    Object.assign(view, { asking: false, ended, ready: ended + pauseOf(view, ended - start) });
  }
}

function pauseOf({ vain, answer }, took) {
  if (vain) return pauseAfter(vain);
  return Math.max(answer?.kind === "absent" ? RARELY : LEAST_PAUSE, took * PATIENCE);
}

/** An answer in vain does not take the place of one that told something. */
function take(view, answer) {
  const before = view.answer;
  const wasInVain = view.vain > 0;
  if (isInVain(answer)) Object.assign(view, { vain: view.vain + 1, trouble: answer.text, isStale: true });
  else Object.assign(view, { vain: 0, trouble: null, since: Date.now() });
  if (!isInVain(answer) || !before || isInVain(before)) view.answer = answer;
  if (wasInVain || view.vain) tellShell();
  const isNews = before?.kind !== view.answer.kind || before.text !== view.answer.text;
  if (isNews) for (const listener of view.listeners) listener(view.answer);
}
