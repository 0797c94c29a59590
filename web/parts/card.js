// A titled part of a page.

import { h } from "../core/dom.js";

let number = 0;

/** A section with a heading that names it for screen readers, too. `aside` stands to the right of the heading. */
export function card(title, { aside, wide = false } = {}, ...children) {
  const id = `card-${++number}`;
  return h(
    wide ? "section.card.wide" : "section.card",
    { "aria-labelledby": id },
    h("header", {}, h("h2", { id }, title), aside),
    children,
  );
}

/** A figure with what it is. */
export const figure = (label, value, note) => h("div.figure", {}, h("dt", {}, label), h("dd", {}, value, note && h("small", {}, note)));

/** The heading of a page. */
export const heading = (title, ...beside) => h("header.heading", {}, h("h1", {}, title), beside);
