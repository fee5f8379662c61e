/** How a search ends before it has seen everything, and how it lets others work meanwhile. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** At its number of results, at its time, or because the pattern took more memory than a search may have. */
export type SearchStop = "results" | "time" | "memory";

/**
 * Runs `work` with a signal that is aborted after so many seconds, or when `signal` is. Not `AbortSignal.any`: what
 * only it holds is collected as garbage in Node 20, and with it the time limit.
 */
export async function withTimeLimit<T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), seconds * 1000);
  const unlink = abortWith(signal, limit);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** Aborts `other` as soon as `signal` is; gives back how to forget about it. */
export function abortWith(signal: AbortSignal | undefined, other: AbortController): () => void {
  const stop = () => other.abort(signal?.reason);
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  return () => signal?.removeEventListener("abort", stop);
}

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
