// Times that say how long ago they were, and go on saying it truly while nothing else on the page changes.

import { clock, since } from "../core/amounts.js";
import { h } from "../core/dom.js";

/** "3 min", with the time of day for who points at it. */
export const ago = (time) => h("time", { datetime: time, title: clock(time), "data-ago": true }, since(time));

setInterval(() => {
  if (document.hidden) return;
  for (const element of document.querySelectorAll("time[data-ago]")) {
    const text = since(element.dateTime);
    if (element.textContent !== text) element.textContent = text;
  }
}, 1000);
