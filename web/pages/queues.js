// The tree of queues: what each deserves, holds, was promised, asks for and may hold.

import { fill, h } from "../core/dom.js";
import { follow } from "../core/live.js";
import { heading } from "../parts/card.js";
import { QueueBars } from "./queue_bars.js";

export function show(main, { query, signal }) {
  const bars = new QueueBars({ resource: query.get("queue-resource"), isDetailed: true });
  fill(main, heading("Queues", bars.controls), h("section.card", { "aria-label": "Queues" }, bars.element));
  follow("queues", signal, (answer) => bars.show(answer));
}
