// What would make a waiting job fit: changes that the scheduler tries on copies of the cluster when somebody wants to know. That may
// take seconds, so it is asked for by a button, apart from what the page follows.

import { viewOf } from "../core/address.js";
import { clock, sentence } from "../core/amounts.js";
import { ask, tells } from "../core/api.js";
import { fill, h } from "../core/dom.js";

const QUESTION = "What would make it fit?";
const AGAIN = "Try again";
const WHILE_TRYING = "Changes are being tried on copies of the cluster. That may take some seconds …";

const NOTHING_FOUND = "Nothing that was tried would make it start at once.";
const NOBODY_LOOKED = "Nobody could look just now: others are asking, or the cluster has just changed.";
const STARTS = "On a copy of the cluster it starts at once: what holds it is known to the scheduler alone.";

/** What an answer to `jobs/NAME?fits_if` says: changes, or a sentence where there are none; and notes on how they were looked for. */
export function fitsOf(answer) {
  if (answer.kind === "untold") return { text: "This scheduler does not try changes." };
  if (answer.kind !== "told") return { text: `Nobody could look: ${answer.text}.` };
  const { state, fits_if: changes, whatif } = answer.data;
  if (state !== "waiting") return { text: "It does not wait any more." };
  if (whatif?.error) return { text: `Nobody could look: ${whatif.error}.` };
  const notes = whatif?.notes ?? [];
  if (changes?.length) return { changes, notes };
  if (changes) return { text: NOTHING_FOUND, notes };
  if (whatif?.verdict === "starts") return { text: STARTS, notes };
  return { text: whatif ? "Nothing was tried." : NOBODY_LOOKED, notes };
}

/** The changes as a list, which begins a sentence that each of them ends; or that none was found. */
export const fitsIf = (changes) =>
  changes.length
    ? h(
        "div",
        {},
        h("h3", {}, "It would start at once if"),
        h(
          "ul",
          {},
          changes.map(({ text }) => h("li", {}, text)),
        ),
      )
    : h("p", {}, NOTHING_FOUND);

/**
 * The button and what came of it, for one job. `element` stays the same while the page around it is made anew; `offer(job)` says
 * whether there is something to ask.
 */
export function fitsFinder({ name, signal }) {
  const result = h("div", { role: "status" });
  const button = h("button", { type: "button", onclick: look }, QUESTION);
  const element = h("div.fits", {}, h("p", {}, button), result);

  async function look() {
    if (button.getAttribute("aria-disabled")) return;
    button.setAttribute("aria-disabled", "true"); // not disabled: that would lose the focus
    element.setAttribute("aria-busy", "true");
    fill(result, h("p.trying", {}, WHILE_TRYING));
    try {
      tell(fitsOf(await ask(`${viewOf("jobs", name)}?fits_if`, { signal })));
    } catch (error) {
      if (error.name !== "AbortError") throw error; // the page was left
    } finally {
      button.removeAttribute("aria-disabled");
      element.removeAttribute("aria-busy");
      button.textContent = AGAIN;
    }
  }

  function tell({ changes, text, notes = [] }) {
    fill(
      result,
      changes ? fitsIf(changes) : h("p", {}, text),
      notes.map((note) => h("p.note", {}, sentence(note))),
      changes && h("p.note", {}, `Each was tried on a copy of the cluster, at ${clock(Date.now())}.`),
    );
  }

  return { element, offer: (job) => job.state === "waiting" && tells("fits_if") };
}
