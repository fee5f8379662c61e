/** Time as the client needs it; replaced in tests so that nothing waits. */

export interface Clock {
  /** Calls once after `milliseconds`; the returned function takes it back. */
  after(milliseconds: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Waits, or rejects with the signal's reason when it aborts first. */
export const pause = (clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
  });
