// All nodes with what is used and free of each resource.

import { href } from "../core/address.js";
import { amount, count, percent } from "../core/amounts.js";
import { isLost, of, resourcesOf } from "../core/cluster.js";
import { h, styled } from "../core/dom.js";
import { follow } from "../core/live.js";
import { ListPage } from "../parts/list_page.js";
import { nodeTag } from "../parts/node_colours.js";

const SHOWN = 4; // as many resources fit beside each other
const KINDS = [
  ["", "all"],
  ["free", "with something free"],
  ["whole", "untouched"],
  ["full", "full"],
  ["closed", "closed to new pods"],
  ["lost", "not ready"],
];

export const fillsScreen = true;

export function show(main, { query, signal }) {
  let resources = [];
  const page = new ListPage(
    main,
    { query, signal },
    {
      title: "Nodes",
      what: "nodes",
      search: "Search nodes",
      choices: [["kind", "Show", KINDS]],
      columns: (nodes) => columns(nodes, resources),
      href: (node) => href("nodes", node.node),
      isWanted: (node, { kind }) => isOfKind(node, kind, resources[0]),
      textOf: (node) => [node.node, ...(node.domains ?? [])].join(" "),
      untold: "This scheduler does not tell its nodes.",
      nothing: "The cluster has no nodes.",
    },
  );
  follow("nodes", signal, (answer) =>
    page.show(answer, ({ nodes }) => {
      resources = resourcesOf(nodes)
        .filter((name) => name !== "pods")
        .slice(0, SHOWN);
      return nodes;
    }),
  );
}

function isOfKind(node, kind, resource) {
  const { allocatable, used, idle } = of(node, resource);
  if (kind === "free") return idle > 0;
  if (kind === "whole") return allocatable > 0 && used <= 0;
  if (kind === "full") return allocatable > 0 && idle <= 0;
  if (kind === "closed") return node.unschedulable;
  if (kind === "lost") return isLost(node);
  return true;
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
      width: "6rem",
      isMinor: true,
      cell: (node) => nodeTag(node) ?? "",
      order: (node) => (isLost(node) ? 0 : node.unschedulable ? 1 : 2),
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
