/** Waits for a database that cannot store anything now: full, gone, held by others. */
import { DeerflowError, type ErrorCode } from "../base/errors.js";

/** Failures that somebody can mend while the program goes on. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "database_busy",
  "database_full",
  "database_read_only",
  "database_unreachable",
]);

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export interface UntilStoredOptions {
  /** Ends the waiting: the work fails with what it failed with last. */
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds, or when the signal comes. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Called once, when the first attempt has failed. */
  onWait?(error: DeerflowError): void;
}

/**
 * Does `work` again until the database takes it, with growing pauses.
 *
 * @throws what `work` throws, when it is no failure that passes, or the signal has come
 */
export async function untilStored<T>(work: () => Promise<T>, options: UntilStoredOptions): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!DeerflowError.is(error) || !PASSING.has(error.code) || options.signal.aborted) throw error;
      if (pause === FIRST_PAUSE_MS) options.onWait?.(error);
      await options.wait(pause, options.signal);
    }
  }
}
