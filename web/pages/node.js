// One node: its resources, its devices and its pods.

import { href } from "../core/address.js";
import { amount, count, counted, percent } from "../core/amounts.js";
import { tells } from "../core/api.js";
import { resourcesOf } from "../core/cluster.js";
import { fill, h, styled } from "../core/dom.js";
import { follow } from "../core/live.js";
import { card, heading } from "../parts/card.js";
import { nodeTag } from "../parts/node_colours.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";

const FEW = 64; // as many devices are drawn one by one

export function show(main, { name, signal }) {
  const body = h("div.columns", {}, waiting());
  const tag = h("span", {});
  fill(main, h("p.crumbs", {}, h("a", { href: href("nodes") }, "Nodes")), heading(name, tag), body);
  // Where single nodes are told, with their devices and pods; else what the list has of it.
  follow(tells("node") ? `nodes/${name}` : "nodes", signal, (answer) => {
    if (fellSilent(body, answer, "This scheduler does not tell its nodes.")) return void fill(tag);
    const node = answer.data.nodes ? answer.data.nodes.find((one) => one.node === name) : answer.data;
    fill(tag, node && nodeTag(node));
    if (!node) return void fill(body, silence(`There is no node ${name}.`));
    fill(body, card("Resources", { wide: true }, resourceTable(node)), card("Devices", {}, devices(node)), card("Pods", {}, pods(node)));
  });
}

function resourceTable(node) {
  const row = (name) => {
    const { allocatable, used, idle, releasing } = node.resources[name];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      [allocatable, used, idle, releasing].map((value) => h("td", {}, amount(name, value))),
      h("td", {}, percent(used, allocatable)),
    );
  };
  return [
    node.domains?.length > 0 && h("p", {}, `Stands in ${node.domains.join(" / ")}.`),
    h(
      "div.scrolls",
      { tabindex: "0", role: "region", "aria-label": "Resources" },
      h(
        "table.plain",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Resource", "Has", "Used", "Free", "About to be freed", "In use"].map((title) => h("th", { scope: "col" }, title)),
          ),
        ),
        h("tbody", {}, resourcesOf([node]).map(row)),
      ),
    ),
  ];
}

/** Devices one by one where the scheduler tells them; of what else the node has as many squares, without saying which is whose. */
export function devices(node) {
  const names = resourcesOf([node]).filter((name) => name.includes("/") || name === "gpu");
  const told = node.devices ?? [];
  const rest = names.filter((name) => !told.some((one) => one.resource === name || one.amounts?.[name]));
  if (!names.length && !told.length) return silence("This node has no devices.");
  return [
    told.length > 0 && h("ul.devices", {}, told.map(device)),
    names.some((name) => moreUsed(node, name)) && h("p.note", {}, "This scheduler does not tell which pod has which of the others."),
    ...rest.map((name) => squares(name, node.resources[name])),
    rest.length > 0 && h("p.note", {}, `This scheduler does not tell which pod has which ${told.length ? "of these" : "device"}.`),
  ];
}

/** Whether more of a resource is in use than on the devices of it that are told one by one: whole ones, beside those that are shared. */
function moreUsed({ resources, devices: told = [] }, name) {
  const ofIt = told.filter((one) => one.resource === name && !one.amounts);
  return ofIt.length > 0 && resources[name].used > ofIt.reduce((sum, one) => sum + one.used, 0) + 0.001;
}

function device({ device: id, resource, amounts = {}, pods: holders = [], used = holders.length ? 1 : 0 }) {
  const share = styled(h("span.bar-fill", {}), { width: `${Math.min(100, 100 * used)}%` });
  const inUse = used > 0 ? `${percent(used, 1)} in use` : holders.length ? "in use" : "free";
  return h(
    "li",
    {},
    h("b", {}, id),
    resource && ` ${resource}`,
    h("span.bar-track", { "aria-hidden": "true" }, share),
    h("span.note", {}, [holders.length ? `${inUse} by ${holders.join(", ")}` : inUse, ...Object.entries(amounts).map(partOf)].join("; ")),
  );
}

/** "6,144 of 16,384 vgpu-memory": what dialects count has no unit, what drivers offer is in bytes where it is called memory. */
function partOf([name, { used, total }]) {
  const written = (value) => (name.includes("/") ? count(value) : amount(name, value));
  return `${written(used)} of ${written(total)} ${name.split("/").at(-1)}`;
}

function squares(name, { allocatable, used }) {
  const whole = Math.floor(allocatable);
  const text = `${name}: ${amount(name, used)} of ${amount(name, allocatable)} in use`;
  const square = (index) => styled(h("span.device", {}), { "--used": `${Math.min(1, Math.max(0, used - index)) * 100}%` });
  return h(
    "div.device-row",
    {},
    h("p", {}, text),
    whole <= FEW &&
      h(
        "div.device-squares",
        { "aria-hidden": "true" },
        Array.from({ length: whole }, (_, index) => square(index)),
      ),
  );
}

function pods(node) {
  if (!node.pod_names)
    return h("p", {}, `${counted(node.pods, "pod")}. `, h("span.note", {}, "This scheduler does not tell which they are."));
  return node.pod_names.length
    ? h(
        "ul",
        {},
        node.pod_names.map(({ pod, job }) => h("li", {}, pod, job && [" of ", h("a", { href: href("jobs", job) }, job)])),
      )
    : silence("No pod is here.");
}
