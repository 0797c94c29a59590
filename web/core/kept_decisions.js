// The latest decisions, as they are told again and again, and older ones that were asked for, in one list.

export const MOST_KEPT = 20000;

export class KeptDecisions {
  #list = []; // the latest first, without gaps but for decisions that nobody can be asked for
  #hasOlder = false; // somebody wanted to see more than the latest
  #process; // that has told them; undefined: a scheduler that does not say

  /** All that are known, now that these are the latest. Numbers begin anew with each process of the scheduler. */
  with(latest, process) {
    const newest = latest[0].number;
    const earliest = latest.at(-1).number;
    const isAnother = !this.isOf(process) || (this.#list.length > 0 && newest < this.#list[0].number);
    this.#process = process;
    const hasGap = this.#list.length > 0 && this.#list[0].number < earliest; // there may be some between that nobody has seen
    if (isAnother || hasGap) this.#hasOlder = false;
    const older = this.#hasOlder ? this.#list.filter((one) => one.number < earliest) : [];
    this.#list = [...latest, ...older].slice(0, MOST_KEPT);
    return this.#list;
  }

  /** Whether numbers of this process can be compared with those that are known. */
  isOf(process) {
    return process === this.#process;
  }

  get earliest() {
    return this.#list.at(-1)?.number;
  }

  /** Older ones than all others; false: there is no room for all of them. */
  add(older) {
    const earliest = this.earliest;
    const all = [...this.#list, ...older.filter((one) => one.number < earliest)];
    this.#hasOlder = true;
    this.#list = all.slice(0, MOST_KEPT);
    return all.length <= MOST_KEPT;
  }
}
