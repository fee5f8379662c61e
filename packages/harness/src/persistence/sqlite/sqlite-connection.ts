/** The one adapter to libsql: hides its traps, and gives every user of the database file its turn. */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { DeerflowError, type ErrorCode, reasonOf } from "../../base/errors.js";
import { KeyedLock } from "../../base/keyed-lock.js";
import { noteOpen } from "./open-files.js";
import { LogSync } from "./log-sync.js";
import { APPLICATION_ID } from "./sqlite-file.js";
import { fromDriverRow, type SqlRow, toSqlValues } from "./sqlite-values.js";

export interface SqlChange {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** How the path of a database that lives in this process only is spelled. */
export const IN_MEMORY = ":memory:";

const CACHED_STATEMENTS = 256;
/** The driver waits this long by itself, blocking the event loop; the rest of the waiting is ours. */
const BLOCKING_WAIT_MS = 5;
const PATIENCE_MS = 30_000;
const LONGEST_PAUSE_MS = 40;
/** A write-ahead log that grew beyond this is cut back after its checkpoint. */
const WAL_BYTES_KEPT = 16 * 1024 * 1024;
const TURN = "connection";

/** Driver codes (by prefix) that mean more to a person as one of ours. */
const TRANSLATED: readonly (readonly [prefix: string, code: ErrorCode])[] = [
  ["SQLITE_CORRUPT", "database_damaged"],
  ["SQLITE_NOTADB", "database_damaged"],
  ["SQLITE_READONLY", "database_read_only"],
  ["SQLITE_FULL", "database_full"],
  ["SQLITE_IOERR", "database_unreadable"],
  ["SQLITE_CANTOPEN", "database_unreadable"],
];

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** SQLite calls a log that it cannot make longer, or make at all, an error of the disk. */
function isOutOfRoom(code: string, path: string): boolean {
  if (!code.startsWith("SQLITE_IOERR") && !code.startsWith("SQLITE_CANTOPEN")) return false;
  if (path === IN_MEMORY) return false;
  try {
    return statfsSync(dirname(path)).bavail === 0;
  } catch {
    // Nothing can be said of a folder that is not there.
    return false;
  }
}

const isBusy = (error: unknown): boolean => codeOf(error).startsWith("SQLITE_BUSY");

/**
 * Takes the exclusive lock of an SQLite file that holds nothing else. The kernel frees it with the process.
 *
 * @param path - made when absent
 * @returns what lets it go; undefined when somebody else has it
 * @throws DeerflowError `database_unreadable`
 */
export function lockExclusively(path: string): (() => void) | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: BLOCKING_WAIT_MS });
    // Nothing is written, so no journal need be there, and none is left behind by a process that dies.
    database.exec("PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw new DeerflowError("database_unreadable", { path, reason: reasonOf(error) }, error);
  }
  const held = database;
  return () => held.close();
}

/**
 * One connection to one file. Statements run synchronously, so whoever needs several of them to belong together
 * takes a turn: `read`, `write`, or `acquire` for a query builder. Turns do not nest.
 */
export class SqliteConnection {
  readonly path: string;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #turns = new KeyedLock();
  readonly #forget: () => void;
  readonly #isReadOnly: boolean;
  /** Undefined where there is no log: in memory, and for who only reads. */
  readonly #log: LogSync | undefined;
  #closed = false;

  /** @param address - the file as SQLite is to open it for reading; absent for writing */
  private constructor(path: string, address?: string) {
    this.path = path;
    this.#isReadOnly = address !== undefined;
    this.#log = path === IN_MEMORY || this.#isReadOnly ? undefined : new LogSync(path);
    try {
      this.#database = new Database(address ?? path, { timeout: BLOCKING_WAIT_MS });
      this.#forget = noteOpen(path);
    } catch (error) {
      throw new DeerflowError("database_unreadable", { path, reason: reasonOf(error) }, error);
    }
  }

  /**
   * Opens `path` (`:memory:` for a database of this process) and marks a new file as ours. Check the file with
   * `prepareDatabaseFile` first.
   *
   * @throws DeerflowError `database_unreadable`, `database_damaged`, `database_foreign`, `database_busy`
   */
  static async open(path: string): Promise<SqliteConnection> {
    const connection = new SqliteConnection(path);
    try {
      await connection.#configure();
    } catch (error) {
      connection.#database.close();
      connection.#forget();
      throw error;
    }
    return connection;
  }

  /**
   * Opens any SQLite file for reading. Neither it nor its write-ahead log is changed, also not when it is closed. The
   * driver has an option of this name and ignores it; it heeds what https://www.sqlite.org/uri.html says.
   *
   * @param isImmutable - nobody else has the file open: no lock is taken, no file made beside it, and a log ignored
   * @throws DeerflowError `database_unreadable`
   */
  static openReadOnly(path: string, isImmutable = false): SqliteConnection {
    return new SqliteConnection(
      path,
      `${pathToFileURL(path).href}?mode=ro${isImmutable ? "&immutable=1" : ""}`,
    );
  }

  /**
   * Runs a statement without values and forgets it. BEGIN, COMMIT and ROLLBACK go this way only: a prepared
   * statement that failed because the database was busy stays half done in the driver, and blocks every COMMIT.
   */
  exec(sql: string): void {
    this.#translating(() => this.#database.exec(sql));
  }

  /**
   * Resolves when every commit so far is on disk.
   *
   * @throws DeerflowError `database_full`, `database_unreadable`
   */
  async synced(): Promise<void> {
    await this.#log?.synced();
  }

  /** True between BEGIN and its COMMIT or ROLLBACK. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Runs a statement that returns no rows. */
  run(sql: string, parameters: readonly unknown[] = []): SqlChange {
    return this.#translating(() => this.#statement(sql).run(toSqlValues(parameters)));
  }

  /** Runs a statement to its end and returns its rows. */
  all(sql: string, parameters: readonly unknown[] = []): SqlRow[] {
    return this.#translating(() =>
      // Rows of the driver are plain objects.
      this.#statement(sql)
        .all(toSqlValues(parameters))
        .map((row) => fromDriverRow(row as SqlRow)),
    );
  }

  /** The first row of a statement that returns at most one; half the price of `all`. */
  first(sql: string, parameters: readonly unknown[] = []): SqlRow | undefined {
    return this.#translating(() => {
      // Rows of the driver are plain objects; this call adds its own `_metadata` to them.
      const row = this.#statement(sql).get(toSqlValues(parameters)) as Record<string, unknown> | undefined;
      if (row === undefined) return undefined;
      delete row["_metadata"];
      return fromDriverRow(row);
    });
  }

  /** True for a statement that returns rows. */
  returnsRows(sql: string): boolean {
    return this.#translating(() => this.#statement(sql).reader);
  }

  /** Waits for the connection and keeps it until the returned function is called. */
  acquire(): Promise<() => void> {
    return new Promise((granted) => {
      void this.#turns.hold(TURN, () => new Promise<void>((release) => granted(release)));
    });
  }

  /** Runs `work` on one snapshot of the database. `work` may await, but nothing slow: others wait. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTransaction("BEGIN", work);
  }

  /** Runs `work` as one transaction; resolves after it is on disk, rejects after it is undone. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const result = await this.#inTransaction("BEGIN IMMEDIATE", work);
    // Outside its turn: the next transaction need not wait for the disk.
    await this.synced();
    return result;
  }

  /**
   * Runs `attempt` again until no other process holds the database. Pauses without blocking the event loop.
   *
   * @throws DeerflowError `database_busy` after 30 seconds
   */
  async whenFree<T>(attempt: () => T | Promise<T>): Promise<T> {
    const started = performance.now();
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() - started > PATIENCE_MS) {
          throw new DeerflowError("database_busy", { path: this.path, seconds: PATIENCE_MS / 1000 }, error);
        }
      }
      await sleep(pause * (0.5 + Math.random()));
    }
  }

  /** Gives the space of removed rows back to the disk, in a turn of its own. */
  async compact(): Promise<void> {
    await this.whenFree(() =>
      this.#turns.hold(TURN, async () => {
        this.exec("VACUUM");
        if (this.path !== IN_MEMORY) this.all("PRAGMA wal_checkpoint(TRUNCATE)");
      }),
    );
  }

  /** Waits for its turn, folds the write-ahead log into the file, and closes. Closing twice is allowed. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const release = await this.acquire();
    await this.#log?.close();
    try {
      if (this.path !== IN_MEMORY && !this.#isReadOnly) this.all("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      this.#statements.clear();
      this.#database.close();
      this.#forget();
      release();
    }
  }

  async #configure(): Promise<void> {
    const pragma = (name: string) => Object.values(this.first(`PRAGMA ${name}`) ?? {})[0];
    await this.whenFree(() => {
      if (pragma("schema_version") !== 0 || pragma("application_id") !== 0) return;
      // While the file is still in its first journal mode, so that the mark is in the file and not in a log.
      this.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    });
    await this.whenFree(() => this.exec("PRAGMA journal_mode = WAL"));
    if (pragma("application_id") !== APPLICATION_ID) {
      const reason = "it is the SQLite file of another program";
      throw new DeerflowError("database_foreign", { path: this.path, reason });
    }
    for (const setting of [
      // What was acknowledged survives a power cut all the same: see LogSync.
      "synchronous = NORMAL",
      "foreign_keys = ON",
      `journal_size_limit = ${WAL_BYTES_KEPT}`,
    ]) {
      this.exec(`PRAGMA ${setting}`);
    }
  }

  async #inTransaction<T>(begin: string, work: () => Promise<T>): Promise<T> {
    // Each attempt is a turn of its own: while a writer waits for another process, readers here go on.
    const attempt = async (): Promise<T> => {
      this.exec(begin);
      try {
        const result = await work();
        this.exec("COMMIT");
        return result;
      } catch (error) {
        if (this.inTransaction) this.exec("ROLLBACK");
        throw error;
      }
    };
    return this.whenFree(() => this.#turns.hold(TURN, attempt));
  }

  #statement(sql: string): Database.Statement {
    const cached = this.#statements.get(sql);
    const statement = cached ?? this.#database.prepare(sql);
    // Re-inserted, so that the first key is the one that rested longest.
    if (cached !== undefined) this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > CACHED_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }

  #translating<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const code = codeOf(error);
      const known = isOutOfRoom(code, this.path)
        ? "database_full"
        : TRANSLATED.find(([prefix]) => code.startsWith(prefix))?.[1];
      if (known === undefined) throw error;
      throw new DeerflowError(known, { path: this.path, reason: reasonOf(error) }, error);
    }
  }
}
