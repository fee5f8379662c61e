/** How a search ends before it has seen everything, and how it lets others work meanwhile. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** At its number of results, at its time, or because the pattern took more memory than a search may have. */
export type SearchStop = "results" | "time" | "memory";

/** The signal of a search's own time limit together with the caller's. */
export const limitedSignal = (seconds: number, signal?: AbortSignal): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(signal === undefined ? [] : [signal])]);

/** Stands for work that the signal was faster than. */
export const ABORTED = Symbol("aborted");

/**
 * What `work` gives, or {@link ABORTED} as soon as the signal is aborted: for work that cannot be stopped itself.
 * Its later failure is then nobody's.
 */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | typeof ABORTED> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(ABORTED);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

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
