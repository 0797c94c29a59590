// What a page says when it has nothing to show: why, and what can be done. Never a made-up figure.

import { fill, h } from "../core/dom.js";

/** A box with a sentence and, where there is one, a way out. */
export const silence = (text, ...more) => h("div.silence", {}, h("p", {}, text), more);

/** Puts the state of an answer that tells nothing into an element; false when the answer does tell something. */
export function fellSilent(element, answer, untoldText) {
  if (answer.kind === "told") return false;
  const texts = { untold: untoldText, absent: answer.text, locked: answer.text, later: answer.text, lost: answer.text };
  fill(element, silence(texts[answer.kind]));
  return true;
}

/** Holds a place until the first answer. */
export const waiting = () => h("p.waiting", { role: "status" }, "Asking the scheduler …");
