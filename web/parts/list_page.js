// What pages that are one long list have in common: a search, choices that filter, and a table; all of it in the address.

import { remember } from "../core/address.js";
import { fill, h } from "../core/dom.js";
import { heading } from "./card.js";
import { choice, offer, searchField } from "./controls.js";
import { fellSilent, silence, waiting } from "./silence.js";
import { VirtualTable, shownOf } from "./virtual_table.js";

/**
 * title; what: how its rows are called, "jobs"; search: what can be searched for; choices: [[key, label, options]], where options may be
 * offered later; sort: the order where the address names none; columns(rows), href(row) and id(row) as VirtualTable has them;
 * isWanted(row, wanted), by the choices; textOf(row): what a search looks at; untold, nothing: sentences in the place of rows.
 */
export class ListPage {
  constructor(main, { query, signal }, { title, search, choices, ...rest }) {
    Object.assign(this, { query, signal, rows: [], table: null, texts: new WeakMap() }, rest);
    this.sort = query.get("sort") ?? this.sort;
    this.wanted = { search: query.get("search") ?? "" };
    this.choices = {};
    for (const [key, label, options] of choices) {
      this.wanted[key] = query.get(key) ?? "";
      this.choices[key] = choice(label, options, this.wanted[key], (value) => this.want(key, value));
    }
    this.empty = h("div", {});
    this.body = h("div.fills", {}, waiting());
    const field = searchField(search, this.wanted.search, (value) => this.want("search", value), signal);
    fill(main, heading(title), h("div.controls", {}, field, Object.values(this.choices)), this.body);
  }

  want(key, value) {
    this.wanted[key] = value;
    remember({ [key]: value });
    this.draw();
  }

  /** What can be chosen turns out with the rows; what is chosen stays. */
  offer(key, values) {
    const known = [...new Set(values)].filter(Boolean).sort();
    offer(this.choices[key], [["", "any"], ...known.map((value) => [value, value])]);
  }

  /** Shows an answer; false when it tells nothing. */
  show(answer, rowsOf) {
    if (fellSilent(this.body, answer, this.untold)) {
      this.table = null;
      return false;
    }
    this.rows = rowsOf(answer.data);
    const columns = this.columns(this.rows);
    const keys = columns.map(({ key }) => key).join();
    if (!this.table) this.setTable(columns);
    else if (keys !== this.keys) this.table.change(columns);
    this.keys = keys;
    this.draw();
    return true;
  }

  setTable(columns) {
    this.table = new VirtualTable({
      label: this.what,
      columns,
      href: this.href,
      id: this.id,
      sort: this.sort,
      onSort: (sort) => remember({ sort: (this.sort = sort) }),
      signal: this.signal,
    });
    fill(this.body, this.table.element, this.empty);
  }

  draw() {
    if (!this.table) return;
    const words = this.wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = this.rows.filter((row) => this.isWanted(row, this.wanted) && words.every((word) => this.text(row).includes(word)));
    this.table.show(rows, shownOf(rows.length, this.rows.length, this.what));
    this.table.table.hidden = !rows.length;
    if (rows.length) fill(this.empty);
    else fill(this.empty, silence(this.rows.length ? "Nothing is like that. Search or filter for something else." : this.nothing));
  }

  /** Put together once per row. */
  text(row) {
    let text = this.texts.get(row);
    if (text === undefined) this.texts.set(row, (text = this.textOf(row).toLowerCase()));
    return text;
  }
}
