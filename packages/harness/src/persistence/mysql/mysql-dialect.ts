/** Lets Kysely speak through our connections: their settings, their checks of bound values, their errors. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  type QueryResult,
  SelectQueryNode,
  type TransactionSettings,
} from "kysely";
import { type RetryOptions, retrying } from "../sql/retries.js";
import type { MysqlConnection, MysqlResult } from "./mysql-connection.js";
import { mysqlPassingOf } from "./mysql-errors.js";

/** What a query or a transaction needs of the connection it holds. */
export type HeldConnection = Pick<MysqlConnection, "execute" | "rollback" | "release">;

/** Where connections come from, and how often one is tried. */
export interface ConnectionSource {
  acquire(): Promise<HeldConnection>;
  readonly sleep: RetryOptions["sleep"];
}

/** What every connection is set to already. */
const OUR_ISOLATION = "read committed";

/** A Kysely dialect over connections that are opened and closed elsewhere. */
export const mysqlDialect = (source: ConnectionSource): Dialect => ({
  createDriver: () => new MysqlDriver(source),
  createQueryCompiler: () => new MysqlQueryCompiler(),
  createAdapter: () => new MysqlAdapter(),
  createIntrospector: (database) => new MysqlIntrospector(database),
});

class MysqlDriver implements Driver {
  readonly #source: ConnectionSource;

  constructor(source: ConnectionSource) {
    this.#source = source;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<MysqlTurn> {
    return new MysqlTurn(this.#source);
  }

  async beginTransaction(turn: MysqlTurn, { isolationLevel }: TransactionSettings): Promise<void> {
    await turn.begin(isolationLevel);
  }

  async commitTransaction(turn: MysqlTurn): Promise<void> {
    await turn.commit();
  }

  async rollbackTransaction(turn: MysqlTurn): Promise<void> {
    await turn.rollback();
  }

  async releaseConnection(turn: MysqlTurn): Promise<void> {
    turn.release();
  }

  async destroy(): Promise<void> {}
}

/** A connection, taken with the first statement of one query or transaction. */
class MysqlTurn implements DatabaseConnection {
  readonly #source: ConnectionSource;
  #held: HeldConnection | undefined;
  #inTransaction = false;

  constructor(source: ConnectionSource) {
    this.#source = source;
  }

  async begin(isolation: string | undefined): Promise<void> {
    await this.#again(async () => {
      const held = await this.#hold();
      if (isolation !== undefined && isolation !== OUR_ISOLATION) {
        await held.execute(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
      }
      await held.execute("START TRANSACTION");
    }, true);
    this.#inTransaction = true;
  }

  async commit(): Promise<void> {
    await this.#held?.execute("COMMIT");
    this.#inTransaction = false;
  }

  async rollback(): Promise<void> {
    await this.#held?.rollback();
    this.#inTransaction = false;
  }

  release(): void {
    this.#held?.release();
    this.#held = undefined;
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const execute = async () => (await this.#hold()).execute(sql, parameters);
    const result = await (this.#inTransaction ? execute() : this.#again(execute, SelectQueryNode.is(query)));
    return queryResultOf<R>(result);
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a generator; nothing here streams rows
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Streaming rows is not supported; page through them.");
  }

  async #hold(): Promise<HeldConnection> {
    this.#held ??= await this.#source.acquire();
    return this.#held;
  }

  /**
   * Runs what belongs to no transaction again where nothing of it is left.
   *
   * @param repeatable - it may be done twice: a change whose connection broke may have been made
   */
  async #again<T>(attempt: () => Promise<T>, repeatable: boolean): Promise<T> {
    const passingOf = (error: unknown) => {
      const passing = mysqlPassingOf(error);
      return passing === "broken" && !repeatable && this.#held !== undefined ? undefined : passing;
    };
    const renewing = async () => {
      // The one that failed is broken or did nothing.
      this.release();
      return attempt();
    };
    return retrying(renewing, { passingOf, sleep: this.#source.sleep });
  }
}

/** Kysely asks for its row type, which only the query's author knows. */
const queryResultOf = <R>({ rows, changes, insertId }: MysqlResult): QueryResult<R> => ({
  rows: rows as R[],
  numAffectedRows: BigInt(changes),
  ...(insertId === undefined ? {} : { insertId: BigInt(insertId) }),
});
