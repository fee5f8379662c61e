/** What the errors of the PostgreSQL driver and of the server mean to us. */
import { DeerflowError, type ErrorCode, reasonOf } from "../../base/errors.js";
import type { Passing } from "../sql/retries.js";

interface Meaning {
  /** States of the server (its manual's appendix "Error Codes"), and codes of Node. */
  readonly codes: readonly string[];
  /** What the driver itself says, which has no code. */
  readonly says?: RegExp;
  /** Why another try may succeed. */
  readonly passing?: Passing;
  readonly is: ErrorCode;
}

const BROKEN = { passing: "broken", is: "database_unreachable" } as const;

/** The first that fits is meant. */
const MEANINGS: readonly Meaning[] = [
  // deadlock_detected, serialization_failure
  { codes: ["40P01", "40001"], passing: "deadlock", is: "database_busy" },
  // lock_not_available: the wait for a lock took too long.
  { codes: ["55P03"], passing: "lock_wait", is: "database_busy" },
  // The network, and a server that is not there yet.
  { codes: ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"], ...BROKEN },
  { codes: ["EHOSTUNREACH", "ENETUNREACH"], ...BROKEN },
  { codes: [], says: /^Connection terminated|^Client (?:has encountered|was closed)/, ...BROKEN },
  { codes: [], says: /^timeout expired$|^Query read timeout$/, ...BROKEN },
  // Connection exceptions.
  { codes: ["08000", "08001", "08003", "08004", "08006"], ...BROKEN },
  // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout, too_many_connections
  { codes: ["57P01", "57P02", "57P03", "57P05", "53300"], ...BROKEN },
  // idle_in_transaction_session_timeout, transaction_timeout: this process was frozen, and its locks were freed.
  { codes: ["25P03", "25P04"], ...BROKEN },
  // invalid_sql_statement_name: something between here and the server gave us another connection.
  { codes: ["26000"], ...BROKEN },
  // A migration changed a table that statements of this connection were planned for.
  { codes: [], says: /^cached plan must not change/, ...BROKEN },
  // A wrong name, a missing socket and a statement that takes too long do not mend themselves, nor do certificates.
  { codes: ["ENOTFOUND", "ENOENT", "EACCES", "57014"], is: "database_unreachable" },
  { codes: ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN"], is: "database_unreachable" },
  { codes: ["UNABLE_TO_VERIFY_LEAF_SIGNATURE"], is: "database_unreachable" },
  { codes: ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY"], is: "database_unreachable" },
  { codes: ["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"], is: "database_unreachable" },
  { codes: [], says: /^The server does not support SSL|establishing an SSL/, is: "database_unreachable" },
  // invalid_password, invalid_authorization_specification, invalid_catalog_name; a login without a password.
  { codes: ["28P01", "28000", "3D000"], says: /^SASL: /, is: "database_login_failed" },
  // insufficient_privilege, disk_full, read_only_sql_transaction
  { codes: ["42501"], is: "database_forbidden" },
  { codes: ["53100"], is: "database_full" },
  { codes: ["25006"], is: "database_read_only" },
  // data_corrupted, index_corrupted
  { codes: ["XX001", "XX002"], is: "database_damaged" },
];

/** What is wrong with a value, by the server's state. */
const REFUSED_VALUES: ReadonlyMap<string, string> = new Map([
  ["22021", "text with a zero character"],
  ["22P05", "text with a character that the encoding of the database lacks"],
  ["22003", "number too large for its column"],
]);

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "");

function meaningOf(error: Error): Meaning | undefined {
  const code = codeOf(error);
  return MEANINGS.find(({ codes, says }) => codes.includes(code) || says?.test(error.message));
}

/** Why another try may succeed; undefined where it would not, and for what did not come from the database. */
export function postgresPassingOf(error: unknown): Passing | undefined {
  // Only what was translated came from the driver: `work` may throw errors with the same codes.
  if (!DeerflowError.is(error) || !(error.cause instanceof Error)) return undefined;
  return meaningOf(error.cause)?.passing;
}

/**
 * Makes the driver's error ours; leaves one that only a program can cause, such as a key that is taken.
 *
 * @param error - thrown by the driver
 * @param seconds - for how long it was tried
 */
export function translatePostgresError(error: unknown, name: string, seconds = 0): unknown {
  if (!(error instanceof Error) || DeerflowError.is(error)) return error;
  const code = codeOf(error);
  const type = REFUSED_VALUES.get(code);
  if (type !== undefined) return new DeerflowError("database_value_invalid", { type }, error);
  const known = meaningOf(error);
  if (known === undefined) return error;
  // An error of several addresses of one host has no text of its own.
  const reason = reasonOf(error) || code;
  return new DeerflowError(
    known.is,
    { path: name, reason, seconds: Math.max(1, Math.round(seconds)) },
    error,
  );
}
