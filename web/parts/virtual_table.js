// A table of any length: only the rows on the screen exist. Rows have one height, so that where a row stands is a multiplication.

import { fill, h, styled } from "../core/dom.js";
import { count } from "../core/amounts.js";

const ROW = 40;
const NARROW_ROW = 68; // on a phone a row has two lines
const SPARE = 8; // rows above and below what is seen, so that a quick scroll does not show a gap

/**
 * columns: [{key, title, width, cell(row, isNarrow) → node or text, below(row) → text of a second, smaller line or nothing,
 *            order(row) → what to sort by, isLong: a line of its own on a phone, isMinor: left out on a phone, isNumber}]
 * href(row): where a row leads; may be left out. id(row): what tells a row from all others, where rows share a link.
 * show(rows, whatIsShown) takes the rows in their natural order.
 */
export class VirtualTable {
  constructor({ label, columns, href, id = href, sort = null, onSort = () => {}, signal }) {
    Object.assign(this, { columns, href, id, onSort, rows: [], natural: [], label, drawn: new WeakMap() });
    this.wanted = sort; // also while no column is called so
    this.sort = readSort(sort, columns);
    this.narrow = matchMedia("(max-width: 700px)");
    this.caption = h("p.table-count", { role: "status" });
    this.head = h("div.head", { role: "rowgroup" });
    this.space = h("div.space", { role: "rowgroup" });
    this.table = h("div.virtual", { role: "table", "aria-label": label, tabindex: "0" }, this.head, this.space);
    this.element = h("div.table-box", {}, this.caption, this.table);
    this.table.addEventListener("scroll", () => this.draw(), { passive: true });
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    this.table.addEventListener("pointerdown", () => (this.isPressed = true));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => this.onRelease()), { signal });
    new ResizeObserver(() => this.draw(true)).observe(this.table);
    this.narrow.addEventListener("change", () => this.relayout(), { signal });
    this.relayout();
  }

  show(rows, text) {
    this.natural = rows;
    this.rows = this.sorted(rows);
    if (this.caption.textContent !== text) this.caption.textContent = text; // it is read out when it changes
    this.table.setAttribute("aria-rowcount", String(rows.length + 1));
    styled(this.space, { height: `${rows.length * this.rowHeight}px` });
    this.draw(true);
  }

  /** Columns come and go with what the rows have; the order, the place and the keyboard stay. */
  change(columns) {
    this.columns = columns;
    this.sort = readSort(this.wanted, columns);
    this.relayout();
  }

  onRelease() {
    this.isPressed = false;
    if (this.isDue) this.draw(true);
    this.isDue = false;
  }

  relayout() {
    this.rowHeight = this.narrow.matches ? NARROW_ROW : ROW;
    this.visible = this.columns.filter((column) => !(this.narrow.matches && column.isMinor));
    const inLine = this.visible.filter((column) => !(this.narrow.matches && column.isLong));
    const template = inLine.map((column, index) => (this.narrow.matches && index === 0 ? "minmax(0, 1fr)" : column.width)).join(" ");
    styled(this.table, { "--columns": template, "--row": `${this.rowHeight}px` });
    this.drawHead();
    this.show(this.natural, this.caption.textContent);
  }

  drawHead() {
    const cells = this.visible.filter((column) => !(this.narrow.matches && column.isLong)).map((column) => this.headCell(column));
    fill(this.head, h("div.row", { role: "row", "aria-rowindex": "1" }, cells));
  }

  headCell(column) {
    const isSorted = this.sort?.column === column;
    const direction = isSorted ? (this.sort.down ? "descending" : "ascending") : null;
    const content = column.order ? h("button", { type: "button", onclick: () => this.sortBy(column) }, column.title) : column.title;
    return h(column.isNumber ? "div.number" : "div", { role: "columnheader", "aria-sort": direction }, content);
  }

  /** First the way that a column is usually wanted, then the other way, then none. */
  sortBy(column) {
    const firstDown = Boolean(column.isNumber);
    if (this.sort?.column !== column) this.sort = { column, down: firstDown };
    else this.sort = this.sort.down === firstDown ? { column, down: !firstDown } : null;
    this.wanted = this.sort ? `${this.sort.down ? "-" : ""}${column.key}` : "";
    this.onSort(this.wanted);
    this.drawHead();
    this.show(this.natural, this.caption.textContent);
  }

  sorted(rows) {
    if (!this.sort) return rows;
    const { column, down } = this.sort;
    const keys = rows.map((row, index) => ({ row, index, key: column.order(row) }));
    keys.sort((a, b) => compared(a.key, b.key, down) || a.index - b.index);
    return keys.map(({ row }) => row);
  }

  draw(isForced = false) {
    const top = Math.max(0, this.table.scrollTop - this.head.offsetHeight);
    const first = Math.max(0, Math.floor(top / this.rowHeight) - SPARE);
    const last = Math.min(this.rows.length, Math.ceil((top + this.table.clientHeight) / this.rowHeight) + SPARE);
    if (!isForced && first === this.first && last === this.last) return;
    if (isForced && this.isPressed) return void (this.isDue = true); // a click ends on the row on which it began
    const focused = this.focusedIndexNow();
    Object.assign(this, { first, last });
    const indices = Array.from({ length: last - first }, (_, offset) => first + offset);
    if (focused !== null && focused < first) indices.unshift(focused);
    if (focused !== null && focused >= last) indices.push(focused);
    this.space.replaceChildren(...indices.map((index) => this.rowElement(this.rows[index], index)));
    if (focused !== null) this.focusLink(focused);
  }

  /**
   * Where the row that has the keyboard stands among the rows as they are now; where it is gone, the one in its place. It is drawn
   * wherever it is, so that the keyboard is not lost by scrolling.
   */
  focusedIndexNow() {
    const before = this.focusedIndex();
    if (before === null || !this.rows.length) return null;
    const id = this.id(this.drawn.get(this.rowAt(before)));
    const now = this.rows.findIndex((row) => this.id(row) === id);
    return now >= 0 ? now : Math.min(before, this.rows.length - 1);
  }

  rowElement(row, index) {
    const cells = this.visible.map((column) => this.cell(column, row));
    const element = h("div.row", { role: "row", "aria-rowindex": String(index + 2), "data-index": String(index) }, cells);
    this.drawn.set(element, row);
    return styled(element, { transform: `translateY(${index * this.rowHeight}px)` });
  }

  cell(column, row) {
    const content = column.cell(row, this.narrow.matches);
    const isLink = column === this.columns[0] && this.href;
    const below = column.below?.(row);
    return h(
      `div${column.isNumber ? ".number" : ""}${column.isLong ? ".long" : ""}${below ? ".two-lines" : ""}`,
      { role: "cell", title: column.isLong ? String(content) : null },
      isLink ? h("a", { href: this.href(row) }, content) : content,
      below && [" ", h("small", { title: below }, below)],
    );
  }

  rowAt(index) {
    return this.space.querySelector(`[data-index="${index}"]`);
  }

  focusedIndex() {
    const row = document.activeElement?.closest?.(".row");
    return row && this.space.contains(row) ? Number(row.dataset.index) : null;
  }

  /** Up and down go from row to row where rows lead somewhere; everything else scrolls as the browser does. */
  onKey(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (!this.href || !(event.key in steps)) return;
    event.preventDefault();
    const from = this.focusedIndex() ?? (event.key === "ArrowDown" ? (this.first ?? 0) - 1 : (this.last ?? 0));
    this.focusRow(Math.min(this.rows.length - 1, Math.max(0, from + steps[event.key])));
  }

  focusRow(index) {
    const top = index * this.rowHeight;
    const seen = this.table.clientHeight - this.head.offsetHeight;
    if (top < this.table.scrollTop) this.table.scrollTop = top;
    else if (top + this.rowHeight > this.table.scrollTop + seen) this.table.scrollTop = top + this.rowHeight - seen;
    this.draw();
    this.focusLink(index);
  }

  focusLink(index) {
    this.rowAt(index)?.querySelector("a")?.focus({ preventScroll: true }); // whoever has scrolled on stays there
  }
}

function readSort(text, columns) {
  const column = text && columns.find(({ key, order }) => order && key === text.replace(/^-/, ""));
  return column ? { column, down: text.startsWith("-") } : null;
}

/** What is not known comes last, whichever way. */
function compared(a, b, down) {
  if (a === b) return 0;
  if (a === undefined || a === null) return 1;
  if (b === undefined || b === null) return -1;
  return a < b === down ? 1 : -1;
}

/** "10,000 jobs", "312 of 10,000 jobs". */
export const shownOf = (shown, all, what) => (shown === all ? `${count(all)} ${what}` : `${count(shown)} of ${count(all)} ${what}`);
