import { setImmediate as nextTurn } from "node:timers/promises";

/** After so long others get their turn. Milliseconds. */
const LONGEST_TURN = 10;

/** A stretch of work in this process. */
export class Turn {
  #began = performance.now();

  /** Asking costs next to nothing, so that it can be asked about every name. */
  get isOver(): boolean {
    return performance.now() - this.#began > LONGEST_TURN;
  }

  /** Lets others work, and begins anew. */
  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}
