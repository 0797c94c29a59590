// The shell: which page is shown, and what holds for all of them.

import { here } from "./core/address.js";
import { keepToken } from "./core/api.js";
import { fill, h } from "./core/dom.js";
import { begin, hurry } from "./core/live.js";
import { beginTheme } from "./core/theme.js";
import { tokenForm } from "./parts/token_form.js";
import { clock, count, sentence } from "./core/amounts.js";

// The name in the address, the name in the menu, the module, and the one for a thing of its kind.
const PAGES = [
  ["", "Overview", () => import("./pages/overview.js")],
  ["jobs", "Jobs", () => import("./pages/jobs.js"), () => import("./pages/job.js")],
  ["queues", "Queues", () => import("./pages/queues.js")],
  ["nodes", "Nodes", () => import("./pages/nodes.js"), () => import("./pages/node.js")],
  ["decisions", "Decisions", () => import("./pages/decisions.js")],
  ["cycles", "Cycles", () => import("./pages/cycles.js")],
  ["configuration", "Configuration", () => import("./pages/configuration.js")],
  ["whatif", "What if", () => import("./pages/what_if.js")],
];

// What is at an address that no page has.
const NOWHERE = ["nowhere", "No such page", () => import("./pages/nowhere.js")];

const main = document.getElementById("main");
const banner = document.getElementById("banner");
const tokenField = tokenForm(useToken);
let leave = new AbortController();

/**
 * Shows the page of the address. A page's module has show(element, {name, query, signal}), which fills the element and ends with the
 * signal; `fillsScreen` says that it scrolls inside.
 */
async function show() {
  const { parts, query } = here();
  const [key, title, list, one] = PAGES.find(([name]) => name === (parts[0] ?? "")) ?? NOWHERE;
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const name = parts.slice(key === "nowhere" ? 0 : 1).join("/");
  const page = await (name && one ? one() : list());
  if (signal.aborted) return;
  document.title = `${name || title} · muster`;
  mark(key);
  fill(main);
  main.className = `page-${key || "overview"}`;
  main.dataset.path = parts.join("/");
  document.body.classList.toggle("fills-screen", Boolean(page.fillsScreen));
  page.show(main, { name, query, signal });
}

function mark(current) {
  for (const link of document.querySelectorAll("#pages a")) {
    if (link.dataset.page !== current) {
      link.removeAttribute("aria-current");
      continue;
    }
    link.setAttribute("aria-current", "page");
    link.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone the menu is wider than the screen
  }
}

/** What a reader has to know on every page: that figures are live, or why they are not, and from when they are. */
function tellState(answer, { streaming, stale, hasOtherViews }) {
  if (hasOtherViews && main.dataset.path !== undefined) show();
  const trouble = troubleOf(answer);
  const isLive = !trouble && !stale;
  const live = document.getElementById("live");
  live.dataset.is = isLive ? "on" : "off";
  document.body.classList.toggle("is-stale", Boolean(stale));
  setText(live, isLive ? `cycle ${count(answer.data.cycle)}, ${streaming ? "live" : "every 2 s"}` : "not live");
  setText(banner, [trouble?.text ?? (stale && delayText(stale)), stale && agedText(stale)].filter(Boolean).join(" "));
  if (answer.kind === "told") closeTokenForm();
  else if (trouble.needsToken) tokenField.hidden = false; // who types while the scheduler is lost goes on
}

function closeTokenForm() {
  const wasUsed = tokenField.contains(document.activeElement);
  tokenField.hidden = true;
  if (wasUsed) main.focus({ preventScroll: true });
}

function useToken(token) {
  keepToken(token);
  setText(banner, ""); // so that it is read out again when this one is refused, too
  hurry();
}

/** What is read out when it changes must not be set to what it is. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const delayText = ({ text }) => sentence(`Not everything is told at present, and is asked for again: ${text}`);

const agedText = ({ since }) => `What is shown is of ${clock(since)}.`;

function troubleOf(answer) {
  if (answer.kind !== "told")
    return { text: sentence(answer.text ?? "There is no such API at this address"), needsToken: answer.needsToken };
  const { synced, leading, leader, evictions_stopped: stopped } = answer.data;
  if (!synced) return { text: "The scheduler is still reading the cluster. Figures come when it has read everything." };
  if (!leading) return { text: `This process does not lead${leader ? `; ${leader} does` : ""}. It shows only its own decisions.` };
  if (stopped)
    return { text: "Nobody is evicted at present: what the scheduler remembers did not agree with the cluster. Its log tells more." };
  return null;
}

fill(
  document.getElementById("pages"),
  PAGES.map(([key, title]) => h("a", { href: `#/${key}`, "data-page": key }, title)),
);
banner.after(tokenField);
beginTheme(document.getElementById("theme"));
addEventListener("hashchange", async () => {
  await show();
  main.focus({ preventScroll: true }); // a screen reader goes on at the new page, not in the menu
  scrollTo(0, 0);
});
await begin(tellState);
await show();
