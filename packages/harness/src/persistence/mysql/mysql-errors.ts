/** What the errors of the MySQL driver and of the server mean to us. Both servers use the same numbers here. */
import { DeerflowError, type ErrorCode, reasonOf } from "../../base/errors.js";
import type { Passing } from "../sql/retries.js";

interface Meaning {
  /** How the driver calls it. */
  readonly codes: readonly string[];
  /** Why another try may succeed. */
  readonly passing?: Passing;
  readonly is: ErrorCode;
}

const MEANINGS: readonly Meaning[] = [
  {
    // The second: a row changed since the snapshot was taken, which MariaDB may be set to refuse.
    codes: ["ER_LOCK_DEADLOCK", "ER_CHECKREAD"],
    passing: "deadlock",
    is: "database_busy",
  },
  { codes: ["ER_LOCK_WAIT_TIMEOUT", "ER_LOCK_NOWAIT"], passing: "lock_wait", is: "database_busy" },
  {
    codes: [
      "PROTOCOL_CONNECTION_LOST",
      "PROTOCOL_SEQUENCE_TIMEOUT",
      "PROTOCOL_UNEXPECTED_PACKET",
      "ECONNREFUSED",
      "ECONNRESET",
      "EPIPE",
      "ETIMEDOUT",
      "EHOSTUNREACH",
      "ENETUNREACH",
      "EAI_AGAIN",
      "ER_SERVER_SHUTDOWN",
      "ER_SESSION_WAS_KILLED",
      "ER_CLIENT_INTERACTION_TIMEOUT",
      "ER_QUERY_INTERRUPTED",
      "ER_NET_READ_INTERRUPTED",
      "ER_NET_READ_ERROR",
      "ER_NET_WRITE_INTERRUPTED",
      "ER_NET_ERROR_ON_WRITE",
      "ER_CON_COUNT_ERROR",
      "ER_TOO_MANY_USER_CONNECTIONS",
    ],
    passing: "broken",
    is: "database_unreachable",
  },
  // A wrong name and a missing socket do not mend themselves, nor do certificates.
  {
    codes: ["ENOTFOUND", "ENOENT", "EACCES", "HANDSHAKE_NO_SSL_SUPPORT", "HANDSHAKE_SSL_ERROR"],
    is: "database_unreachable",
  },
  {
    codes: [
      "ER_ACCESS_DENIED_ERROR",
      "ER_ACCESS_DENIED_NO_PASSWORD_ERROR",
      "ER_DBACCESS_DENIED_ERROR",
      "ER_BAD_DB_ERROR",
      "ER_HOST_NOT_PRIVILEGED",
      "ER_HOST_IS_BLOCKED",
      "ER_ACCOUNT_HAS_BEEN_LOCKED",
      "ER_MUST_CHANGE_PASSWORD_LOGIN",
      "AUTH_SWITCH_PLUGIN_ERROR",
    ],
    is: "database_login_failed",
  },
  {
    codes: ["ER_TABLEACCESS_DENIED_ERROR", "ER_COLUMNACCESS_DENIED_ERROR", "ER_SPECIFIC_ACCESS_DENIED_ERROR"],
    is: "database_forbidden",
  },
  {
    codes: ["ER_RECORD_FILE_FULL", "ER_DISK_FULL", "ER_TEMP_FILE_WRITE_FAILURE"],
    is: "database_full",
  },
  {
    codes: [
      "ER_OPTION_PREVENTS_STATEMENT",
      "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION",
      "ER_READ_ONLY_MODE",
      "ER_OPEN_AS_READONLY",
    ],
    is: "database_read_only",
  },
];

const MEANING_OF: ReadonlyMap<string, Meaning> = new Map(
  MEANINGS.flatMap((meaning) => meaning.codes.map((code) => [code, meaning] as const)),
);

/** What is wrong with a value. */
const REFUSED_VALUES: ReadonlyMap<string, string> = new Map([
  ["ER_WARN_DATA_OUT_OF_RANGE", "number too large for its column"],
  ["ER_DATA_TOO_LONG", "text or bytes too long for its column"],
]);

/** MariaDB's number for a connection that was killed, which the driver has no name for. */
const CONNECTION_KILLED = 1927;
const BROKEN: Meaning = { codes: [], passing: "broken", is: "database_unreachable" };
const FULL: Meaning = { codes: [], is: "database_full" };

/** What the driver and Node put on an error. */
interface DriverError extends Error {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly sqlState?: unknown;
  readonly fatal?: unknown;
}

function meaningOf(error: DriverError): Meaning | undefined {
  const known = MEANING_OF.get(String(error.code));
  if (known !== undefined) return known;
  // The storage engine quotes the operating system's number for a full disk.
  if (/\b(?:errno:|error) 28 "/.test(error.message)) return FULL;
  if (error.errno === CONNECTION_KILLED) return BROKEN;
  // Whatever else ended the connection; some of these have no code. What the server said has a state.
  return error.fatal === true && error.sqlState === undefined ? BROKEN : undefined;
}

/** Why another try may succeed; undefined where it would not, and for what did not come from the database. */
export function mysqlPassingOf(error: unknown): Passing | undefined {
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
export function translateMysqlError(error: unknown, name: string, seconds = 0): unknown {
  if (!(error instanceof Error) || DeerflowError.is(error)) return error;
  const type = REFUSED_VALUES.get(String((error as DriverError).code));
  if (type !== undefined) return new DeerflowError("database_value_invalid", { type }, error);
  const known = meaningOf(error);
  if (known === undefined) return error;
  // An error of several addresses of one host has no text of its own.
  const reason = reasonOf(error) || String((error as DriverError).code);
  return new DeerflowError(
    known.is,
    { path: name, reason, seconds: Math.max(1, Math.round(seconds)) },
    error,
  );
}
