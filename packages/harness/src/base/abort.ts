/** Work that ends at a time limit, or when somebody stops it. */

/** A longer time would end a timer at once. */
export const MOST_MILLISECONDS = 2 ** 31 - 1;

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
  const timer = setTimeout(() => limit.abort(), Math.min(seconds * 1000, MOST_MILLISECONDS));
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
