// Before submitting: would this job start, where, and who would have to go?

import { href } from "../core/address.js";
import { ask, dialect, tells } from "../core/api.js";
import { count, counted, sentence } from "../core/amounts.js";
import { queueTree } from "../core/cluster.js";
import { fill, h } from "../core/dom.js";
import { barList } from "../parts/bars.js";
import { card, heading } from "../parts/card.js";
import { fellSilent, silence } from "../parts/silence.js";
import { fitsIf } from "./job_fits.js";
import { obstacles, remedies } from "./job_reasons.js";

const DRAFT = "muster-what-if";
const QUESTION = "Would it start?";

/** A gang of two pods in the objects of a dialect. */
function example(dialect, queue) {
  const isKai = dialect === "kai";
  const group = isKai ? "scheduling.run.ai/v2alpha2" : "scheduling.volcano.sh/v1beta1";
  const annotation = isKai ? "pod-group-name" : "scheduling.k8s.io/group-name";
  const pod = (index) => `---
apiVersion: v1
kind: Pod
metadata:
  name: try-${index}
  namespace: default
  annotations: {${annotation}: try}
spec:
  schedulerName: ${isKai ? "kai-scheduler" : "volcano"}
  containers:
    - name: main
      image: example
      resources:
        requests: {cpu: "4", memory: 16Gi}
`;
  return `apiVersion: ${group}
kind: PodGroup
metadata: {name: try, namespace: default}
spec: {queue: ${queue}, minMember: 2}
${pod(0)}${pod(1)}`;
}

export function show(main) {
  const untold =
    "This scheduler does not answer what-if questions. The commands muster schedule and muster explain answer them from files.";
  if (!tells("whatif")) return void fill(main, heading("What if"), silence(untold));
  const text = h("textarea", { id: "what-if-text", rows: "18", spellcheck: "false", autocomplete: "off", oninput: () => keepDraft(text.value) });
  text.value = sessionStorage.getItem(DRAFT) ?? example(dialect(), "default");
  if (sessionStorage.getItem(DRAFT) === null) offerExample(text);
  const result = h(
    "div.stacks",
    { "aria-live": "polite" },
    silence("The answer comes here: whether it would start, where, and who would have to go; if it would wait, why, and what would help."),
  );
  const button = h("button.primary", { type: "submit" }, QUESTION);
  const form = h(
    "form.what-if",
    {
      onsubmit: async (event) => {
        event.preventDefault();
        if (button.getAttribute("aria-disabled")) return;
        button.setAttribute("aria-disabled", "true"); // not disabled: that would lose the focus
        button.textContent = "Being tried …";
        const answer = await ask("whatif", { body: text.value }); // also when the page has been left
        button.removeAttribute("aria-disabled");
        button.textContent = QUESTION;
        if (!fellSilent(result, answer, untold)) fill(result, outcome(answer.data));
      },
    },
    h("label", { for: "what-if-text" }, "The job's objects in YAML or JSON, as they would be applied. Nothing is created."),
    text,
    h("p", {}, button),
  );
  fill(main, heading("What if"), h("div.asked-and-told", {}, form, result));
}

/** In this tab, also when the page is left or loaded anew. Who deletes everything gets the example again. */
function keepDraft(text) {
  try {
    if (text) sessionStorage.setItem(DRAFT, text);
    else sessionStorage.removeItem(DRAFT);
  } catch {
    sessionStorage.removeItem(DRAFT); // there is no room for it, and an older one would be taken for it
  }
}

/** The example asks for a queue that exists, where it is not the usual one. Nothing that somebody typed is lost. */
async function offerExample(text) {
  const before = text.value;
  const answer = await ask("queues");
  const queue = answer.kind === "told" && queueForExample(answer.data.queues);
  if (queue && text.value === before) text.value = example(dialect(), queue);
}

function queueForExample(queues) {
  const leaves = queueTree(queues).filter(({ queue }) => !queues.some((other) => other.parent === queue.queue));
  const names = leaves.filter(({ queue }) => (queue.state ?? "Open") === "Open").map(({ queue }) => queue.queue);
  return names.includes("default") ? "default" : names[0];
}

const VERDICTS = { starts: "It would start at once.", evicts: "It would start when others have made way.", waits: "It would wait." };

const MOST_NAMED = 5;

/** Without `cycle` it started in none. */
const hasStarted = (job) => job.cycle !== undefined;

function outcome({ jobs, notes = [] }) {
  return [jobs.map(answerOn), notes.length > 0 && card("To know about this answer", {}, listOf(notes, sentence))];
}

function answerOn(job) {
  const { job: name, verdict, placement: pods, victims: gone = [], left = [], explanation } = job;
  return [
    h(
      "section.verdict",
      { "data-state": verdict === "waits" ? "waiting" : "running", "aria-label": `Verdict on ${name}` },
      h("p.why", {}, verdictOf(job)),
      explanation?.reason.text && h("p", {}, sentence(explanation.reason.text)),
      explanation?.reason.hint && h("p.hint", {}, h("b", {}, "What would help: "), sentence(explanation.reason.hint)),
      h("p.note", {}, name),
    ),
    pods && placement(pods),
    gone.length > 0 && victims(job),
    left.length > 0 && card(`Who would have left by then: ${count(left.length)}`, {}, listOf(left)),
    explanation && (hasStarted(job) ? changesFor(explanation) : [obstacles(explanation), remedies(explanation)]),
  ];
}

function verdictOf(job) {
  const { verdict, left = [] } = job;
  if (verdict !== "waits" || !hasStarted(job) || !left.length) return VERDICTS[verdict];
  const named = left.length > MOST_NAMED ? counted(left.length, "pod") : left.join(", ");
  return `It would wait until ${named} ${left.length === 1 ? "has" : "have"} gone, and then start.`;
}

/** With which it would not have to wait for anybody; nothing was tried for one that starts at once. */
const changesFor = ({ fits_if: changes }) => changes && card("What would make it fit", {}, fitsIf(changes));

const listOf = (items, text = (item) => item) =>
  h(
    "ul",
    {},
    items.map((item) => h("li", {}, text(item))),
  );

function placement(pods) {
  const nodes = new Map();
  for (const node of Object.values(pods)) nodes.set(node, (nodes.get(node) ?? 0) + 1);
  if (!nodes.size) return null;
  return card(
    "Where it would go",
    {},
    barList(
      [...nodes].map(([node, number]) => ({ label: node, href: href("nodes", node), value: number, text: counted(number, "pod") })),
      { caption: "Pods by node" },
    ),
  );
}

/** Evictions for a job that then does not start are told as what they would be: in vain. */
function victims(job) {
  const isInVain = !hasStarted(job);
  return card(
    `${isInVain ? "Who would go for it, in vain" : "Who would have to go"}: ${count(job.victims.length)}`,
    {},
    isInVain && h("p.note", {}, "They would be evicted for it, and it would still wait."),
    h(
      "ul",
      {},
      job.victims.map(({ pod, job: of, node, rule, why }) =>
        h("li", {}, pod, of && [" of ", h("a", { href: href("jobs", of) }, of)], ` from ${node}, by ${rule}: ${why}`),
      ),
    ),
  );
}
