// Nodes as small squares by where they stand, on one canvas: thousands cost a few milliseconds. With the keyboard one goes from
// square to square; a line below says what the square is, also to screen readers.

import { isLost } from "../core/cluster.js";
import { h, styled } from "../core/dom.js";
import { grouped } from "../core/grouping.js";

const GAP = 2;
const BLOCK_GAP = 12;
const LABEL = 15;
const NARROWEST = 44; // a block with a label
const LARGEST = 40;
const SMALLEST = 6;
const HIGHEST = 330; // pixels, unless the smallest squares need more

/**
 * paint(node) → a colour of the theme by its name, such as "heat-3"; describe(node) → text; open(node) is called for a click or Enter.
 */
export class HeatMap {
  constructor({ label, open, signal }) {
    Object.assign(this, { open, squares: [], current: -1, left: 0 });
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.line = h("output.heat-line", {});
    this.box = h(
      "div.heat-box",
      { role: "application", "aria-label": `${label}. Arrow keys go from node to node, Enter opens one.`, tabindex: "0" },
      this.canvas,
    );
    this.element = h("div.heat", {}, this.box, this.line);
    this.listen(signal);
  }

  listen(signal) {
    this.canvas.addEventListener("pointermove", (event) => this.go(this.at(event)));
    this.canvas.addEventListener("pointerleave", () => this.go(-1));
    this.canvas.addEventListener("click", (event) => this.choose(this.at(event)));
    this.box.addEventListener("focus", () => this.current < 0 && this.go(Math.min(this.left, this.squares.length - 1)));
    this.box.addEventListener("blur", () => this.go(-1));
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
    addEventListener("muster-theme", () => this.draw(), { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), { signal });
  }

  show(nodes, { paint, describe, hint = "" }) {
    Object.assign(this, { blocks: blocksOf(nodes), paint, describe, hint });
    this.draw();
  }

  draw() {
    if (!this.blocks || !this.box.clientWidth) return;
    const layout = fitted(this.blocks, this.box.clientWidth);
    this.squares = layout.squares;
    this.size = layout.size;
    this.context = this.prepared(layout.height);
    this.colour = themeColours(this.box);
    this.drawLabels(layout);
    for (const square of this.squares) this.drawSquare(square);
    this.drawCurrent();
    this.say();
  }

  prepared(height) {
    const scale = devicePixelRatio || 1;
    this.canvas.width = this.box.clientWidth * scale;
    this.canvas.height = height * scale;
    styled(this.canvas, { height: `${height}px` });
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    return context;
  }

  drawLabels(layout) {
    this.context.fillStyle = this.colour("text-quiet");
    this.context.font = "11px system-ui, sans-serif";
    for (const { label, x, y, width } of layout.labels) this.context.fillText(clipped(this.context, label, width), x, y + 10);
  }

  drawSquare({ node, x, y }) {
    const { context, size } = this;
    const name = isLost(node) ? "room-none" : this.paint(node);
    context.fillStyle = context.strokeStyle = this.colour(name);
    context.lineWidth = 1;
    if (name.endsWith("-none"))
      context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1); // it has nothing that could be full or empty
    else context.fillRect(x, y, size, size);
    if (node.unschedulable || isLost(node)) this.strike(x, y, isLost(node));
  }

  /** A node that is closed to new pods is struck through; one that does not answer, twice. */
  strike(x, y, isTwice) {
    const { context, size } = this;
    context.strokeStyle = this.colour(isTwice ? "bad" : "surface");
    context.lineWidth = Math.max(1.5, size / 8);
    context.beginPath();
    context.moveTo(x, y + size);
    context.lineTo(x + size, y);
    if (isTwice) {
      context.moveTo(x, y);
      context.lineTo(x + size, y + size);
    }
    context.stroke();
  }

  drawCurrent() {
    const square = this.squares[this.current];
    if (!square) return;
    this.context.strokeStyle = this.colour("text");
    this.context.lineWidth = GAP;
    this.context.strokeRect(square.x - GAP / 2, square.y - GAP / 2, this.size + GAP, this.size + GAP);
  }

  /** Moves the frame: what is beside the two squares is not drawn again. */
  go(index) {
    if (index === this.current) return;
    const before = this.squares[this.current];
    if (before) {
      this.context.clearRect(before.x - GAP, before.y - GAP, this.size + 2 * GAP, this.size + 2 * GAP);
      this.drawSquare(before);
    }
    this.current = index;
    this.drawCurrent();
    this.say();
  }

  say() {
    const square = this.squares[this.current];
    const text = square ? [...(square.node.domains ?? []), this.describe(square.node)].join(" · ") : this.hint;
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  choose(index) {
    if (this.squares[index]) this.open(this.squares[index].node);
  }

  at(event) {
    const { offsetX: x, offsetY: y } = event;
    return this.squares.findIndex(
      (square) => x >= square.x && x < square.x + this.size + GAP && y >= square.y && y < square.y + this.size + GAP,
    );
  }

  onKey(event) {
    if (event.key === "Enter") return this.choose(this.current);
    const square = this.squares[this.current] ?? this.squares[0];
    if (!square) return;
    const next = {
      ArrowRight: () => this.current + 1,
      ArrowLeft: () => this.current - 1,
      ArrowDown: () => this.beside(square, 1),
      ArrowUp: () => this.beside(square, -1),
      Home: () => 0,
      End: () => this.squares.length - 1,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    this.left = Math.min(this.squares.length - 1, Math.max(0, next())); // where the keyboard comes back to
    this.go(this.left);
  }

  /** The nearest square of another row, in a direction. */
  beside(from, direction) {
    const distance = ({ x, y }) => (direction * (y - from.y) <= 0 ? Infinity : Math.abs(y - from.y) * 4 + Math.abs(x - from.x));
    let best = this.current;
    for (const [index, square] of this.squares.entries()) {
      if (distance(square) < (best === this.current ? Infinity : distance(this.squares[best]))) best = index;
    }
    return best;
  }
}

/** Colours of the theme as a canvas understands them, which does not know light-dark(): asked of an element, each once. */
function themeColours(parent) {
  const known = new Map();
  return (name) => {
    if (!known.has(name)) {
      const probe = styled(h("i", {}), { color: `var(--${name})` });
      parent.append(probe);
      known.set(name, getComputedStyle(probe).color);
      probe.remove();
    }
    return known.get(name);
  };
}

/** Nodes that stand together, by the narrowest domain; one block without a name where the scheduler does not tell domains. */
export function blocksOf(nodes) {
  const blocks = grouped(nodes, (node) => (node.domains ?? []).join(" / "));
  return [...blocks]
    .map(([label, members]) => ({ label, nodes: members }))
    .sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
}

/** The layout with the largest squares that are not too high. Only the blocks are laid out to find it: squares are many. */
function fitted(blocks, width) {
  let size = LARGEST;
  while (size > SMALLEST && placed(blocks, width, size).height > HIGHEST) size -= 2;
  const { places, height } = placed(blocks, width, size);
  return { ...filled(places, size), size, height };
}

/** Where each block begins, and how many columns it has. */
function placed(blocks, width, size) {
  const step = size + GAP;
  const most = Math.max(1, Math.floor((width + GAP) / step));
  const places = [];
  let x = 0,
    y = 0,
    lineHeight = 0;
  for (const block of blocks) {
    const columns = blocks.length === 1 ? most : Math.min(most, columnsOf(block.nodes.length));
    const head = block.label ? LABEL : 0;
    const blockWidth = Math.max(columns * step, head ? NARROWEST : 0);
    if (x > 0 && x + blockWidth > width) [x, y, lineHeight] = [0, y + lineHeight + BLOCK_GAP, 0];
    places.push({ block, columns, x, y, head, width: blockWidth });
    lineHeight = Math.max(lineHeight, head + Math.ceil(block.nodes.length / columns) * step);
    x += blockWidth + BLOCK_GAP;
  }
  return { places, height: Math.max(step, y + lineHeight) + GAP };
}

/** Twice as wide as high, or a bit more or less if that leaves no gap in the last line. */
function columnsOf(number) {
  const wished = Math.sqrt(number * 2);
  for (let off = 0; off <= wished / 2; off += 1)
    for (const columns of [Math.ceil(wished) + off, Math.ceil(wished) - off]) if (number % columns === 0) return columns;
  return Math.ceil(wished);
}

function filled(places, size) {
  const step = size + GAP;
  const squares = [];
  const labels = [];
  for (const { block, columns, x, y, head, width } of places) {
    if (block.label) labels.push({ label: block.label.split(" / ").at(-1), x, y, width: width + BLOCK_GAP - 4 });
    for (const [index, node] of block.nodes.entries()) {
      squares.push({ node, x: x + (index % columns) * step, y: y + head + Math.floor(index / columns) * step });
    }
  }
  return { squares, labels };
}

function clipped(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  while (text && context.measureText(`${text}…`).width > width) text = text.slice(0, -1);
  return text ? `${text}…` : "";
}
