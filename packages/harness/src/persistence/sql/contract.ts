/** What the stores ask of a database: statements in turns and transactions. A driver knows SQL and no tables. */
import type { Dialect } from "kysely";

export type SqlBackend = "sqlite" | "postgres" | "mysql";

/** A value that every database stores. Booleans, dates and objects are not among them: encode them first. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One row. Integers come back as numbers, blobs as Uint8Array. */
export type SqlRow = Record<string, SqlValue>;

/** One turn on a connection. */
export interface SqlSession {
  /** Runs a statement to its end and returns its rows. Every `?` takes one of the parameters. */
  all(sql: string, parameters?: readonly SqlValue[]): Promise<SqlRow[]>;
  /** Runs a statement that returns no rows. @returns how many rows it changed */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
}

/** One open database. Turns do not nest. */
export interface SqlDatabase {
  readonly backend: SqlBackend;
  /** How messages call it: a path, or a URL without its password. */
  readonly name: string;
  /** For the query builder; its connections belong to this database. */
  readonly dialect: Dialect;
  /**
   * Runs `work`, which reads. On SQLite it sees one snapshot; elsewhere each statement sees what is committed.
   * May run it again.
   */
  read<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /**
   * Runs `work` as one transaction; resolves after its commit, rejects after it is undone. `work` is run again
   * after a deadlock and after a connection that broke, so it must not matter if it was done twice.
   *
   * @throws DeerflowError `database_busy`, `database_unreachable`, `database_full`, `database_read_only`
   */
  write<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Bytes on disk of all tables and indexes. */
  size(): Promise<number>;
  /** Gives space of removed rows back to the disk. */
  compact(): Promise<void>;
  /** Waits for the turns under way, then closes. Closing twice is allowed. */
  close(): Promise<void>;
}
