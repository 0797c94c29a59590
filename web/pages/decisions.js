// Every bind and eviction of late: what, where, under which rule, for whom and why.

import { href, remember } from "../core/address.js";
import { clock, count } from "../core/amounts.js";
import { whyEvicted } from "../core/cluster.js";
import { fill, h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { heading } from "../parts/card.js";
import { choice, searchField } from "../parts/controls.js";
import { fellSilent, waiting } from "../parts/silence.js";
import { VirtualTable, shownOf } from "../parts/virtual_table.js";

const KINDS = [
  ["", "all"],
  ["bind", "binds"],
  ["evict", "evictions"],
];

export const fillsScreen = true;

export function show(main, { query, signal }) {
  const wanted = { search: query.get("search") ?? "", kind: query.get("kind") ?? "" };
  const want = (key) => (value) => {
    wanted[key] = value;
    remember({ [key]: value });
    draw();
  };
  const table = new VirtualTable({
    label: "Decisions",
    columns: COLUMNS,
    href: (one) => href("jobs", one.job),
    sort: query.get("sort"),
    onSort: (sort) => remember({ sort }),
    signal,
  });
  const body = h("div.fills", {}, waiting());
  fill(
    main,
    heading("Decisions"),
    h(
      "div.controls",
      {},
      searchField("Search pods, jobs, nodes and rules", wanted.search, want("search"), signal),
      choice("Show", KINDS, wanted.kind, want("kind")),
    ),
    body,
  );

  let decisions = [];
  function draw() {
    const rows = decisions.filter((one) => (!wanted.kind || one.kind === wanted.kind) && matches(one, wanted.search));
    table.show(rows, shownOf(rows.length, decisions.length, "decisions, the latest first"));
  }

  follow("decisions", signal, (answer) => {
    if (fellSilent(body, answer, "This scheduler does not tell its decisions.")) return;
    decisions = answer.data.decisions;
    if (!body.contains(table.element)) fill(body, table.element);
    draw();
  });
}

function matches(one, search) {
  const text = Object.values(one).join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
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
