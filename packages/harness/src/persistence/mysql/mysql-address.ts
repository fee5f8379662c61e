/** Reads the address of a MySQL or MariaDB database. */
import { DeerflowError } from "../../base/errors.js";

/** How a connection is encrypted, as MySQL's own clients call it. */
type SslMode = "disabled" | "required" | "verify_ca" | "verify_identity";

export interface MysqlAddress {
  readonly host: string;
  readonly port: number;
  /** A socket file, in place of host and port. */
  readonly socketPath: string | undefined;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl: { readonly rejectUnauthorized: boolean; readonly verifyIdentity: boolean } | undefined;
  /** How messages call the database: the address without its password. */
  readonly name: string;
}

const DEFAULT_PORT = 3306;
const EXAMPLE = "mysql://user:password@127.0.0.1:3306/deerflow";

const SSL: Readonly<Record<SslMode, MysqlAddress["ssl"]>> = {
  disabled: undefined,
  required: { rejectUnauthorized: false, verifyIdentity: false },
  verify_ca: { rejectUnauthorized: true, verifyIdentity: false },
  verify_identity: { rejectUnauthorized: true, verifyIdentity: true },
};

/** Spellings of other clients, as they are met in addresses. */
const SSL_SPELLINGS: Readonly<Record<string, SslMode>> = {
  true: "verify_identity",
  false: "disabled",
};

const wrong = (reason: string): DeerflowError =>
  new DeerflowError("database_address_invalid", { reason, example: EXAMPLE });

const isSslMode = (text: string): text is SslMode => text in SSL;

function sslOf(text: string): MysqlAddress["ssl"] {
  const spelled = text.toLowerCase().replaceAll("-", "_");
  const mode = SSL_SPELLINGS[spelled] ?? spelled;
  if (!isSslMode(mode)) throw wrong(`ssl-mode is one of ${Object.keys(SSL).join(", ")}`);
  return SSL[mode];
}

/** What may stand behind the question mark. The rest is refused: a misspelt one would be ignored, say `ssl-mod`. */
const PARAMETERS = new Set(["ssl", "ssl-mode", "socket", "charset"]);

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The parser's own error holds the whole text, and so the password.
    throw wrong("it is not a URL");
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong("a % in it is not followed by two hexadecimal digits");
  }
}

/**
 * Parses `mysql://user:password@host:port/database`, with `?ssl-mode=verify_identity` (or `verify_ca`, `required`,
 * `disabled`) and `?socket=/run/mysqld/mysqld.sock`. The charset is utf8mb4 whatever is said.
 *
 * @throws DeerflowError `database_address_invalid`, which never shows the address
 */
export function parseMysqlAddress(text: string): MysqlAddress {
  const url = parse(text);
  if (!["mysql:", "mariadb:"].includes(url.protocol)) throw wrong("it does not begin with mysql://");
  const unknown = [...url.searchParams.keys()].find((key) => !PARAMETERS.has(key));
  if (unknown !== undefined) throw wrong(`it has an unknown parameter, ${unknown}`);
  const database = decoded(url.pathname.slice(1));
  if (database === "") throw wrong("it names no database");
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  const host = decoded(url.hostname).replaceAll(/^\[|\]$/g, "") || "localhost";
  const user = decoded(url.username);
  const socketPath = url.searchParams.get("socket") ?? undefined;
  const place = socketPath ?? `${url.hostname || host}:${port}`;
  return {
    host,
    port,
    socketPath,
    user,
    password: decoded(url.password),
    database,
    ssl: sslOf(url.searchParams.get("ssl-mode") ?? url.searchParams.get("ssl") ?? "disabled"),
    name: `mysql://${user === "" ? "" : `${user}@`}${place}/${database}`,
  };
}
