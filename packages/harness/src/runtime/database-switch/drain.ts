/** Waits until the old database holds nothing any more. */
import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../base/errors.js";
import type { Logger } from "../../base/logger.js";
import { threadsInUse } from "../../persistence/stores/thread-census.js";
import type { DatabaseSide, ThreadKey } from "./contract.js";
import { keyOf, type PendingThreads } from "./pending-threads.js";
import type { SwitchRecord } from "./switch-record.js";
import type { ThreadRouter } from "./thread-router.js";

export interface DrainOptions {
  readonly router: ThreadRouter;
  readonly old: DatabaseSide;
  readonly next: DatabaseSide;
  readonly record: SwitchRecord;
  /** Keys of the threads that were moved. */
  readonly moved: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly lookMilliseconds?: number | undefined;
}

/** Another process does not tell when its run is over. */
const LOOK_MS = 500;
/** What could not be moved is not tried again at once: it may be large. */
const RETRY_MS = 15_000;
/** Whoever still reads from the old database after so long gets an error. */
const READERS_PATIENCE_MS = 30_000;
const NEVER = Number.MAX_SAFE_INTEGER;

/** @returns false when the signal came first */
export async function drain(options: DrainOptions): Promise<boolean> {
  const { router, signal, logger, lookMilliseconds = LOOK_MS } = options;
  let said = "";
  while (!signal.aborted) {
    const { pending } = router;
    if (pending === undefined) return true;
    const problem = await moveOnce(pending, options);
    if (problem !== undefined && problem !== said) {
      logger.warn("A thread could not be moved to the new database yet.", { reason: problem });
    }
    said = problem ?? "";
    if (pending.size === 0 && problem === undefined) {
      await Promise.race([router.end(), pause(READERS_PATIENCE_MS, signal)]);
      return true;
    }
    await pause(problem === undefined || pending.runs > 0 ? lookMilliseconds : RETRY_MS, signal);
  }
  return false;
}

/** @returns what is in the way */
async function moveOnce(pending: PendingThreads, options: DrainOptions): Promise<string | undefined> {
  try {
    await pending.moveAll(options.signal);
    if (pending.size === 0) pending.add(await lateThreads(options));
    return pending.problems[0];
  } catch (error) {
    return reasonOf(error); // the old database does not answer, say
  }
}

/**
 * Threads that another process, which had the old database open, made there after the turn. What it went on with and
 * the new one holds already stays as the new one has it.
 */
async function lateThreads({ old, next, record, moved }: DrainOptions): Promise<readonly ThreadKey[]> {
  const inUse = await threadsInUse(old.databases.app, record.copy ? record.startedAt : NEVER);
  const late: ThreadKey[] = [];
  for (const thread of inUse.filter((each) => !moved.has(keyOf(each)))) {
    const { principal, threadId } = thread;
    if ((await next.persistence.threads.find(principal, threadId)) === undefined) late.push(thread);
  }
  return late;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined); // aborted: at once
}
