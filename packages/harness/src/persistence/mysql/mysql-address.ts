/** Reads the address of a MySQL or MariaDB database. */
import { addressReader } from "../sql/address-reader.js";

/** How a connection is encrypted, as MySQL's own clients call it. */
type SslMode = "disabled" | "required" | "verify_ca" | "verify_identity";

export interface MysqlTls {
  readonly rejectUnauthorized: boolean;
  /** False: the certificate may be another host's. */
  readonly verifyIdentity: boolean;
  /** Texts of PEM files. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface MysqlAddress {
  readonly host: string;
  readonly port: number;
  /** A socket file, in place of host and port. */
  readonly socketPath: string | undefined;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: MysqlTls | undefined;
  /** How messages call the database: the address without its password. */
  readonly name: string;
}

const DEFAULT_PORT = 3306;
const EXAMPLE = "mysql://user:password@127.0.0.1:3306/deerflow";

const SSL_MODES: readonly string[] = [
  "disabled",
  "required",
  "verify_ca",
  "verify_identity",
] satisfies SslMode[];

/** Spellings of other clients, as they are met in addresses. */
const SSL_SPELLINGS: Readonly<Record<string, SslMode>> = {
  true: "verify_identity",
  false: "disabled",
};

/** What may stand behind the question mark. The rest is refused: a misspelt one would be ignored, say `ssl-mod`. */
const PARAMETERS: ReadonlySet<string> = new Set(
  "ssl ssl-mode ssl-ca ssl-cert ssl-key socket charset".split(" "),
);

const { wrong, parse, decoded, fileOf } = addressReader(EXAMPLE);

const isSslMode = (text: string): text is SslMode => SSL_MODES.includes(text);

function sslModeOf(parameters: URLSearchParams): SslMode {
  const spelled = parameters.get("ssl-mode") ?? parameters.get("ssl");
  // As MySQL's own clients do: who names the authority means it to be checked.
  if (spelled === null) return parameters.has("ssl-ca") ? "verify_ca" : "disabled";
  const text = spelled.toLowerCase().replaceAll("-", "_");
  const mode = SSL_SPELLINGS[text] ?? text;
  if (!isSslMode(mode)) throw wrong(`ssl-mode is one of ${SSL_MODES.join(", ")}`);
  return mode;
}

function tlsOf(parameters: URLSearchParams): MysqlTls | undefined {
  const mode = sslModeOf(parameters);
  if (mode === "disabled") return undefined;
  const [ca, cert, key] = ["ssl-ca", "ssl-cert", "ssl-key"].map((name) => fileOf(parameters, name));
  return {
    rejectUnauthorized: mode !== "required",
    verifyIdentity: mode === "verify_identity",
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/**
 * Parses `mysql://user:password@host:port/database`, with `?ssl-mode=verify_identity` (or `verify_ca`, `required`,
 * `disabled`, which is the default), `?ssl-ca=/path/of/authority.pem` and `?socket=/run/mysqld/mysqld.sock`. The
 * charset is utf8mb4 whatever is said.
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
    tls: tlsOf(url.searchParams),
    name: `mysql://${user === "" ? "" : `${user}@`}${place}/${database}`,
  };
}
