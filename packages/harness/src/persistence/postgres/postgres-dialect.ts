/** Lets Kysely speak through our connections: their settings, their checks of bound values, their errors. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SelectQueryNode,
  type TransactionSettings,
} from "kysely";
import { type RetryOptions, retrying } from "../sql/retries.js";
import type { PostgresConnection, PostgresResult } from "./postgres-connection.js";
import { postgresPassingOf } from "./postgres-errors.js";

/** What a query or a transaction needs of the connection it holds. */
export type HeldConnection = Pick<
  PostgresConnection,
  "execute" | "begin" | "commit" | "rollback" | "release"
>;

/** Where connections come from, and how often one is tried. */
export interface ConnectionSource {
  acquire(): Promise<HeldConnection>;
  readonly sleep: RetryOptions["sleep"];
}

/** What every connection is set to already. */
const OUR_ISOLATION = "read committed";

/** A Kysely dialect over connections that are opened and closed elsewhere. */
export const postgresDialect = (source: ConnectionSource): Dialect => ({
  createDriver: () => new PostgresDriver(source),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (database) => new PostgresIntrospector(database),
});

class PostgresDriver implements Driver {
  readonly #source: ConnectionSource;

  constructor(source: ConnectionSource) {
    this.#source = source;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresTurn> {
    return new PostgresTurn(this.#source);
  }

  async beginTransaction(turn: PostgresTurn, settings: TransactionSettings): Promise<void> {
    turn.begin(settings);
  }

  async commitTransaction(turn: PostgresTurn): Promise<void> {
    await turn.commit();
  }

  async rollbackTransaction(turn: PostgresTurn): Promise<void> {
    await turn.rollback();
  }

  async releaseConnection(turn: PostgresTurn): Promise<void> {
    await turn.release();
  }

  async destroy(): Promise<void> {}
}

/** A connection, taken with the first statement of one query or transaction. */
class PostgresTurn implements DatabaseConnection {
  readonly #source: ConnectionSource;
  #held: Promise<HeldConnection> | undefined;
  #transaction: TransactionSettings | undefined;
  /** True once a statement of the transaction succeeded: from then on it cannot be begun again in secret. */
  #isUnderWay = false;

  constructor(source: ConnectionSource) {
    this.#source = source;
  }

  begin(settings: TransactionSettings): void {
    this.#transaction = settings;
  }

  async commit(): Promise<void> {
    await (await this.#held)?.commit();
    this.#endTransaction();
  }

  async rollback(): Promise<void> {
    await (await this.#held)?.rollback();
    this.#endTransaction();
  }

  async release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    (await held)?.release();
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const execute = async () => (await this.#hold()).execute(sql, parameters);
    if (this.#isUnderWay) return queryResultOf<R>(await execute());
    const isTransaction = this.#transaction !== undefined;
    const result = await this.#again(execute, isTransaction || SelectQueryNode.is(query));
    this.#isUnderWay = isTransaction;
    return queryResultOf<R>(result);
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a generator; nothing here streams rows
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Streaming rows is not supported; page through them.");
  }

  #hold(): Promise<HeldConnection> {
    this.#held ??= this.#acquire();
    return this.#held;
  }

  async #acquire(): Promise<HeldConnection> {
    try {
      const held = await this.#source.acquire();
      const isolation = this.#transaction?.isolationLevel;
      if (this.#transaction !== undefined) held.begin(isolation === OUR_ISOLATION ? undefined : isolation);
      return held;
    } catch (error) {
      this.#held = undefined;
      throw error;
    }
  }

  /**
   * Runs again what left nothing behind: a query by itself, or the first statement of a transaction.
   *
   * @param repeatable - it may be done twice: a change whose connection broke may have been made
   */
  async #again<T>(attempt: () => Promise<T>, repeatable: boolean): Promise<T> {
    const passingOf = (error: unknown) => {
      const passing = postgresPassingOf(error);
      return passing === "broken" && !repeatable && this.#held !== undefined ? undefined : passing;
    };
    const renewing = async () => {
      // The one that failed is broken or did nothing.
      await this.#abandon();
      return attempt();
    };
    return retrying(renewing, { passingOf, sleep: this.#source.sleep });
  }

  async #abandon(): Promise<void> {
    if (this.#transaction !== undefined) await (await this.#held)?.rollback();
    await this.release();
  }

  #endTransaction(): void {
    this.#transaction = undefined;
    this.#isUnderWay = false;
  }
}

/** Kysely asks for its row type, which only the query's author knows. */
const queryResultOf = <R>({ rows, changes }: PostgresResult): QueryResult<R> => ({
  rows: rows as R[],
  numAffectedRows: BigInt(changes),
});
