// All jobs, to search and filter: state, queue, position, wait, and the one reason why each waits.

import { href, remember } from "../core/address.js";
import { count } from "../core/amounts.js";
import { fill, h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { heading } from "../parts/card.js";
import { choice, offer, searchField } from "../parts/controls.js";
import { ago } from "../parts/moment.js";
import { fellSilent, waiting } from "../parts/silence.js";
import { STATES, stateBadge } from "../parts/state_badge.js";
import { VirtualTable, shownOf } from "../parts/virtual_table.js";

export const fillsScreen = true;

export function show(main, { query, signal }) {
  const wanted = {
    search: query.get("search") ?? "",
    state: query.get("state") ?? "",
    queue: query.get("queue") ?? "",
    reason: query.get("reason") ?? "",
  };
  const want = (key) => (value) => {
    wanted[key] = value;
    remember({ [key]: value });
    draw();
  };
  const states = choice("State", [["", "any"], ...STATES.map((state) => [state, state])], wanted.state, want("state"));
  const queues = choice("Queue", chosenOrAny(wanted.queue), wanted.queue, want("queue"));
  const reasons = choice("Reason", chosenOrAny(wanted.reason), wanted.reason, want("reason"));
  const search = searchField("Search jobs, queues and reasons", wanted.search, want("search"), signal);
  const note = h(
    "p.note",
    { hidden: true },
    "This scheduler does not tell positions and waiting times of all jobs. The page of a job tells its position.",
  );
  const body = h("div.fills", {}, waiting());
  fill(main, heading("Jobs"), h("div.controls", {}, search, states, queues, reasons), note, body);

  let table = null;
  let jobs = [];
  let toldPlace = false;
  function draw() {
    const rows = filtered(jobs, wanted);
    table?.show(rows, shownOf(rows.length, jobs.length, "jobs"));
  }

  follow("jobs", signal, (answer) => {
    if (fellSilent(body, answer, "This scheduler does not tell its jobs.")) return void (table = null);
    jobs = answer.data.jobs;
    const tellsPlace = jobs.some((job) => job.position !== undefined || job.since !== undefined);
    if (!table || tellsPlace !== toldPlace) {
      toldPlace = tellsPlace;
      table = new VirtualTable({
        label: "Jobs",
        columns: columns(tellsPlace),
        href: (job) => href("jobs", job.job),
        sort: query.get("sort"),
        onSort: (sort) => remember({ sort }),
        signal,
      });
      fill(body, table.element);
    }
    note.hidden = tellsPlace || !jobs.length;
    offer(queues, [["", "any"], ...valuesOf(jobs, (job) => job.queue)]);
    offer(reasons, [["", "any"], ...valuesOf(jobs, (job) => job.reason.code !== "none" && job.reason.code)]);
    draw();
  });
}

const chosenOrAny = (chosen) => [["", "any"], ...(chosen ? [[chosen, chosen]] : [])];

const valuesOf = (jobs, look) =>
  [...new Set(jobs.map(look))]
    .filter(Boolean)
    .sort()
    .map((value) => [value, value]);

/** The jobs that are wanted. What a search looks at is put together once per job. */
function filtered(jobs, { search, state, queue, reason }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return jobs.filter(
    (job) =>
      (!state || job.state === state) &&
      (!queue || job.queue === queue) &&
      (!reason || job.reason.code === reason) &&
      words.every((word) => haystack(job).includes(word)),
  );
}

const haystacks = new WeakMap();

function haystack(job) {
  let text = haystacks.get(job);
  if (text === undefined)
    haystacks.set(job, (text = `${job.job} ${job.queue} ${job.state} ${job.reason.code} ${job.reason.text}`.toLowerCase()));
  return text;
}

const columns = (tellsPlace) => [
  { key: "job", title: "Job", width: "minmax(10rem, 2fr)", cell: (job) => job.job, order: (job) => job.job },
  { key: "state", title: "State", width: "6.5rem", cell: (job) => stateBadge(job.state), order: (job) => STATES.indexOf(job.state) },
  { key: "queue", title: "Queue", width: "minmax(7rem, 1.3fr)", isMinor: true, cell: (job) => job.queue, order: (job) => job.queue },
  ...(tellsPlace
    ? [
        {
          key: "position",
          title: "Position",
          width: "5.5rem",
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
    cell: ({ pods }) => `${count(pods.placed)}/${count(pods.total)}`,
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
