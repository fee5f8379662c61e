/** Lets Kysely speak through our connection: its turns, its statement cache, its checks of bound values. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqliteConnection } from "./sqlite-connection.js";

/** A Kysely dialect over a connection that is opened and closed elsewhere. */
export const sqliteDialect = (connection: SqliteConnection): Dialect => ({
  createDriver: () => new SqliteDriver(connection),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (database) => new SqliteIntrospector(database),
});

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteTurn> {
    const turn = new SqliteTurn(this.#connection);
    await turn.take();
    return turn;
  }

  async beginTransaction(turn: SqliteTurn): Promise<void> {
    await turn.begin();
  }

  async commitTransaction(turn: SqliteTurn): Promise<void> {
    this.#connection.exec("COMMIT");
    turn.release();
    await this.#connection.synced();
  }

  async rollbackTransaction(): Promise<void> {
    // SQLite may have undone it by itself.
    if (this.#connection.inTransaction) this.#connection.exec("ROLLBACK");
  }

  async releaseConnection(turn: SqliteTurn): Promise<void> {
    turn.release();
  }

  async destroy(): Promise<void> {}
}

/** The connection, held by one query or transaction. */
class SqliteTurn implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  #giveBack: (() => void) | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async take(): Promise<void> {
    this.#giveBack ??= await this.#connection.acquire();
  }

  release(): void {
    this.#giveBack?.();
    this.#giveBack = undefined;
  }

  /** Begins a transaction for writing; while another process holds the database, others here may read. */
  async begin(): Promise<void> {
    await this.#connection.whenFree(async () => {
      await this.take();
      try {
        this.#connection.exec("BEGIN IMMEDIATE");
      } catch (error) {
        this.release();
        throw error;
      }
    });
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#connection.inTransaction || SelectQueryNode.is(query.query)) return this.#execute(query);
    // A single change is a transaction as well, so that a busy database is met at BEGIN and nowhere else.
    await this.begin();
    try {
      const result = this.#execute<R>(query);
      this.#connection.exec("COMMIT");
      this.release();
      await this.#connection.synced();
      return result;
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a generator; nothing here streams rows
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Streaming rows is not supported; page through them.");
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    if (this.#connection.returnsRows(sql)) {
      // Kysely asks for its row type, which only the query's author knows.
      return { rows: this.#connection.all(sql, parameters) as R[] };
    }
    const { changes, lastInsertRowid } = this.#connection.run(sql, parameters);
    return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
  }
}
