// How full and how broken up the cluster is, who holds what, and what changed of late.

import { href } from "../core/address.js";
import { fill, h } from "../core/dom.js";
import { grouped } from "../core/grouping.js";
import { follow } from "../core/live.js";
import { card, heading } from "../parts/card.js";
import { fellSilent, waiting } from "../parts/silence.js";
import { STATES, STATE_MEANINGS } from "../parts/state_badge.js";
import { count } from "../core/amounts.js";
import { changes } from "./overview_changes.js";
import { clusterMap } from "./overview_map.js";
import { QueueBars } from "./queue_bars.js";

const AGAIN = 15000;

export function show(main, { query, signal }) {
  const states = h("div", {}, waiting());
  let decisions = null;
  const queues = new QueueBars({ resource: query.get("queue-resource") });
  const recent = h("div", {}, waiting());
  fill(
    main,
    heading("Overview"),
    states,
    h(
      "div.columns",
      {},
      card("Nodes", { wide: true }, clusterMap({ query, signal })),
      card("Queues", { aside: queues.controls }, queues.element),
      card("Lately", { aside: h("a", { href: href("decisions") }, "all decisions") }, recent),
    ),
  );

  follow("jobs", signal, (answer) => {
    if (fellSilent(states, answer, "This scheduler does not tell its jobs.")) return;
    fill(states, h("ul.job-states", { "aria-label": "Jobs by state" }, stateFigures(answer.data.jobs)));
  });
  follow("queues", signal, (answer) => queues.show(answer));
  follow("decisions", signal, (answer) => {
    if (!fellSilent(recent, answer, "This scheduler does not tell its decisions.")) fill(recent, changes(answer.data.decisions));
    decisions = answer.data?.decisions;
  });
  const timer = setInterval(() => decisions && fill(recent, changes(decisions)), AGAIN); // minutes pass also when nothing is decided
  signal.addEventListener("abort", () => clearInterval(timer));
}

function stateFigures(jobs) {
  const counts = grouped(jobs, (job) => job.state);
  return STATES.map((state) =>
    h(
      "li",
      { "data-state": counts.has(state) ? state : "none", title: STATE_MEANINGS[state] },
      h("a", { href: href("jobs", "", { state }) }, h("b", {}, count(counts.get(state)?.length ?? 0)), ` ${state}`),
    ),
  );
}
