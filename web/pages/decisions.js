// Every bind and eviction of late: what, where, under which rule, for whom and why.

import { href } from "../core/address.js";
import { clock, count } from "../core/amounts.js";
import { ask } from "../core/api.js";
import { whyEvicted } from "../core/cluster.js";
import { fill, h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { KeptDecisions, MOST_KEPT } from "../core/kept_decisions.js";
import { ListPage } from "../parts/list_page.js";

const OLDER = "Older decisions";

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
      id: ({ number, cycle, kind, pod }) => number ?? `${cycle} ${kind} ${pod}`, // all pods of a job lead to it
      isWanted: (one, { kind }) => !kind || one.kind === kind,
      textOf: (one) => Object.values(one).join(" "),
      untold: "This scheduler does not tell its decisions.",
      nothing: "Nothing was bound or evicted since this process began.",
    },
  );
  const older = new OlderDecisions(signal);
  page.body.after(older.element);
  let latest = null;
  const draw = () => page.show(latest, ({ decisions, process }) => older.after(decisions, process));
  older.onFound = draw;
  follow("decisions", signal, (answer) => {
    latest = answer;
    draw();
  });
}

/** The latest decisions are followed; those before them are asked for by a button, and stay. */
class OlderDecisions {
  constructor(signal) {
    Object.assign(this, { signal, kept: new KeptDecisions(), onFound: () => {} });
    this.button = h("button", { type: "button", onclick: () => this.look() }, OLDER);
    this.status = h("span.note", { role: "status" });
    this.element = h("p.older", { hidden: true }, this.button, " ", this.status);
  }

  /** All that are known, the latest first. Where decisions have no numbers nobody can ask for others. */
  after(latest, process) {
    const earliest = latest.at(-1)?.number;
    this.element.hidden = earliest === undefined;
    return earliest === undefined ? latest : this.kept.with(latest, process);
  }

  async look() {
    if (this.button.getAttribute("aria-disabled")) return;
    this.button.setAttribute("aria-disabled", "true"); // not disabled: that would lose the focus
    try {
      const answer = await ask(`decisions?before=${this.kept.earliest}`, { signal: this.signal });
      if (answer.kind !== "told") return fill(this.status, answer.text ?? "");
      const { decisions, process } = answer.data;
      if (!this.kept.isOf(process)) return fill(this.status, "Another process of the scheduler answers by now.");
      const isFull = !this.kept.add(decisions);
      fill(this.status, said(decisions.length, isFull));
      this.onFound();
    } catch (error) {
      if (error.name !== "AbortError") throw error; // the page was left
    } finally {
      this.button.removeAttribute("aria-disabled");
    }
  }
}

function said(found, isFull) {
  if (isFull) return `No more than ${count(MOST_KEPT)} are shown here.`;
  return found ? `${count(found)} more.` : "There are no older ones: no more are kept.";
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
