/** Removes old checkpoints in the background, one thread at a time, and gives their space back to the disk. */
import { setTimeout as sleep } from "node:timers/promises";
import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { type Clock, systemClock } from "../base/clock.js";
import { DeerflowError, reasonOf } from "../base/errors.js";
import type { Logger } from "../base/logger.js";
import { RecentMap } from "../base/recent-map.js";
import type { DeerflowConfig } from "../config/schema.js";
import type { CheckpointDatabase, ListedThreadRow } from "../persistence/checkpoint/checkpoint-rows.js";
import { sqlCheckpointDatabase } from "../persistence/checkpoint/sql-checkpoint-rows.js";
import type { SqlDatabase } from "../persistence/sql/contract.js";
import { isInUse, threadsInUse } from "../persistence/stores/thread-census.js";
import { compactDatabase } from "../persistence/upkeep/compact-database.js";
import { type PruneOptions, pruneThread } from "../persistence/upkeep/prune-thread.js";

export type RetentionPolicy = DeerflowConfig["database"]["retention"];

/** The databases in use. */
export interface PrunedDatabases {
  /** Threads and runs. */
  readonly app: SqlDatabase;
  /** The same one, or another. */
  readonly checkpoints: SqlDatabase;
}

export interface CheckpointPrunerOptions {
  /** Undefined while threads move from one database to another: then nothing is removed. */
  databases(): PrunedDatabases | undefined;
  /** The policy that holds now. */
  policy(): RetentionPolicy;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Resolves after so many milliseconds, rejects when the signal comes first. */
  wait?(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How often it looks whether something is due. */
const LOOK_MS = MINUTE_MS;
/** Runs come before upkeep: between two threads the database is left to them. */
const PAUSE_MS = 50;
const THREADS_A_PAGE = 100;
const REMEMBERED_THREADS = 50_000;
const NEVER = Number.MAX_SAFE_INTEGER;

/** The calls that make a thread follow the policy. Each limit holds by itself, so there is one call for each. Pure. */
export function pruningsOf(
  { keep_last, keep_days }: Pick<RetentionPolicy, "keep_last" | "keep_days">,
  now: number,
): readonly PruneOptions[] {
  return [
    ...(keep_last > 0 ? [{ keepLast: keep_last, now }] : []),
    ...(keep_days > 0 ? [{ olderThan: keep_days * DAY_MS, now }] : []),
  ];
}

/** When something was done last: milliseconds since 1970. */
interface LastDone {
  readonly pruned: number;
  readonly compacted: number;
}

/** What is due now. Compaction waits for a quiet moment, but not for longer than once more its interval. Pure. */
export function dueWork(
  { every_minutes, compact_every_hours }: Pick<RetentionPolicy, "every_minutes" | "compact_every_hours">,
  last: LastDone,
  now: number,
): { readonly prune: boolean; readonly compact: "no" | "when quiet" | "now" } {
  const [pruning, compaction] = [every_minutes * MINUTE_MS, compact_every_hours * HOUR_MS];
  const since = now - last.compacted;
  const waits = since < 2 * compaction ? "when quiet" : "now";
  return {
    prune: pruning > 0 && now - last.pruned >= pruning,
    compact: compaction === 0 || since < compaction ? "no" : waits,
  };
}

/** What is known of a database since it was compacted last. */
interface SinceCompaction {
  readonly threads: ReadonlySet<number>;
  readonly bytes: number | undefined;
  removed: number;
}

export class CheckpointPruner {
  readonly #options: CheckpointPrunerOptions;
  readonly #clock: Clock;
  readonly #stopped = new AbortController();
  readonly #serde = new JsonPlusSerializer();
  #unchanged = new RecentMap<number, string>(REMEMBERED_THREADS);
  #database: SqlDatabase | undefined;
  #since: SinceCompaction | undefined;
  #last: LastDone;
  #loop: Promise<void> | undefined;

  constructor(options: CheckpointPrunerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#last = { pruned: this.#clock.now(), compacted: this.#clock.now() };
  }

  /** The first pruning is one interval from now, so that a start is not held up by it. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Resolves when the thread that is being pruned is done. The next is not begun. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (await this.#wait(LOOK_MS)) {
      try {
        await this.#look();
      } catch (error) {
        this.#options.logger.warn("Old checkpoints could not be removed.", { reason: reasonOf(error) });
      }
    }
  }

  /** False when the pruner was stopped. */
  async #wait(milliseconds: number): Promise<boolean> {
    const { signal } = this.#stopped;
    const wait =
      this.#options.wait ?? ((time, until) => sleep(time, undefined, { signal: until, ref: false }));
    try {
      if (!signal.aborted) await wait(milliseconds, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return !signal.aborted;
  }

  async #look(): Promise<void> {
    const databases = this.#options.databases();
    if (databases === undefined) return;
    const policy = this.#options.policy();
    await this.#know(databases.checkpoints);
    const due = dueWork(policy, this.#last, this.#clock.now());
    if (due.prune) {
      // Noted first: a database that does not answer is asked again after an interval, not at each look.
      this.#last = { ...this.#last, pruned: this.#clock.now() };
      await this.#prune(databases, policy);
    }
    if (due.compact === "no" || this.#stopped.signal.aborted) return;
    if (due.compact === "when quiet" && (await threadsInUse(databases.app, NEVER)).length > 0) return;
    this.#last = { ...this.#last, compacted: this.#clock.now() };
    await this.#compact(databases.checkpoints);
  }

  /** Forgets what it knows of another database. */
  async #know(database: SqlDatabase): Promise<void> {
    if (this.#database === database && this.#since !== undefined) return;
    this.#unchanged = new RecentMap(REMEMBERED_THREADS);
    this.#since = {
      threads: await threadKeys(sqlCheckpointDatabase(database)),
      bytes: undefined,
      removed: 0,
    };
    this.#database = database;
  }

  async #prune({ app, checkpoints }: PrunedDatabases, policy: RetentionPolicy): Promise<void> {
    const { logger } = this.#options;
    const prunings = pruningsOf(policy, this.#clock.now());
    if (prunings.length === 0) return;
    const database = sqlCheckpointDatabase(checkpoints);
    const sum = { threads: 0, checkpoints: 0, bytes: 0, inUse: 0 };
    for await (const thread of everyThread(database)) {
      if (this.#isUnchanged(thread, policy)) continue;
      if (!(await this.#wait(PAUSE_MS)) || this.#options.databases()?.checkpoints !== checkpoints) break;
      // A run that goes back to an old checkpoint needs it until it is over.
      if (await isInUse(app, { tenantId: thread.scope, threadId: thread.threadId })) {
        sum.inUse += 1;
        continue;
      }
      const removed = await this.#pruneThread(database, thread, prunings);
      sum.threads += removed.bytes > 0 ? 1 : 0;
      sum.checkpoints += removed.checkpoints;
      sum.bytes += removed.bytes;
      this.#unchanged.set(thread.key, lookOf(thread, policy));
    }
    if (this.#since !== undefined) this.#since.removed += sum.bytes;
    if (sum.bytes > 0) logger.info("Old checkpoints were removed.", sum);
    else logger.debug("No checkpoint was old enough to be removed.", sum);
  }

  async #pruneThread(
    database: CheckpointDatabase,
    thread: ListedThreadRow,
    prunings: readonly PruneOptions[],
  ) {
    const { logger } = this.#options;
    const saver = { storage: { database, scope: thread.scope }, serde: this.#serde };
    const { threadId } = thread;
    const sum = { checkpoints: 0, bytes: 0 };
    try {
      for (const pruning of prunings) {
        const { removed } = await pruneThread(saver, threadId, pruning);
        sum.checkpoints += removed.checkpoints;
        sum.bytes += removed.bytes;
      }
    } catch (error) {
      // One damaged thread must not keep the others from being pruned; a database that fails does.
      if (!DeerflowError.is(error) || error.code !== "database_damaged") throw error;
      logger.warn("A thread could not be pruned; `deerflow checkpoints verify` tells what is damaged.", {
        threadId,
        reason: reasonOf(error),
      });
    }
    if (sum.bytes > 0) logger.debug("Old checkpoints of a thread were removed.", { threadId, ...sum });
    return sum;
  }

  /** Whether a thread is as it was when nothing was left to be removed. */
  #isUnchanged(thread: ListedThreadRow, policy: RetentionPolicy): boolean {
    // Where age counts, time alone changes what is to be removed.
    return policy.keep_days === 0 && this.#unchanged.get(thread.key) === lookOf(thread, policy);
  }

  async #compact(database: SqlDatabase): Promise<void> {
    const checkpoints = sqlCheckpointDatabase(database);
    const threads = await threadKeys(checkpoints);
    const since = this.#since;
    const isSame =
      since?.removed === 0 &&
      since.bytes === (await database.size()) &&
      [...since.threads].every((key) => threads.has(key));
    // Rewriting all of it would free nothing.
    if (isSame) return;
    const { before, after } = await compactDatabase({ storage: { database: checkpoints, scope: "" } });
    this.#since = { threads, bytes: after, removed: 0 };
    this.#options.logger.info("The database was compacted.", { before, after });
  }
}

/** A new checkpoint of a thread mostly brings messages or values. */
const lookOf = (
  { nextMessage, nextValue, nextPart, generation }: ListedThreadRow,
  { keep_last }: RetentionPolicy,
): string => JSON.stringify([nextMessage, nextValue, nextPart, generation, keep_last]);

async function* everyThread(database: CheckpointDatabase): AsyncGenerator<ListedThreadRow> {
  let afterKey: number | undefined;
  do {
    const page: readonly ListedThreadRow[] = await database.read((rows) =>
      rows.listThreads({ afterKey, limit: THREADS_A_PAGE }),
    );
    yield* page;
    afterKey = page.at(-1)?.key;
  } while (afterKey !== undefined);
}

async function threadKeys(database: CheckpointDatabase): Promise<ReadonlySet<number>> {
  const keys = new Set<number>();
  for await (const { key } of everyThread(database)) keys.add(key);
  return keys;
}
