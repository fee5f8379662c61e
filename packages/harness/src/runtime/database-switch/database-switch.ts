/** Puts another database in the place of the one in use, while runs go on. */
import { randomUUID } from "node:crypto";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { nameOf } from "../../persistence/migration/open-for-reading.js";
import { lockExclusively } from "../../persistence/sqlite/sqlite-connection.js";
import { threadsInUse } from "../../persistence/stores/thread-census.js";
import type { SwitchPhase, SwitchRequest, SwitchStatus, ThreadCarrier, ThreadKey } from "./contract.js";
import { countMissing } from "./count-missing.js";
import { drain } from "./drain.js";
import { locationName } from "./location-name.js";
import { type OpenedSide, openSide, type SideOptions } from "./open-side.js";
import { keyOf } from "./pending-threads.js";
import type { SwitchRecord, SwitchRecords } from "./switch-record.js";
import { refusalOf } from "./switch-refusal.js";
import type { ThreadRouter } from "./thread-router.js";

export interface DatabaseSwitchOptions extends SideOptions {
  readonly router: ThreadRouter;
  /** The one in use. */
  readonly side: OpenedSide;
  readonly carrier: ThreadCarrier;
  readonly records: SwitchRecords;
  /** The name of the place that the configuration holds. */
  readonly configured: string;
  /** Milliseconds between two looks at threads that another process works on. Default 500. */
  readonly lookMilliseconds?: number;
}

/** The clock of another process of this machine may have stood a little behind. */
const CLOCK_SLACK_MS = 60_000;
const NEVER = Number.MAX_SAFE_INTEGER;

/** What is known of the switch under way, or of the last one. */
interface Progress {
  phase: SwitchPhase;
  readonly from: string;
  readonly to: string;
  readonly copy: boolean;
  readonly startedAt: number;
  threadsLeft: number;
  problem: string | undefined;
}

/** The two places of a switch, and what lets other processes move threads again. */
interface Stage {
  readonly old: OpenedSide;
  readonly next: OpenedSide;
  readonly progress: Progress;
  readonly unlock: () => void;
}

export class DatabaseSwitch {
  readonly #options: DatabaseSwitchOptions;
  readonly #closing = new AbortController();
  #side: OpenedSide;
  #url: string | undefined;
  #progress: Progress | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: DatabaseSwitchOptions) {
    this.#options = options;
    this.#side = options.side;
  }

  /** Of the switch under way, or of the last one of this process; undefined when there was none. */
  get status(): SwitchStatus | undefined {
    return this.#progress && this.#statusOf(this.#progress);
  }

  /** Tells other processes where this one is reached. */
  announce(url: string): void {
    this.#url = url;
    for (const side of this.#options.router.sides) side.announce(url);
  }

  /** Resolves when the switch under way has come to its end, well or not. */
  settled(): Promise<void> {
    return this.#work;
  }

  /**
   * Opens the new database and begins; the rest goes on by itself. When it throws, nothing has changed.
   *
   * @throws DeerflowError `database_switch_invalid`, `database_switching`, `database_*`
   */
  async start({ to, copy }: SwitchRequest): Promise<SwitchStatus> {
    const { now } = { now: Date.now, ...this.#options.clock };
    const old = this.#side;
    this.#refuseBeside();
    const refusal = refusalOf(old.locations, to);
    if (refusal !== undefined) throw new DeerflowError("database_switch_invalid", { reason: refusal });
    const before = this.#progress;
    const begun = progressOf({ from: old.name, to: nameOf(to), copy, startedAt: now() });
    this.#progress = begun;
    try {
      const stage = await this.#open({ old, to, begun });
      this.#work = this.#run(stage).catch((error: unknown) => this.#fail(stage, error));
      return this.#statusOf(stage.progress);
    } catch (error) {
      this.#progress = before;
      throw error;
    }
  }

  /**
   * Goes on with a switch that the process before this one did not end. The side of the options is the old one.
   *
   * @throws DeerflowError `database_switching`, `database_*`
   */
  async resume(record: SwitchRecord): Promise<void> {
    const { records, router, logger } = this.#options;
    const old = this.#side;
    const begun = progressOf({ ...record, from: old.name, to: nameOf(record.to) });
    const stage = await this.#open({ old, to: record.to, begun });
    const moved = records.moved(record);
    const threads = record.threads.filter((thread) => !moved.has(keyOf(thread)));
    logger.warn("Going on with a switch of the database.", this.#facts(stage, { threads: threads.length }));
    router.begin(stage.next, threads, this.#mover(stage, record, moved));
    stage.progress.phase = "draining";
    this.#work = this.#drain(stage, record, moved);
  }

  /** Leaves what is not done to the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#work;
  }

  async #open({
    old,
    to,
    begun,
  }: {
    old: OpenedSide;
    to: SwitchRequest["to"];
    begun: Progress;
  }): Promise<Stage> {
    const unlock = this.#lock(begun);
    try {
      const next = await openSide({ ...old.locations, database: to }, this.#options, old);
      if (this.#url !== undefined) next.announce(this.#url);
      const progress = { ...begun, to: next.name };
      this.#progress = progress;
      return { old, next, progress, unlock };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** One process at a time moves threads. */
  #lock({ from, to }: Progress): () => void {
    const { records } = this.#options;
    records.makeFolder();
    const unlock = lockExclusively(records.lockFile);
    if (unlock === undefined) throw new DeerflowError("database_switching", { from, to });
    return unlock;
  }

  #refuseBeside(): void {
    const progress = this.#progress;
    if (progress?.phase !== "copying" && progress?.phase !== "draining") return;
    const { from, to } = progress;
    throw new DeerflowError("database_switching", { from, to });
  }

  async #run(stage: Stage): Promise<void> {
    const { carrier, router, logger } = this.#options;
    const { old, next, progress } = stage;
    logger.warn("The database is being switched.", this.#facts(stage, { copy: progress.copy }));
    const changed = router.watchChanges();
    if (progress.copy) await carrier.copyAll(old, next, this.#closing.signal);
    else progress.threadsLeft = await countMissing(old.databases.app, next.databases.app);
    const moved = new Set<string>();
    const record = await router.whilePaused(() => this.#turnOver(stage, { changed: changed(), moved }));
    router.stopWatching();
    progress.phase = "draining";
    const left = { threads: record.threads.length, threads_left: progress.threadsLeft };
    logger.warn("New runs are on the new database.", this.#facts(stage, left));
    await this.#drain(stage, record, moved);
  }

  /** The moment of the switch: nobody writes meanwhile. @returns what the next process would have to know */
  async #turnOver(
    stage: Stage,
    { changed, moved }: { changed: readonly ThreadKey[]; moved: Set<string> },
  ): Promise<SwitchRecord> {
    const { carrier, router, records, configured } = this.#options;
    const { old, next, progress } = stage;
    this.#closing.signal.throwIfAborted();
    const { copy, startedAt } = progress;
    const inUse = await threadsInUse(old.databases.app, copy ? startedAt - CLOCK_SLACK_MS : NEVER);
    const threads = new Map([...inUse, ...(copy ? changed : [])].map((thread) => [keyOf(thread), thread]));
    if (copy && old.databases.items !== next.databases.items) await carrier.copyItems(old, next);
    const record: SwitchRecord = {
      version: 1,
      id: randomUUID(),
      phase: "draining",
      configured,
      from: old.locations.database,
      to: next.locations.database,
      copy,
      startedAt,
      threads: [...threads.values()],
    };
    const before = records.read();
    try {
      records.write(record);
    } catch (error) {
      records.restore(before);
      throw error;
    }
    router.begin(next, record.threads, this.#mover(stage, record, moved));
    return record;
  }

  /** The old one holds a thread until what this returns is done. */
  #mover({ old, next }: Stage, record: SwitchRecord, moved: Set<string>) {
    const { carrier, records } = this.#options;
    return async (thread: ThreadKey): Promise<void> => {
      await carrier.copyThread(old, next, thread, record.copy);
      records.noteMoved(record, thread);
      moved.add(keyOf(thread));
    };
  }

  async #drain(stage: Stage, record: SwitchRecord, moved: ReadonlySet<string>): Promise<void> {
    const { router, logger, lookMilliseconds } = this.#options;
    const { old, next, progress, unlock } = stage;
    try {
      const signal = this.#closing.signal;
      const isFree = await drain({ router, old, next, record, moved, signal, logger, lookMilliseconds });
      if (!isFree) return;
      this.#note(record, next);
      await old.close();
      this.#side = next;
      progress.phase = "done";
      logger.warn("The database was switched; the old one is closed.", this.#facts(stage, {}));
    } catch (error) {
      // Everything is on the new one; only what the next start is told, or the closing, went wrong.
      progress.problem = reasonOf(error);
      logger.error("A switch of the database did not end as it should.", { reason: reasonOf(error) });
    } finally {
      unlock();
    }
  }

  /** The next start needs to be told only while the configuration names another place. */
  #note(record: SwitchRecord, next: OpenedSide): void {
    const { records, configured } = this.#options;
    if (locationName(next.locations.database) === configured) records.remove();
    else records.write({ ...record, phase: "done", threads: [] });
  }

  /** Only before the turn: the old database is in use as before. */
  async #fail({ next, progress, unlock }: Stage, error: unknown): Promise<void> {
    const { router, logger } = this.#options;
    router.stopWatching();
    progress.phase = "failed";
    progress.problem = reasonOf(error);
    unlock();
    const { from, to } = progress;
    logger.error("The database was not switched; the old one stays in use.", {
      from,
      to,
      reason: reasonOf(error),
    });
    await next.close();
  }

  #facts({ progress: { from, to } }: Stage, more: Readonly<Record<string, unknown>>) {
    return { from, to, ...more };
  }

  #statusOf({ problem, ...progress }: Progress): SwitchStatus {
    const { pending, current } = this.#options.router;
    const shown = problem ?? pending?.problems[0];
    return {
      ...progress,
      current: current.name,
      runsOnOld: pending?.runs ?? 0,
      threadsOnOld: pending?.size ?? 0,
      ...(shown === undefined ? {} : { problem: shown }),
    };
  }
}

const progressOf = ({
  from,
  to,
  copy,
  startedAt,
}: Pick<Progress, "from" | "to" | "copy" | "startedAt">): Progress => ({
  phase: "copying",
  from,
  to,
  copy,
  startedAt,
  threadsLeft: 0,
  problem: undefined,
});
