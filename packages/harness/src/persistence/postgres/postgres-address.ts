/** Reads the address of a PostgreSQL database. */
import { addressReader } from "../sql/address-reader.js";

/** How a connection is encrypted, as PostgreSQL's own clients call it. */
type SslMode = "disable" | "require" | "verify-ca" | "verify-full";

export interface PostgresTls {
  readonly rejectUnauthorized: boolean;
  /** False: the certificate may be another host's. */
  readonly verifyIdentity: boolean;
  /** Texts of PEM files. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface PostgresAddress {
  /** A host, or the folder of a socket. The driver's own defaults (PGHOST, PGUSER, …) stand in for what is absent. */
  readonly host: string | undefined;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly tls: PostgresTls | undefined;
  /** Binds the login to the certificate. */
  readonly channelBinding: boolean;
  readonly applicationName: string;
  /** How messages call the database: the address without its password. */
  readonly name: string;
}

const DEFAULT_PORT = 5432;
const EXAMPLE = "postgres://user:password@127.0.0.1:5432/deerflow";
const SSL_MODES: readonly string[] = ["disable", "require", "verify-ca", "verify-full"] satisfies SslMode[];

/** Spellings of other clients, as they are met in addresses. */
const SSL_SPELLINGS: Readonly<Record<string, SslMode>> = {
  true: "verify-full",
  "1": "verify-full",
  false: "disable",
  "0": "disable",
  "no-verify": "require",
};

/** What may stand behind the question mark. The rest is refused: a misspelt one would be ignored, say `ssl-mode`. */
const PARAMETERS: ReadonlySet<string> = new Set(
  "ssl sslmode sslrootcert sslcert sslkey channel_binding application_name host port".split(" "),
);

const { wrong, parse, decoded, fileOf } = addressReader(EXAMPLE);

const isSslMode = (text: string): text is SslMode => SSL_MODES.includes(text);

function sslModeOf(parameters: URLSearchParams): SslMode {
  const spelled = parameters.get("sslmode") ?? parameters.get("ssl");
  if (spelled === null) return parameters.has("sslrootcert") ? "verify-ca" : "disable";
  const mode = SSL_SPELLINGS[spelled] ?? spelled;
  if (!isSslMode(mode)) throw wrong(`sslmode is one of ${SSL_MODES.join(", ")}`);
  return mode;
}

function tlsOf(parameters: URLSearchParams): PostgresTls | undefined {
  const mode = sslModeOf(parameters);
  if (mode === "disable") return undefined;
  const [ca, cert, key] = ["sslrootcert", "sslcert", "sslkey"].map((name) => fileOf(parameters, name));
  return {
    // As PostgreSQL's own clients do: who names the authority means it to be checked.
    rejectUnauthorized: mode !== "require" || ca !== undefined,
    verifyIdentity: mode === "verify-full",
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

function portOf(url: URL): number {
  const text = url.port || (url.searchParams.get("port") ?? String(DEFAULT_PORT));
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw wrong("its port is not a number up to 65535");
  return port;
}

function nameOf(place: string, user: string | undefined, database: string | undefined): string {
  const end = database === undefined ? "" : `/${database}`;
  return `postgres://${user === undefined ? "" : `${user}@`}${place}${end}`;
}

/** What PostgreSQL keeps of a name: it would cut off the rest, and others could cut theirs to the same. */
const LONGEST_NAME_BYTES = 63;

/** @throws DeerflowError `database_address_invalid` for a name that no schema can have */
export function requireSchemaName(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes > 0 && bytes <= LONGEST_NAME_BYTES && !name.includes("\0") && !name.startsWith("pg_"))
    return name;
  throw wrong(
    `its schema ${JSON.stringify(name)} must have up to ${LONGEST_NAME_BYTES} bytes, none of them zero, and not begin with pg_`,
  );
}

/**
 * Parses `postgres://user:password@host:port/database`, with `?sslmode=verify-full` (or `verify-ca`, `require`,
 * `disable`, which is the default) and `?host=/var/run/postgresql` for a socket in place of the host.
 *
 * @throws DeerflowError `database_address_invalid`, which never shows the address
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = parse(text);
  if (!["postgres:", "postgresql:"].includes(url.protocol)) throw wrong("it does not begin with postgres://");
  const parameters = url.searchParams;
  const unknown = [...parameters.keys()].find((key) => !PARAMETERS.has(key));
  if (unknown !== undefined) throw wrong(`it has an unknown parameter, ${unknown}`);
  const host = parameters.get("host") ?? (decoded(url.hostname).replaceAll(/^\[|\]$/g, "") || undefined);
  const port = portOf(url);
  const user = decoded(url.username) || undefined;
  const database = decoded(url.pathname.slice(1)) || undefined;
  const shownHost = host?.includes(":") ? `[${host}]` : (host ?? "localhost");
  return {
    host,
    port,
    user,
    password: decoded(url.password) || undefined,
    database,
    tls: tlsOf(parameters),
    channelBinding: ["require", "prefer"].includes(parameters.get("channel_binding") ?? ""),
    applicationName: parameters.get("application_name") ?? "deerflow",
    name: nameOf(`${shownHost}:${port}`, user, database),
  };
}
