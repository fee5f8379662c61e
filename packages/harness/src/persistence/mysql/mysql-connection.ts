/**
 * The one adapter to mysql2: a pool of connections with our session settings, and what one of them can do. MariaDB
 * 10.11 tested, MySQL 8 by its documented syntax. Where the two differ: the isolation is set by a statement, because
 * its variable has a name of its own on each; what stands in a comment that begins with !80000 is read by MySQL only, and with M! by MariaDB only.
 */
import type { Socket } from "node:net";
import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from "mysql2/promise";
import { DeerflowError, type ErrorCode } from "../../base/errors.js";
import type { SqlRow, SqlSession } from "../sql/contract.js";
import type { MysqlAddress } from "./mysql-address.js";
import { translateMysqlError } from "./mysql-errors.js";
import {
  type BigintBinder,
  type BoundValue,
  fromDriverRows,
  statementBytes,
  toBoundValues,
} from "./mysql-values.js";

/** Runs share their writes, so few connections serve many of them. */
const CONNECTIONS = 10;
/** A connection; servers keep 16,382 of all programs together. */
const PREPARED_STATEMENTS = 128;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than any lock wait; after it a server that says nothing is taken for gone. */
const STATEMENT_TIMEOUT_MS = 120_000;
const LOCK_WAIT_SECONDS = 10;
/** For a table that somebody reads while it is to be changed or rewritten; the servers would wait for a day. */
const TABLE_WAIT_SECONDS = 60;
/** A process that is frozen amid a transaction loses it on MariaDB, and others get its rows; they wait longer than this. */
const IDLE_IN_TRANSACTION_SECONDS = 15;
/** A connection that rested this long may have been closed by the server or by something in between. */
const RESTED_MS = 5_000;

/** Run once on each new connection. */
const SESSION_SETTINGS: readonly string[] = [
  // Each statement sees what is committed, and locks no gaps between rows.
  "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
    time_zone = '+00:00', innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}, lock_wait_timeout = ${TABLE_WAIT_SECONDS}
    /*!80000 , information_schema_stats_expiry = 0 */
    /*M!100300 , idle_transaction_timeout = ${IDLE_IN_TRANSACTION_SECONDS} */`,
];

/** After these the connection is not used again. A server that became a read-only copy has a successor elsewhere. */
const GIVEN_UP: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["database_unreachable", "database_read_only"]);

/** What a statement gave: rows, or what it changed. */
export interface MysqlResult {
  readonly rows: SqlRow[];
  /** Rows that it changed, or found as they should become. */
  readonly changes: number;
  readonly insertId: number | undefined;
}

interface Driver {
  readonly pool: Pool;
  readonly toBigint: BigintBinder;
}

async function loadDriver(address: MysqlAddress, database: string | undefined): Promise<Driver> {
  // Its named exports are made at run time, where Node finds some of them only below the default.
  const { createPool, TypedParameter } = (await import("mysql2/promise")).default;
  const { host, port, socketPath, user, password, tls } = address;
  const pool = createPool({
    ...(socketPath === undefined ? { host, port } : { socketPath }),
    user,
    password,
    ...(database === undefined ? {} : { database }),
    ...(tls === undefined ? {} : { ssl: { ...tls } }),
    charset: "UTF8MB4_BIN",
    timezone: "Z",
    // Integers as numbers, beyond their precision as text (fromDriverRows); sums as numbers; the rest as text.
    supportBigNumbers: true,
    decimalNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    // No statement may read files of this machine.
    flags: ["-LOCAL_FILES"],
    maxPreparedStatements: PREPARED_STATEMENTS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionLimit: CONNECTIONS,
  });
  return { pool, toBigint: (value) => TypedParameter.LONGLONG(value) };
}

/** What is known of a connection, whichever turn holds it. */
interface ConnectionState {
  /** The server takes no longer statements. */
  readonly packetBytes: number;
  usedAt: number;
}

/** A program that has nothing else to do may end without closing: only what is in use keeps it alive. */
function keepAlive(connection: PoolConnection, inUse: boolean): void {
  // The driver's types leave out the socket of a connection.
  const { stream } = connection.connection as unknown as { readonly stream: Socket };
  if (inUse) stream.ref();
  else stream.unref();
}

/** Connections to one database. A turn holds one of them. */
export class MysqlConnections {
  /** How messages call the database. */
  readonly name: string;
  readonly #driver: Driver;
  readonly #states = new WeakMap<object, ConnectionState>();
  #turns = 0;
  #closed: Promise<void> | undefined;
  #whenAllReleased: (() => void) | undefined;

  private constructor(name: string, driver: Driver) {
    this.name = name;
    this.#driver = driver;
  }

  /** Connects to nothing yet. @param database - undefined for none, say to create it */
  static async to(address: MysqlAddress, database: string | undefined): Promise<MysqlConnections> {
    return new MysqlConnections(address.name, await loadDriver(address, database));
  }

  /**
   * Waits for a connection that works, and keeps it until its `release`.
   *
   * @throws DeerflowError `database_unreachable`, `database_login_failed`
   */
  async acquire(): Promise<MysqlConnection> {
    if (this.#closed !== undefined) {
      throw new DeerflowError("database_unreachable", { path: this.name, reason: "it was closed here" });
    }
    this.#turns += 1;
    try {
      return await this.#take();
    } catch (error) {
      this.#endTurn();
      throw translateMysqlError(error, this.name);
    }
  }

  /** Waits until every turn that began is over, then ends the connections. Calling it twice is allowed. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** For connections only: they call it when their turn is over. */
  giveBack(connection: PoolConnection, isUsable: boolean): void {
    keepAlive(connection, false);
    if (isUsable) connection.release();
    else connection.destroy();
    this.#endTurn();
  }

  get toBigint(): BigintBinder {
    return this.#driver.toBigint;
  }

  async #take(): Promise<MysqlConnection> {
    for (;;) {
      const connection = await this.#driver.pool.getConnection();
      keepAlive(connection, true);
      const state = await this.#ready(connection);
      if (state !== undefined) return new MysqlConnection(this, connection, state);
    }
  }

  /** Its state; undefined for one that rested and is gone, in whose place another is taken. */
  async #ready(connection: PoolConnection): Promise<ConnectionState | undefined> {
    const known = this.#states.get(connection.connection);
    try {
      if (known === undefined) return await this.#configure(connection);
      if (performance.now() - known.usedAt > RESTED_MS) await connection.ping();
      return known;
    } catch (error) {
      connection.destroy();
      if (known === undefined) throw error;
      return undefined;
    }
  }

  async #configure(connection: PoolConnection): Promise<ConnectionState> {
    // The pool listens for one error only; a second one that nobody hears would end the process. Who uses the
    // connection learns of it from the statement that fails.
    connection.connection.on("error", () => undefined);
    for (const setting of SESSION_SETTINGS) await connection.query(setting);
    const [rows] = await connection.query<RowDataPacket[]>("SELECT @@max_allowed_packet AS bytes");
    const state = { packetBytes: Number(rows[0]?.["bytes"]), usedAt: performance.now() };
    this.#states.set(connection.connection, state);
    return state;
  }

  #endTurn(): void {
    this.#turns -= 1;
    if (this.#turns === 0) this.#whenAllReleased?.();
  }

  async #close(): Promise<void> {
    if (this.#turns > 0) {
      await new Promise<void>((resolve) => {
        this.#whenAllReleased = resolve;
      });
    }
    await this.#driver.pool.end();
  }
}

/** One connection, held by one turn. Statements run in the order in which they are given. */
export class MysqlConnection implements SqlSession {
  readonly #pool: MysqlConnections;
  readonly #connection: PoolConnection;
  readonly #state: ConnectionState;
  #over = false;
  #unusable = false;

  constructor(pool: MysqlConnections, connection: PoolConnection, state: ConnectionState) {
    this.#pool = pool;
    this.#connection = connection;
    this.#state = state;
  }

  async all(sql: string, parameters: readonly unknown[] = []): Promise<SqlRow[]> {
    return (await this.execute(sql, parameters)).rows;
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    return (await this.execute(sql, parameters)).changes;
  }

  /**
   * Runs a statement; with parameters as a prepared one, which sends values as they are.
   *
   * @param timeoutMs - after which the server is taken for gone; 0 for never
   * @throws DeerflowError `database_value_invalid`, `database_statement_too_large`, and those of mysql-errors.ts
   */
  async execute(
    sql: string,
    parameters: readonly unknown[] = [],
    timeoutMs = STATEMENT_TIMEOUT_MS,
  ): Promise<MysqlResult> {
    const values = toBoundValues(parameters, this.#pool.toBigint);
    this.#requireRoom(sql, values);
    const started = performance.now();
    try {
      return await this.#send(sql, values, timeoutMs);
    } catch (error) {
      const ours = translateMysqlError(error, this.#pool.name, (performance.now() - started) / 1000);
      if (DeerflowError.is(ours) && GIVEN_UP.has(ours.code)) this.#unusable = true;
      throw ours;
    }
  }

  /** Undoes the transaction under way. What comes late from its work is refused. */
  async rollback(): Promise<void> {
    if (this.#unusable) return;
    const undone = this.execute("ROLLBACK");
    this.#over = true;
    try {
      await undone;
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
    this.#state.usedAt = performance.now();
    this.#pool.giveBack(this.#connection, !this.#unusable);
  }

  async #send(sql: string, values: BoundValue[], timeout: number): Promise<MysqlResult> {
    if (this.#over)
      throw new DeerflowError("internal", { reason: "a statement came after the end of its turn" });
    const options = timeout === 0 ? { sql } : { sql, timeout };
    type Answer = RowDataPacket[] | ResultSetHeader;
    const [answer, fields] =
      values.length === 0
        ? await this.#connection.query<Answer>(options)
        : await this.#connection.execute<Answer>(options, values);
    if (Array.isArray(answer)) {
      return { rows: fromDriverRows(answer, fields), changes: 0, insertId: undefined };
    }
    return { rows: [], changes: answer.affectedRows, insertId: answer.insertId || undefined };
  }

  /** Asked before it is sent: the server would end the connection, sometimes without a reason. */
  #requireRoom(sql: string, values: readonly BoundValue[]): void {
    const size = statementBytes(sql, values);
    const limit = this.#state.packetBytes;
    if (size < limit) return;
    const setting = "max_allowed_packet";
    throw new DeerflowError("database_statement_too_large", { path: this.#pool.name, limit, size, setting });
  }
}
