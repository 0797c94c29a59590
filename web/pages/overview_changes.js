// What was decided of late: how much in each minute, and the last things by name.

import { href } from "../core/address.js";
import { counted, duration } from "../core/amounts.js";
import { decidedByMinute, gathered } from "../core/cluster.js";
import { h, styled } from "../core/dom.js";
import { ago } from "../parts/moment.js";
import { silence } from "../parts/silence.js";

const MINUTES = 15;
const LATEST = 9;

export function changes(decisions, now = Date.now()) {
  if (!decisions.length) return silence("Nothing was bound or evicted since this process began.");
  return [minuteBars(decisions, now), h("ul.changes", {}, gathered(decisions).slice(0, LATEST).map(change))];
}

function minuteBars(decisions, now) {
  const { minutes, since } = decidedByMinute(decisions, now, MINUTES);
  const most = Math.max(1, ...minutes.map(({ bind, evict }) => bind + evict));
  const sum = (kind) => minutes.reduce((all, minute) => all + minute[kind], 0);
  const time = since === null ? `${MINUTES} minutes` : `${duration(since)}; what was before is no longer listed`;
  const bar = (kind, number) => number > 0 && styled(h(`span.${kind}`, {}), { height: `${(100 * number) / most}%` });
  return h(
    "div.minutes",
    {},
    h("p", {}, `${counted(sum("bind"), "pod")} bound and ${sum("evict")} evicted in the last ${time}`),
    h(
      "div.minute-bars",
      { "aria-hidden": "true" },
      minutes.map(({ bind, evict, isListed }) =>
        isListed
          ? h("span.minute", { title: `${bind} bound, ${evict} evicted` }, bar("evict", evict), bar("bind", bind))
          : h("span.minute.unlisted", { title: "no longer listed" }),
      ),
    ),
  );
}

/** One line: "4 pods of research/train bound to gpu-1 and 2 others". */
function change(group) {
  const nodes = [...new Set(group.members.map((one) => one.node))];
  const where = nodes.length > 1 ? `${nodes[0]} and ${counted(nodes.length - 1, "other")}` : nodes[0];
  return h(
    "li",
    { "data-kind": group.kind },
    ago(group.time),
    h(
      "span",
      {},
      `${counted(group.members.length, "pod")} of `,
      h("a", { href: href("jobs", group.job) }, group.job),
      group.kind === "bind" ? ` bound to ${where}` : ` evicted from ${where}`,
      group.for_job && [" for ", h("a", { href: href("jobs", group.for_job) }, group.for_job)],
    ),
  );
}
