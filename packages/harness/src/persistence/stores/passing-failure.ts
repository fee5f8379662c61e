/** Which failures of a transaction say that the same one may succeed when it is run again. */
import { DeerflowError } from "../../base/errors.js";
import type { Passing } from "../sql/retries.js";

/** What the codes of the drivers say when another transaction was first. */
const OVERTAKEN: ReadonlyMap<string, Passing> = new Map([
  ["SQLITE_CONSTRAINT_PRIMARYKEY", "key_taken"],
  ["SQLITE_CONSTRAINT_UNIQUE", "key_taken"],
  // PostgreSQL: unique_violation, deadlock_detected, serialization_failure.
  ["23505", "key_taken"],
  ["40P01", "deadlock"],
  ["40001", "deadlock"],
  // MySQL; the last: a row changed since the snapshot was taken.
  ["ER_DUP_ENTRY", "key_taken"],
  ["ER_LOCK_DEADLOCK", "deadlock"],
  ["ER_CHECKREAD", "deadlock"],
]);

function overtakenOf(error: unknown): Passing | undefined {
  if (!(error instanceof Error)) return undefined;
  const known = "code" in error ? OVERTAKEN.get(String(error.code)) : undefined;
  return known ?? overtakenOf(error.cause);
}

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
  const overtaken = overtakenOf(error);
  if (overtaken !== undefined) return overtaken;
  if (!DeerflowError.is(error) || error.code !== "database_unreachable") return undefined;
  return committing || elapsed > PATIENCE_MS ? undefined : "broken";
}
