/** Lets writes that arrive together share one transaction: one wait for the disk instead of many. */
import { DeerflowError } from "../../base/errors.js";
import type { CheckpointDatabase, CheckpointRows, RunFence } from "./checkpoint-rows.js";
import { type KnownChannels, ThreadBatch } from "./thread-batch.js";

/** A write to one thread. May be run again in another transaction: what it learns it keeps in `afterCommit` only. */
export interface ThreadWrite {
  readonly threadId: string;
  /** The run that writes; absent for a write of nobody's run. */
  readonly fence?: RunFence | undefined;
  run(batch: ThreadBatch): Promise<void>;
}

/** A write that needs a transaction of its own, after all that came before it. */
export interface LoneWrite {
  alone(rows: CheckpointRows): Promise<void>;
}

interface Waiting {
  readonly write: ThreadWrite | LoneWrite;
  resolve(): void;
  reject(reason: unknown): void;
}

const isAlone = (write: ThreadWrite | LoneWrite): write is LoneWrite => "alone" in write;

const isSameRun = (a: RunFence, b: RunFence): boolean => a.runId === b.runId && a.epoch === b.epoch;

export class GroupCommit {
  readonly #database: CheckpointDatabase;
  readonly #scope: string;
  readonly #known: KnownChannels;
  readonly #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  constructor(options: {
    readonly database: CheckpointDatabase;
    readonly scope: string;
    readonly known: KnownChannels;
  }) {
    this.#database = options.database;
    this.#scope = options.scope;
    this.#known = options.known;
  }

  /**
   * Runs `write` together with all that are submitted in this turn of the event loop, or while an earlier
   * commit waits. Resolves after its commit. A write that fails does not take the others with it.
   *
   * @throws DeerflowError `run_superseded` when its fence is stale
   */
  submit(write: ThreadWrite | LoneWrite): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#queue.push({ write, resolve, reject });
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
    const [first] = this.#queue;
    if (first !== undefined && isAlone(first.write)) return this.#flushAlone(first.write);
    const batch: Waiting[] = [];
    try {
      // Taken when the transaction is open: those who came while it waited are in as well.
      await this.#commit(() => {
        batch.push(...this.#take());
        return batch;
      });
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else if (batch.length === 0) for (const waiting of this.#queue.splice(0)) waiting.reject(error);
      else await this.#oneByOne(batch);
    }
  }

  async #flushAlone(write: LoneWrite): Promise<void> {
    const [waiting] = this.#queue.splice(0, 1);
    await this.#database.write((rows) => write.alone(rows)).then(waiting?.resolve, waiting?.reject);
  }

  /** All that wait, up to one that must be alone. */
  #take(): readonly Waiting[] {
    const end = this.#queue.findIndex(({ write }) => isAlone(write));
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  async #oneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#commit(() => [waiting]).catch(waiting.reject);
  }

  async #commit(take: () => readonly Waiting[]): Promise<void> {
    let taken: readonly Waiting[] | undefined;
    const done = await this.#database.write((rows) => {
      // A transaction that is run again has the same writes.
      taken ??= take();
      return this.#runAll(rows, taken);
    });
    for (const batch of done.batches) batch.committed();
    for (const waiting of done.stored) waiting.resolve();
    for (const { waiting, write } of done.refused) {
      waiting.reject(new DeerflowError("run_superseded", { runId: write.fence?.runId }));
    }
  }

  async #runAll(rows: CheckpointRows, taken: readonly Waiting[]) {
    const writes = taken.flatMap((waiting) =>
      isAlone(waiting.write) ? [] : [{ waiting, write: waiting.write }],
    );
    const fences = writes.flatMap(({ write }) => write.fence ?? []);
    const stale = fences.length === 0 ? [] : await rows.findStale(this.#scope, fences);
    const isRefused = ({ fence }: ThreadWrite) =>
      fence !== undefined && stale.some((other) => isSameRun(other, fence));
    const accepted = writes.filter(({ write }) => !isRefused(write));
    const batches = await this.#openBatches(
      rows,
      accepted.map(({ write }) => write.threadId),
    );
    for (const { write } of accepted) {
      const batch = batches.get(write.threadId);
      if (batch === undefined)
        throw new DeerflowError("internal", { reason: `thread ${write.threadId} is not locked` });
      await write.run(batch);
    }
    await Promise.all([...batches.values()].map((batch) => batch.flush()));
    return {
      batches: [...batches.values()],
      stored: accepted.map(({ waiting }) => waiting),
      refused: writes.filter(({ write }) => isRefused(write)),
    };
  }

  /** Locks every thread of the group, always in the same order, so that two groups cannot wait for each other. */
  async #openBatches(rows: CheckpointRows, threadIds: readonly string[]) {
    const ids = [...new Set(threadIds)].sort();
    const threads = await rows.lockThreads(this.#scope, ids);
    const batches = new Map<string, ThreadBatch>();
    for (const [index, thread] of threads.entries()) {
      const threadId = ids[index];
      if (threadId !== undefined) batches.set(threadId, new ThreadBatch(thread, rows, this.#known));
    }
    return batches;
  }
}
