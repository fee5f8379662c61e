/** Lets writes that arrive together share one transaction: one wait for the disk instead of many. */
import type { CheckpointDatabase, CheckpointRows } from "./checkpoint-rows.js";

/** The transaction that the operations of one group share. */
export interface GroupTransaction {
  readonly rows: CheckpointRows;
  /** Runs `keep` when the transaction is on disk; never if it is undone. */
  afterCommit(keep: () => void): void;
}

/** Part of a transaction. May be run again in another one, so it keeps what it learned in `afterCommit` only. */
export type WriteOperation<T> = (transaction: GroupTransaction) => Promise<T>;

interface Waiting {
  readonly operation: WriteOperation<unknown>;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

export class GroupCommit {
  readonly #database: CheckpointDatabase;
  readonly #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  constructor(database: CheckpointDatabase) {
    this.#database = database;
  }

  /**
   * Runs `operation` together with all that are submitted in this turn of the event loop, or while an earlier
   * commit waits. Resolves after its commit. An operation that fails does not take the others with it.
   */
  submit<T>(operation: WriteOperation<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The result goes back to the promise of this very operation.
      this.#queue.push({ operation, resolve: (result) => resolve(result as T), reject });
      this.#flushing ??= this.#flushSoon();
    });
  }

  /** Resolves when nothing waits to be written. */
  async settled(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  async #flushSoon(): Promise<void> {
    while (this.#queue.length > 0) {
      await new Promise((nextTurn) => setImmediate(nextTurn));
      await this.#flush();
    }
    this.#flushing = undefined;
  }

  async #flush(): Promise<void> {
    const batch: Waiting[] = [];
    try {
      await this.#commit(() => {
        // Taken when the transaction is open: those who came while it waited are in as well.
        batch.push(...this.#queue.splice(0));
        return batch;
      });
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else if (batch.length === 0) for (const waiting of this.#queue.splice(0)) waiting.reject(error);
      else await this.#oneByOne(batch);
    }
  }

  async #oneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#commit(() => [waiting]).catch(waiting.reject);
  }

  async #commit(take: () => readonly Waiting[]): Promise<void> {
    const { done, keeps } = await this.#database.write(async (rows) => {
      const done: { waiting: Waiting; result: unknown }[] = [];
      const keeps: (() => void)[] = [];
      const transaction: GroupTransaction = { rows, afterCommit: (keep) => keeps.push(keep) };
      for (const waiting of take()) done.push({ waiting, result: await waiting.operation(transaction) });
      return { done, keeps };
    });
    for (const keep of keeps) keep();
    for (const { waiting, result } of done) waiting.resolve(result);
  }
}
