/** Which failures of a transaction say that the same one may succeed when it is run again. */
import { DeerflowError } from "../../base/errors.js";
import type { Passing } from "../sql/retries.js";

/** The codes that the drivers give when another transaction was first. */
const OVERTAKEN: ReadonlySet<string> = new Set([
  "SQLITE_CONSTRAINT_PRIMARYKEY",
  "SQLITE_CONSTRAINT_UNIQUE",
  // PostgreSQL: unique_violation, deadlock_detected, serialization_failure.
  "23505",
  "40P01",
  "40001",
  // MySQL; the last: a row changed since the snapshot was taken.
  "ER_DUP_ENTRY",
  "ER_LOCK_DEADLOCK",
  "ER_CHECKREAD",
]);

const isOvertaken = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && OVERTAKEN.has(String(error.code))) || isOvertaken(error.cause));

/** A connection takes about as long to try again by itself where it cannot be made at all. */
const PATIENCE_MS = 10_000;

/** When a transaction failed. */
export interface FailureMoment {
  /** While it was committed, so that what it wrote may be there. */
  readonly committing: boolean;
  /** Milliseconds since its first try began. */
  readonly elapsed: number;
}

/**
 * Why another try may succeed; undefined where it would not.
 *
 * @param error - of a driver, or one of ours with a driver's as its cause
 */
export function passingOf(error: unknown, { committing, elapsed }: FailureMoment): Passing | undefined {
  if (isOvertaken(error)) return "deadlock";
  if (!DeerflowError.is(error) || error.code !== "database_unreachable") return undefined;
  return committing || elapsed > PATIENCE_MS ? undefined : "broken";
}
