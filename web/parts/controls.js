// Fields above a table or a map.

import { h } from "../core/dom.js";

/** A search field; "/" anywhere on the page goes to it. */
export function searchField(label, value, onInput, signal) {
  const field = h("input", {
    type: "search",
    placeholder: label,
    "aria-label": label,
    title: "The key / leads here",
    value,
    spellcheck: "false",
    autocomplete: "off",
  });
  field.addEventListener("input", () => onInput(field.value));
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
      event.preventDefault();
      field.focus();
    },
    { signal },
  );
  return field;
}

/** A choice of one out of `options`, [value, text] each. */
export function choice(label, options, value, onChange) {
  const field = h(
    "select",
    { onchange: () => onChange(field.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
  return h("label.choice", {}, h("span", {}, label), field);
}

/** Gives a choice new options and keeps what is chosen. */
export function offer(label, options) {
  const field = label.querySelector("select");
  const chosen = field.value;
  if (chosen && !options.some(([key]) => key === chosen)) options = [...options, [chosen, chosen]]; // what filters must be seen
  const known = [...field.options].map((option) => option.value).join("\n");
  if (known === options.map(([key]) => key).join("\n")) return;
  field.replaceChildren(...options.map(([key, text]) => h("option", { value: key, selected: key === chosen }, text)));
}
