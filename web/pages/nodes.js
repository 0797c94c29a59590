// All nodes with what is used and free of each resource.

import { href, remember } from "../core/address.js";
import { amount, count, percent } from "../core/amounts.js";
import { of, resourcesOf } from "../core/cluster.js";
import { fill, h, styled } from "../core/dom.js";
import { follow } from "../core/live.js";
import { heading } from "../parts/card.js";
import { choice, searchField } from "../parts/controls.js";
import { fellSilent, waiting } from "../parts/silence.js";
import { VirtualTable, shownOf } from "../parts/virtual_table.js";

const SHOWN = 4; // as many resources fit beside each other
const KINDS = [
  ["", "all"],
  ["free", "with something free"],
  ["whole", "untouched"],
  ["full", "full"],
  ["closed", "closed to new pods"],
];

export const fillsScreen = true;

export function show(main, { query, signal }) {
  const wanted = { search: query.get("search") ?? "", kind: query.get("kind") ?? "" };
  const want = (key) => (value) => {
    wanted[key] = value;
    remember({ [key]: value });
    draw();
  };
  const body = h("div.fills", {}, waiting());
  fill(
    main,
    heading("Nodes"),
    h(
      "div.controls",
      {},
      searchField("Search nodes", wanted.search, want("search"), signal),
      choice("Show", KINDS, wanted.kind, want("kind")),
    ),
    body,
  );

  let table = null;
  let nodes = [];
  let resources = [];
  function draw() {
    const rows = filtered(nodes, wanted, resources[0]);
    table?.show(rows, shownOf(rows.length, nodes.length, "nodes"));
  }

  follow("nodes", signal, (answer) => {
    if (fellSilent(body, answer, "This scheduler does not tell its nodes.")) return void (table = null);
    nodes = answer.data.nodes;
    const known = resourcesOf(nodes)
      .filter((name) => name !== "pods")
      .slice(0, SHOWN);
    if (!table || known.join() !== resources.join()) {
      resources = known;
      table = new VirtualTable({
        label: "Nodes",
        columns: columns(nodes, resources),
        href: (node) => href("nodes", node.node),
        sort: query.get("sort"),
        onSort: (sort) => remember({ sort }),
        signal,
      });
      fill(body, table.element);
    }
    draw();
  });
}

function filtered(nodes, { search, kind }, resource) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted =
    {
      "": () => true,
      free: (node) => of(node, resource).idle > 0,
      whole: (node) => of(node, resource).allocatable > 0 && of(node, resource).used <= 0,
      full: (node) => of(node, resource).allocatable > 0 && of(node, resource).idle <= 0,
      closed: (node) => node.unschedulable,
    }[kind] ?? (() => true);
  return nodes.filter(
    (node) => isWanted(node) && words.every((word) => `${node.node} ${(node.domains ?? []).join(" ")}`.toLowerCase().includes(word)),
  );
}

function columns(nodes, resources) {
  const hasDomains = nodes.some((node) => node.domains?.length);
  return [
    { key: "node", title: "Node", width: "minmax(9rem, 2fr)", cell: (node) => node.node, order: (node) => node.node },
    ...(hasDomains
      ? [
          {
            key: "place",
            title: "Place",
            width: "minmax(7rem, 1.5fr)",
            isMinor: true,
            cell: (node) => (node.domains ?? []).join(" / "),
            order: (node) => (node.domains ?? []).join("/"),
          },
        ]
      : []),
    { key: "pods", title: "Pods", width: "4.5rem", isNumber: true, cell: (node) => count(node.pods), order: (node) => node.pods },
    ...resources.map((resource, index) => ({
      key: resource,
      title: `${resource} used`,
      width: "minmax(8rem, 1.4fr)",
      isMinor: index > 0,
      isNumber: true,
      cell: (node) => meter(resource, of(node, resource)),
      order: (node) => share(of(node, resource)),
    })),
    {
      key: "state",
      title: "State",
      width: "5.5rem",
      isMinor: true,
      cell: (node) => (node.unschedulable ? h("span.tag", {}, "closed") : ""),
      order: (node) => Number(node.unschedulable),
    },
  ];
}

const share = ({ allocatable, used }) => (allocatable > 0 ? used / allocatable : undefined);

function meter(resource, { allocatable, used }) {
  if (allocatable <= 0) return "";
  const fillBar = styled(h("span.bar-fill", {}), { width: `${Math.min(100, (100 * used) / allocatable)}%` });
  return h(
    "span.meter",
    { title: percent(used, allocatable) },
    `${amount(resource, used)} / ${amount(resource, allocatable)}`,
    h("span.bar-track", { "aria-hidden": "true" }, fillBar),
  );
}
