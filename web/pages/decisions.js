// Every bind and eviction of late: what, where, under which rule, for whom and why.

import { href } from "../core/address.js";
import { clock, count } from "../core/amounts.js";
import { whyEvicted } from "../core/cluster.js";
import { h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { ListPage } from "../parts/list_page.js";

const KINDS = [
  ["", "all"],
  ["bind", "binds"],
  ["evict", "evictions"],
];

export const fillsScreen = true;

export function show(main, { query, signal }) {
  const page = new ListPage(
    main,
    { query, signal },
    {
      title: "Decisions",
      what: "decisions, the latest first",
      search: "Search pods, jobs, nodes and rules",
      choices: [["kind", "Show", KINDS]],
      columns: () => COLUMNS,
      href: (one) => href("jobs", one.job),
      isWanted: (one, { kind }) => !kind || one.kind === kind,
      textOf: (one) => Object.values(one).join(" "),
      untold: "This scheduler does not tell its decisions.",
      nothing: "Nothing was bound or evicted since this process began.",
    },
  );
  follow("decisions", signal, (answer) => page.show(answer, ({ decisions }) => decisions));
}

const COLUMNS = [
  { key: "pod", title: "Pod", width: "minmax(9rem, 2fr)", cell: (one) => one.pod, order: (one) => one.pod },
  {
    key: "kind",
    title: "What",
    width: "5.5rem",
    cell: (one) => h("span.state", { "data-kind": one.kind }, one.kind),
    order: (one) => one.kind,
  },
  {
    key: "time",
    title: "When",
    width: "6rem",
    cell: (one) => h("time", { datetime: one.time }, clock(one.time)),
    order: (one) => one.time,
  },
  { key: "node", title: "Node", width: "minmax(6rem, 1fr)", isMinor: true, cell: (one) => one.node, order: (one) => one.node },
  { key: "rule", title: "Rule", width: "6.5rem", isMinor: true, cell: (one) => one.rule, order: (one) => one.rule },
  {
    key: "cycle",
    title: "Cycle",
    width: "5rem",
    isNumber: true,
    isMinor: true,
    cell: (one) => count(one.cycle),
    order: (one) => one.cycle,
  },
  {
    key: "why",
    title: "For whom and why",
    width: "minmax(10rem, 3fr)",
    isLong: true,
    cell: (one, isNarrow) => whyEvicted(one) || (isNarrow ? `by ${one.rule} to ${one.node}` : ""),
    order: whyEvicted,
  },
];
