/** Which failures of a transaction say that the same one may succeed when it is run again. */
import { DeerflowError } from "../../base/errors.js";
import type { SqlBackend } from "../sql/contract.js";
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

/**
 * Why another try may succeed; undefined where it would not.
 *
 * @param error - of a driver, or one of ours with a driver's as its cause
 * @param committing - it came while the transaction was committed, so that what it wrote may be there
 */
export function passingOf(
  error: unknown,
  on: { backend: SqlBackend; committing: boolean },
): Passing | undefined {
  if (isOvertaken(error)) return "deadlock";
  // SQLite has waited as long as it should.
  if (!DeerflowError.is(error) || on.backend === "sqlite" || on.committing) return undefined;
  if (error.code === "database_unreachable") return "broken";
  return error.code === "database_busy" ? "lock_wait" : undefined;
}
