// All jobs, to search and filter: state, queue, position, wait, and the one reason why each waits.

import { href } from "../core/address.js";
import { count } from "../core/amounts.js";
import { otherName } from "../core/cluster.js";
import { follow } from "../core/live.js";
import { ListPage } from "../parts/list_page.js";
import { ago } from "../parts/moment.js";
import { STATES, stateBadge } from "../parts/state_badge.js";

export const fillsScreen = true;

export function show(main, { query, signal }) {
  const page = new ListPage(
    main,
    { query, signal },
    {
      title: "Jobs",
      what: "jobs",
      search: "Search jobs, workloads, queues, reasons",
      choices: [
        ["state", "State", [["", "any"], ...STATES.map((state) => [state, state])]],
        ["queue", "Queue", chosenOrAny(query.get("queue"))],
        ["reason", "Reason", chosenOrAny(query.get("reason"))],
      ],
      sort: "state", // who waits comes first: that is what people look for
      columns,
      href: (job) => href("jobs", job.job),
      isWanted: (job, { state, queue, reason }) =>
        (!state || job.state === state) && (!queue || job.queue === queue) && (!reason || job.reason.code === reason),
      textOf: (job) => `${job.job} ${job.workload ?? ""} ${job.queue} ${job.state} ${job.reason.code} ${job.reason.text}`,
      untold: "This scheduler does not tell its jobs.",
      nothing: "The cluster has no jobs.",
    },
  );
  follow("jobs", signal, (answer) => {
    if (!page.show(answer, ({ jobs }) => jobs)) return;
    const reasonOf = ({ reason }) => reason.code !== "none" && reason.code;
    page.offer("queue", page.rows.map(({ queue }) => queue));
    page.offer("reason", page.rows.map(reasonOf));
  });
}

const chosenOrAny = (chosen) => [["", "any"], ...(chosen ? [[chosen, chosen]] : [])];

/** How many of its pods have a node; once all have ended, how many there were. */
const podsText = ({ state, pods }) => (state === "finished" ? count(pods.total) : `${count(pods.placed)}/${count(pods.total)}`);

/** Position and wait where at least one job has them. */
const columns = (jobs) => [
  { key: "job", title: "Job", width: "minmax(10rem, 1.6fr)", cell: (job) => job.job, below: otherName, order: (job) => job.job },
  { key: "state", title: "State", width: "6.5rem", cell: (job) => stateBadge(job.state), order: (job) => STATES.indexOf(job.state) },
  { key: "queue", title: "Queue", width: "minmax(6rem, 0.8fr)", isMinor: true, cell: (job) => job.queue, order: (job) => job.queue },
  ...(jobs.some((job) => job.position !== undefined || job.since !== undefined)
    ? [
        {
          key: "position",
          title: "Position",
          width: "4.5rem",
          isNumber: true,
          isMinor: true,
          cell: (job) => (job.position === undefined ? "" : count(job.position)),
          order: (job) => job.position,
        },
        {
          key: "wait",
          title: "Wait",
          width: "6.5rem",
          isNumber: true,
          isMinor: true,
          cell: (job) => (job.since ? ago(job.since) : ""),
          order: (job) => job.since && -Date.parse(job.since),
        },
      ]
    : []),
  {
    key: "pods",
    title: "Pods",
    width: "4.5rem",
    isNumber: true,
    cell: podsText,
    order: ({ pods }) => pods.total,
  },
  {
    key: "reason",
    title: "Reason",
    width: "minmax(12rem, 4fr)",
    isLong: true,
    cell: (job, isNarrow) => job.reason.text || (isNarrow ? job.queue : ""),
    order: (job) => job.reason.text,
  },
];
