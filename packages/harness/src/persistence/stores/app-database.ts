/** The application's tables in one database of any kind. */
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, type Transaction, type TransactionBuilder } from "kysely";
import type { Principal } from "../../context/principal.js";
import type { AppSchema } from "../schema.js";
import type { SqlBackend, SqlDatabase } from "../sql/contract.js";
import { retrying } from "../sql/retries.js";
import { passingOf } from "./passing-failure.js";

/** A transaction whose rows can be locked. */
export interface AppTransaction {
  readonly query: Transaction<AppSchema>;
  /** Makes the others who lock this thread wait until the transaction ends. Nothing happens when there is none. */
  lockThread(principal: Principal, threadId: string): Promise<void>;
}

/** Queries and transactions of the stores. The tables' database is opened and closed elsewhere. */
export class AppDatabase {
  readonly backend: SqlBackend;
  readonly query: Kysely<AppSchema>;

  constructor({ backend, dialect }: Pick<SqlDatabase, "backend" | "dialect">) {
    this.backend = backend;
    this.query = new Kysely<AppSchema>({ dialect });
  }

  /**
   * Runs `work` as one transaction that sees what others have committed. When a key that it chose is taken, the
   * database undid it for another's sake, or the connection broke before its commit, it is run again from the
   * start: it keeps nothing outside.
   */
  async transaction<T>(work: (transaction: AppTransaction) => Promise<T>): Promise<T> {
    const { backend } = this;
    let committing = false;
    const attempt = () => {
      committing = false;
      return this.#begin().execute(async (query) => {
        const lockThread = (principal: Principal, threadId: string) =>
          this.#lockThread(query, principal, threadId);
        const result = await work({ query, lockThread });
        committing = true;
        return result;
      });
    };
    return retrying(attempt, { passingOf: (error) => passingOf(error, { backend, committing }), sleep });
  }

  #begin(): TransactionBuilder<AppSchema> {
    const begin = this.query.transaction();
    // SQLite has one isolation; a snapshot of the others would hide what was committed while a lock was waited for.
    return this.backend === "sqlite" ? begin : begin.setIsolationLevel("read committed");
  }

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
