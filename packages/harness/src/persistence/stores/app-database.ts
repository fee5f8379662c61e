/** The application's tables in one database of any kind. */
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, type Transaction, type TransactionBuilder } from "kysely";
import { DeerflowError } from "../../base/errors.js";
import { KeyedLock } from "../../base/keyed-lock.js";
import type { Principal } from "../../context/principal.js";
import type { AppSchema } from "../schema.js";
import type { SqlBackend, SqlDatabase } from "../sql/contract.js";
import { retrying } from "../sql/retries.js";
import { passingOf } from "./passing-failure.js";

/** Queries and transactions of the stores. The tables' database is opened and closed elsewhere. */
export class AppDatabase {
  readonly backend: SqlBackend;
  readonly query: Kysely<AppSchema>;
  readonly #name: string;
  readonly #threads = new KeyedLock();

  constructor({ backend, dialect, name }: Pick<SqlDatabase, "backend" | "dialect" | "name">) {
    this.backend = backend;
    this.query = new Kysely<AppSchema>({ dialect });
    this.#name = name;
  }

  /**
   * Runs `work` as one transaction that sees what others have committed. When a key that it chose is taken, the
   * database undid it for another's sake, or the connection broke before its commit, it is run again from the
   * start: it keeps nothing outside.
   *
   * @throws DeerflowError `database_busy` when others were always faster
   */
  async transaction<T>(work: (query: Transaction<AppSchema>) => Promise<T>): Promise<T> {
    const started = performance.now();
    let committing = false;
    const attempt = () => {
      committing = false;
      return this.#begin().execute(async (query) => {
        const result = await work(query);
        committing = true;
        return result;
      });
    };
    const passing = (error: unknown) =>
      passingOf(error, { committing, elapsed: performance.now() - started });
    try {
      return await retrying(attempt, { passingOf: passing, sleep });
    } catch (error) {
      if (DeerflowError.is(error) || passing(error) === undefined) throw error;
      const seconds = Math.ceil((performance.now() - started) / 1000);
      throw new DeerflowError("database_busy", { path: this.#name, seconds }, error);
    }
  }

  /** A transaction that no other of its thread comes between, of this program or of another. */
  threadTransaction<T>(
    principal: Principal,
    threadId: string,
    work: (query: Transaction<AppSchema>) => Promise<T>,
  ): Promise<T> {
    // Those of this program wait here, so that they keep no connection that others could use.
    return this.#threads.hold(`${principal.tenantId}/${threadId}`, () =>
      this.transaction(async (query) => {
        await this.#lockThread(query, principal, threadId);
        return work(query);
      }),
    );
  }

  #begin(): TransactionBuilder<AppSchema> {
    const begin = this.query.transaction();
    // SQLite has one isolation; a snapshot of the others would hide what was committed while a lock was waited for.
    return this.backend === "sqlite" ? begin : begin.setIsolationLevel("read committed");
  }

  /** Where the thread has no row there is nothing to lock: two programs that choose one key find out then. */
  async #lockThread(query: Transaction<AppSchema>, principal: Principal, threadId: string): Promise<void> {
    // On SQLite a transaction that writes is alone from its first statement on.
    if (this.backend === "sqlite") return;
    await query
      .selectFrom("threads")
      .select("thread_id")
      .where("tenant_id", "=", principal.tenantId)
      .where("thread_id", "=", threadId)
      .forUpdate()
      .execute();
  }
}
