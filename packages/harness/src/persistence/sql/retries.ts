/** Runs again what failed for a reason that passes. */

/**
 * Why another try may succeed: two transactions held what the other wanted, both chose one key, another one holds a
 * row for long, or the connection is gone.
 */
export type Passing = "deadlock" | "key_taken" | "lock_wait" | "broken";

interface Patience {
  /** Tries in all. */
  readonly tries: number;
  readonly firstPauseMs: number;
  /** Pauses double up to this one. */
  readonly longestPauseMs: number;
}

const PATIENCE: Readonly<Record<Passing, Patience>> = {
  // The database ends one of the two at once, and the other is soon done.
  deadlock: { tries: 12, firstPauseMs: 5, longestPauseMs: 500 },
  // Who pauses longer than the others write is late each time: soon again, and often.
  key_taken: { tries: 60, firstPauseMs: 2, longestPauseMs: 40 },
  // Each try has waited in the database already.
  lock_wait: { tries: 3, firstPauseMs: 5, longestPauseMs: 5 },
  // About as long as a server takes to start again.
  broken: { tries: 10, firstPauseMs: 50, longestPauseMs: 2_000 },
};

export type Sleep = (milliseconds: number) => Promise<unknown>;

export interface RetryOptions {
  /** Why another try may succeed; undefined where it would not. */
  readonly passingOf: (error: unknown) => Passing | undefined;
  readonly sleep: Sleep;
  /** From 0 up to 1: spreads the pauses of those who failed together. `Math.random` by default. */
  readonly random?: () => number;
}

/** The pause before try number `next` (2 is the first one again); undefined when patience is at its end. */
export function pauseBefore(next: number, passing: Passing): number | undefined {
  const { tries, firstPauseMs, longestPauseMs } = PATIENCE[passing];
  return next > tries ? undefined : Math.min(firstPauseMs * 2 ** (next - 2), longestPauseMs);
}

/** Runs `attempt` until it succeeds, fails for good, or has failed too often; then rejects with the last failure. */
export async function retrying<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const random = options.random ?? Math.random;
  for (let next = 2; ; next += 1) {
    try {
      return await attempt();
    } catch (error) {
      const passing = options.passingOf(error);
      const pause = passing && pauseBefore(next, passing);
      if (pause === undefined) throw error;
      await options.sleep(pause * (0.5 + random()));
    }
  }
}
