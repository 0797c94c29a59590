// The state of a job as a word with a colour.

import { h } from "../core/dom.js";

export const STATES = ["waiting", "pipelined", "partial", "placed", "running", "ending", "finished"];

export const STATE_MEANINGS = {
  waiting: "it waits",
  pipelined: "it has been given room that others are leaving",
  partial: "its minimum has nodes, other pods wait",
  placed: "every pod was given a node in this cycle",
  running: "every pod has its node",
  ending: "every pod has ended or is being deleted",
  finished: "every pod has ended",
};

export const stateBadge = (state) => h("span.state", { "data-state": state, title: STATE_MEANINGS[state] }, state);
