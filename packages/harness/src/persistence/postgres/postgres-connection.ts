/** The one adapter to pg: a pool of connections with our session settings, and what one of them can do. */
import type { ClientConfig, Pool, PoolClient, QueryResult } from "pg";
import { DeerflowError, type ErrorCode } from "../../base/errors.js";
import type { SqlRow, SqlSession } from "../sql/contract.js";
import { toSqlValues } from "../sql/sql-values.js";
import type { PostgresAddress, PostgresTls } from "./postgres-address.js";
import { translatePostgresError } from "./postgres-errors.js";
import { type PostgresStatement, PostgresStatements } from "./postgres-statements.js";
import { parserOf } from "./postgres-values.js";

/** Runs share their writes, so few connections serve many of them. */
const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** Connections that nobody needs are ended before something in between forgets them. */
const IDLE_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** After it a server that says nothing is taken for gone. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const LOCK_WAIT_MS = 10_000;
/** A process that is frozen amid a transaction loses it, and others get its rows; they wait longer than this. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** Run once on each new connection. */
const settingsFor = (schema: string): string =>
  [
    // Nothing else: a table of another schema must not be taken for one of ours.
    `SET search_path TO ${quotedName(schema)}`,
    `SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
    `SET lock_timeout = ${LOCK_WAIT_MS}`,
    `SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    "SET default_transaction_isolation = 'read committed'",
    "SET client_min_messages = warning",
    // How postgres-values.ts reads bytes.
    "SET bytea_output = 'hex'",
  ].join("; ");

/** After these the connection is not used again. A server that became a read-only copy has a successor elsewhere. */
const GIVEN_UP: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["database_unreachable", "database_read_only"]);
const CHANGING: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** A name as it stands in a statement, whatever is in it. */
export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** What a statement gave: rows, and how many it changed. */
export interface PostgresResult {
  readonly rows: SqlRow[];
  readonly changes: number;
}

const driverTls = ({ verifyIdentity, ...tls }: PostgresTls) => ({
  ...tls,
  ...(verifyIdentity ? {} : { checkServerIdentity: () => undefined }),
});

const clientConfig = (address: PostgresAddress): ClientConfig => ({
  host: address.host,
  port: address.port,
  user: address.user,
  password: address.password,
  database: address.database,
  ssl: address.tls === undefined ? false : driverTls(address.tls),
  enableChannelBinding: address.channelBinding,
  application_name: address.applicationName,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  // Statements are sent without waiting for the answers of those before them.
  pipeline: true,
  // The type of the driver asks for all of its overloads; it calls this with the number of a type.
  types: { getTypeParser: parserOf as NonNullable<ClientConfig["types"]>["getTypeParser"] },
});

async function loadPool(address: PostgresAddress, schema: string): Promise<Pool> {
  const { Client, Pool } = await import("pg");
  const config = clientConfig(address);
  // The pool would take the time to connect as the time that a turn may wait for its connection, too.
  class ConfiguredClient extends Client {
    constructor() {
      super(config);
      // The driver leaves a connection open whose login it gives up by itself, say for want of a password.
      this.connection.on("error", () => this.connection.stream.destroy());
    }
  }
  const pool = new Pool({
    Client: ConfiguredClient,
    max: CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
    // A program that has nothing else to do may end without closing.
    allowExitOnIdle: true,
    async onConnect(client) {
      // Whoever uses the connection learns of its loss from the statement that fails.
      client.on("error", () => undefined);
      await client.query(settingsFor(schema));
    },
  });
  // A connection that broke while it rested is removed by the pool.
  pool.on("error", () => undefined);
  return pool;
}

/** Connections to one schema of one database. A turn holds one of them. */
export class PostgresConnections {
  /** How messages call the database. */
  readonly name: string;
  readonly schema: string;
  readonly statements = new PostgresStatements();
  readonly #pool: Pool;
  #turns = 0;
  #closed: Promise<void> | undefined;
  #whenAllReleased: (() => void) | undefined;

  private constructor(name: string, schema: string, pool: Pool) {
    this.name = name;
    this.schema = schema;
    this.#pool = pool;
  }

  /** Connects to nothing yet. */
  static async to(address: PostgresAddress, schema: string): Promise<PostgresConnections> {
    return new PostgresConnections(address.name, schema, await loadPool(address, schema));
  }

  /**
   * Waits for a connection, and keeps it until its `release`.
   *
   * @throws DeerflowError `database_unreachable`, `database_login_failed`
   */
  async acquire(): Promise<PostgresConnection> {
    if (this.#closed !== undefined) {
      throw new DeerflowError("database_unreachable", { path: this.name, reason: "it was closed here" });
    }
    this.#turns += 1;
    try {
      return new PostgresConnection(this, await this.#pool.connect());
    } catch (error) {
      this.forget();
      throw translatePostgresError(error, this.name);
    }
  }

  /** Waits until every turn that began is over, then ends the connections. Calling it twice is allowed. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** For connections only: they call it when their turn is over. */
  forget(): void {
    this.#turns -= 1;
    if (this.#turns === 0) this.#whenAllReleased?.();
  }

  async #close(): Promise<void> {
    if (this.#turns > 0) {
      await new Promise<void>((resolve) => {
        this.#whenAllReleased = resolve;
      });
    }
    await this.#pool.end();
  }
}

/** True for "current transaction is aborted". */
const isAborted = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "25P02";

/** One connection, held by one turn. Statements run in the order in which they are given. */
export class PostgresConnection implements SqlSession {
  readonly #pool: PostgresConnections;
  readonly #client: PoolClient;
  /** The statement that begins the transaction, until it is sent. */
  #begin: string | undefined;
  #inTransaction = false;
  #over = false;
  #unusable = false;
  /** Of the transaction under way: the first statement of it that failed. */
  #failure: unknown;

  constructor(pool: PostgresConnections, client: PoolClient) {
    this.#pool = pool;
    this.#client = client;
  }

  async all(sql: string, parameters: readonly unknown[] = []): Promise<SqlRow[]> {
    return (await this.#run(this.#pool.statements.statementOf(sql, false), parameters)).rows;
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    return (await this.#run(this.#pool.statements.statementOf(sql, false), parameters)).changes;
  }

  /**
   * Runs a statement whose parameters are `$1`, `$2`, …
   *
   * @param answerTimeoutMs - after which the server is taken for gone
   * @throws DeerflowError `database_value_invalid`, and those of postgres-errors.ts
   */
  execute(
    sql: string,
    parameters: readonly unknown[] = [],
    answerTimeoutMs?: number,
  ): Promise<PostgresResult> {
    return this.#run(this.#pool.statements.statementOf(sql, true), parameters, answerTimeoutMs);
  }

  /** Begins a transaction with the next statement: both are sent at once. */
  begin(isolation?: string): void {
    this.#failure = undefined;
    this.#begin = isolation === undefined ? "BEGIN" : `BEGIN ISOLATION LEVEL ${isolation}`;
  }

  /** @throws DeerflowError `internal` when a statement had failed: the server undoes such a transaction */
  async commit(): Promise<void> {
    this.#begin = undefined;
    if (!this.#inTransaction) return;
    const { command } = await this.#answer({ text: "COMMIT", name: undefined }, []);
    this.#inTransaction = false;
    if (command === "COMMIT") return;
    throw new DeerflowError("internal", {
      reason: "a transaction went on after a statement of it had failed; it was undone",
    });
  }

  /** Undoes the transaction under way. What comes late from its work is refused. */
  async rollback(): Promise<void> {
    this.#begin = undefined;
    if (!this.#inTransaction || this.#unusable) return;
    const undone = this.#answer({ text: "ROLLBACK", name: undefined }, []);
    this.#over = true;
    try {
      await undone;
      this.#inTransaction = false;
    } catch {
      // The server undoes what belongs to a connection that ends.
      this.#unusable = true;
    }
  }

  /** Makes the connection end with this turn: its settings are no longer those of the others. */
  retire(): void {
    this.#unusable = true;
  }

  /** Ends the turn. A connection that failed is not used again. */
  release(): void {
    this.#over = true;
    this.#client.release(this.#unusable || this.#inTransaction);
    this.#pool.forget();
  }

  async #run(
    statement: PostgresStatement,
    parameters: readonly unknown[],
    answerTimeoutMs?: number,
  ): Promise<PostgresResult> {
    const result = await this.#answer(statement, toSqlValues(parameters), answerTimeoutMs);
    const changes = CHANGING.has(result.command) ? (result.rowCount ?? 0) : 0;
    return { rows: result.rows, changes };
  }

  async #answer(
    statement: PostgresStatement,
    values: readonly unknown[],
    answerTimeoutMs?: number,
  ): Promise<QueryResult<SqlRow>> {
    const started = performance.now();
    try {
      return await this.#send(statement, values, answerTimeoutMs);
    } catch (error) {
      // Statements that were sent together with one that failed fail for that reason only, and may be heard of first.
      if (this.#failure !== undefined && isAborted(error)) throw this.#failure;
      const ours = translatePostgresError(error, this.#pool.name, (performance.now() - started) / 1000);
      this.#failure ??= ours;
      if (DeerflowError.is(ours) && GIVEN_UP.has(ours.code)) this.#unusable = true;
      throw ours;
    }
  }

  async #send(
    { text, name }: PostgresStatement,
    values: readonly unknown[],
    answerTimeoutMs: number | undefined,
  ): Promise<QueryResult<SqlRow>> {
    if (this.#over)
      throw new DeerflowError("internal", { reason: "a statement came after the end of its turn" });
    const query = {
      text,
      ...(name === undefined ? {} : { name }),
      values: [...values],
      ...(answerTimeoutMs === undefined ? {} : { query_timeout: answerTimeoutMs }),
    };
    const begin = this.#begin;
    if (begin === undefined) return this.#client.query<SqlRow>(query);
    this.#begin = undefined;
    this.#inTransaction = true;
    // In one packet: the server would wake up twice.
    const { stream } = this.#client.connection;
    stream.cork();
    const sent = [this.#client.query(begin), this.#client.query<SqlRow>(query)] as const;
    process.nextTick(() => stream.uncork());
    const [, result] = await Promise.all(sent);
    return result;
  }
}
