// One job: why it waits, in the order in which one asks.

import { href, viewOf } from "../core/address.js";
import { otherName } from "../core/cluster.js";
import { fill, h, keepFocus } from "../core/dom.js";
import { follow } from "../core/live.js";
import { stackedBar } from "../parts/bars.js";
import { card, heading } from "../parts/card.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";
import { STATE_MEANINGS, stateBadge } from "../parts/state_badge.js";
import { count, counted, sentence } from "../core/amounts.js";
import { fitsFinder } from "./job_fits.js";
import { ahead, evictions, obstacles, remedies } from "./job_reasons.js";
import { podMap, timeline } from "./job_places.js";

const GONE = "This job is gone: nothing of it is in the cluster any more. What the scheduler remembers of it stands below.";

export function show(main, { name, signal }) {
  const title = h("span", {}, name);
  const state = h("span", {});
  const workload = h("span.workload", {});
  const body = h("div.columns", {}, waiting());
  const places = podMap({ signal });
  const finder = fitsFinder({ name, signal });
  let known = name; // its own name, once it is known: a job can be asked for by that of a pod or of its workload, too
  let absent = null; // why there is none
  let remembered = 0;
  const times = timeline({
    signal,
    onTold: (events) => {
      remembered = events;
      if (absent) tellAbsent();
    },
  });
  fill(main, h("p.crumbs", {}, h("a", { href: href("jobs") }, "Jobs")), heading(title, state, workload), body);

  function tellAbsent() {
    fill(state);
    fill(workload);
    keepFocus(body, () => fill(body, silence(remembered ? GONE : absent), remembered > 0 && card("Timeline", {}, times.element)));
  }

  follow(viewOf("jobs", name), signal, (answer) => {
    absent = answer.kind === "absent" ? answer.text : null;
    known = answer.data?.job ?? known;
    if (answer.kind === "told" || absent) times.of(known);
    if (absent) return tellAbsent();
    if (fellSilent(body, answer, "This scheduler does not explain single jobs.")) return void fill(state);
    const job = answer.data;
    fill(title, known);
    fill(state, stateBadge(job.state));
    fill(workload, otherName(job) && `Workload: ${otherName(job)}`);
    places.show(job);
    keepFocus(body, () =>
      fill(
        body,
        verdict(job),
        h("div.stacks", {}, obstacles(job), ahead(job)),
        h("div.stacks", {}, remedies(job, finder.offer(job) && finder.element), evictions(job), card("Timeline", {}, times.element)),
        card("Where its pods are", { wide: true }, places.element),
      ),
    );
  });
}

function gangText({ total, minimum }) {
  const pods = counted(total, "pod");
  if (total === 1) return pods;
  if (minimum >= total) return `${pods}, which start together or not at all`;
  return minimum > 1 ? `${pods}, at least ${count(minimum)} of which start together` : `${pods}, each of which may start alone`;
}

/** The sentence that has to be read first. */
function verdict(job) {
  const { text, hint, code } = job.reason;
  const pods = ["placed", "pending", "gated", "leaving", "succeeded", "failed"].map((name) => ({ name, value: job.pods[name] ?? 0 }));
  return h(
    "section.verdict",
    { "data-state": job.state, "aria-label": "Verdict" },
    h("p.why", {}, sentence(text || `nothing is missing: ${STATE_MEANINGS[job.state]}`)),
    hint && h("p.hint", {}, h("b", {}, "What would help: "), sentence(hint)),
    stackedBar(pods, { caption: "Pods by state", text: count }),
    h(
      "p.note",
      {},
      gangText(job.pods),
      code && code !== "none" && [" · reason ", h("code", {}, code)],
      job.phase && ` · phase ${job.phase}`,
      [" · queue ", h("a", { href: href("jobs", "", { queue: job.queue.name }) }, job.queue.name)],
    ),
  );
}
