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

export function show(main, { query, signal }) {
  const states = h("ul.job-states", { "aria-label": "Jobs by state" }, waiting());
  const queues = new QueueBars({ resource: query.get("queue-resource") });
  const recent = h("div", {}, waiting());
  fill(main, heading("Overview"), states, h("div.columns", {},
    card("Nodes", { wide: true }, clusterMap({ query, signal })),
    card("Queues", { aside: queues.controls }, queues.element),
    card("Lately", { aside: h("a", { href: href("decisions") }, "all decisions") }, recent)));

  follow("jobs", signal, (answer) => fellSilent(states, answer, "This scheduler does not tell its jobs.") || fill(states, stateFigures(answer.data.jobs)));
  follow("queues", signal, (answer) => queues.show(answer));
  follow("decisions", signal, (answer) => fellSilent(recent, answer, "This scheduler does not tell its decisions.") || fill(recent, changes(answer.data.decisions)));
}

function stateFigures(jobs) {
  const counts = grouped(jobs, (job) => job.state);
  return STATES.map((state) => h("li", { "data-state": state, title: STATE_MEANINGS[state] },
    h("a", { href: href("jobs", "", { state }) }, h("b", {}, count(counts.get(state)?.length ?? 0)), ` ${state}`)));
}
