// The configuration that is in force: every key with its value, where it comes from, and what it means.

import { fill, h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { card, heading } from "../parts/card.js";
import { searchField } from "../parts/controls.js";
import { fellSilent, silence, waiting } from "../parts/silence.js";

export function show(main, { signal }) {
  const hash = h("p.note", {});
  const body = h("div", {}, waiting());
  let answer = null;
  let wanted = "";
  const search = searchField(
    "Search keys and meanings",
    "",
    (value) => {
      wanted = value.toLowerCase();
      draw();
    },
    signal,
  );
  fill(main, heading("Configuration"), hash, body);

  function draw() {
    if (
      !fellSilent(
        body,
        answer,
        "This scheduler does not tell its configuration. The command muster check looks at a file, muster plugins lists every key.",
      )
    ) {
      if (!body.contains(search)) fill(body, h("div.controls", {}, search), h("div.stacks", {}));
      fill(body.lastChild, sections(answer.data, wanted));
    }
  }
  follow("state", signal, (told) => {
    if (told.kind === "told")
      fill(
        hash,
        `${told.data.dialect === "kai" ? "KAI" : "Volcano"}'s dialect`,
        told.data.config_hash && [" · configuration ", h("code", {}, told.data.config_hash)],
      );
  });
  follow("configuration", signal, (told) => {
    const isSame = JSON.stringify(told.data) === JSON.stringify(answer?.data) && told.kind === answer?.kind;
    answer = told;
    if (!isSame) draw();
  });
}

function sections({ text, source, sections: parts }, wanted) {
  const shown = parts
    .map(({ name, meaning, keys }) => ({ name, meaning, keys: keys.filter((key) => matches(key, name, wanted)) }))
    .filter(({ keys, name, meaning }) => keys.length || !wanted || `${name} ${meaning}`.toLowerCase().includes(wanted));
  return [
    !shown.length && silence("No key speaks of that."),
    shown.map(section),
    text && !wanted && card("As it was written", {}, source && h("p.note", {}, source), h("pre", { tabindex: "0" }, text)),
  ];
}

const matches = ({ key, meaning, value }, section, wanted) => `${section} ${key} ${meaning} ${value}`.toLowerCase().includes(wanted);

function section({ name, meaning, keys }) {
  const row = ({ key, value, default: usual, meaning: text, from }) =>
    h(
      "tr",
      { "data-set": from && from !== "default" },
      h("th", { scope: "row" }, h("code", {}, key)),
      h("td", {}, value === "" ? h("span.note", {}, "none") : h("code", {}, String(value))),
      h("td", {}, from ?? ""),
      h("td", {}, text, usual !== undefined && String(usual) !== String(value) && h("small", {}, ` Without it: ${usual}.`)),
    );
  return card(
    name,
    {},
    meaning && h("p.note", {}, meaning),
    keys.length > 0 &&
      h(
        "div.scrolls",
        { tabindex: "0", role: "region", "aria-label": `Keys of ${name}` },
        h(
          "table.plain.keys",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["Key", "Value", "From", "Meaning"].map((title) => h("th", { scope: "col" }, title)),
            ),
          ),
          h("tbody", {}, keys.map(row)),
        ),
      ),
  );
}
