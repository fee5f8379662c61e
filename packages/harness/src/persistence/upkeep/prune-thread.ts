/** Removes old checkpoints of a thread, and everything that only they needed. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import { DeerflowError } from "../../base/errors.js";
import type {
  CheckpointKey,
  CheckpointRows,
  HeadOf,
  NumberRanges,
  ThreadRow,
  ThreadTable,
  WriteRow,
} from "../checkpoint/checkpoint-rows.js";
import { namingDamage } from "../checkpoint/naming-damage.js";
import { timeOfId } from "./checkpoint-facts.js";
import { missingFrom } from "./number-set.js";
import { decideRetention, type Retention, type RetentionRules } from "./checkpoint-retention.js";
import { StoredCheckpoints } from "./stored-checkpoints.js";
import {
  findNeeded,
  groupsOf,
  NUMBERED_TABLES,
  type NumberedTable,
  type Numbers,
  rangesOf,
  readFoldedLists,
  readHeads,
  type ThreadHeads,
} from "./thread-heads.js";
import type { UpkeepSaver } from "./upkeep-saver.js";

export interface PruneOptions {
  /** How many of the newest checkpoints stay. May be left out where `olderThan` is given. */
  readonly keepLast?: number | undefined;
  /** Only checkpoints of more than this age go: milliseconds. Younger ones stay besides the last. */
  readonly olderThan?: number | undefined;
  /** Keep where branches part, and the end of each branch. Default true. */
  readonly keepForkBases?: boolean | undefined;
  /** Keep the newest checkpoint that asked a person. Default true. */
  readonly keepNewestInterrupt?: boolean | undefined;
  /** Say what would be removed, and remove nothing. */
  readonly dryRun?: boolean | undefined;
  /** Milliseconds since 1970; the time of the machine by default. */
  readonly now?: number | undefined;
}

/** Rows of each table, and the bytes of their data. */
export type RemovedRows = Readonly<Record<ThreadTable, number>> & { readonly bytes: number };

export interface PruneReport {
  readonly threadId: string;
  readonly dryRun: boolean;
  /** What was removed; with `dryRun` what would be. */
  readonly removed: RemovedRows;
  /** How many checkpoints stay, and how many of them for which reason. */
  readonly kept: { readonly checkpoints: number; readonly reasons: Readonly<Record<string, number>> };
}

/** A write may be stored before its checkpoint is; one whose checkpoint is still missing after that was left over. */
const ORPHANED_AFTER_MS = 60 * 60 * 1000;
const REMOVED_AT_ONCE = { bytes: 0, rows: 50 };

/**
 * The newest checkpoint of a thread always stays, with the writes of its unfinished tasks and of the subgraphs that
 * run in it. Safe while runs write, here and in other processes, but a run that went back to an old checkpoint
 * should be over: that checkpoint may go.
 *
 * @example await pruneThread(saver, threadId, { keepLast: 5 });
 * @throws DeerflowError `invalid_request` for options that make no sense; `database_damaged` for a thread that cannot
 *   be read, from which nothing is removed; `database_*`
 */
export async function pruneThread(
  saver: UpkeepSaver,
  threadId: string,
  options: PruneOptions,
): Promise<PruneReport> {
  const rules = rulesOf(options);
  const { database, scope } = saver.storage;
  const known = new StoredCheckpoints(saver.serde);
  const plan = (rows: CheckpointRows, thread: ThreadRow) =>
    namingDamage({ database: database.name, threadId }, () => makePlan(rows, { thread, known, rules }));
  // Decided first beside the writers, so that they wait only where something goes, and then not for the reading.
  const first = await database
    .read(async (rows) => {
      const thread = await rows.findThread(scope, threadId);
      if (thread === undefined) return "absent";
      await namingDamage({ database: database.name, threadId }, () => known.load(rows, thread.key));
      return plan(rows, thread);
    })
    .catch(unlessDamaged);
  if (first === "absent") return reportOf(threadId, options, undefined);
  const isEnough = first !== undefined && (options.dryRun || !removesSomething(first));
  if (isEnough) return reportOf(threadId, options, first);
  const done = await database.write(async (rows) => {
    if ((await rows.findThread(scope, threadId)) === undefined) return undefined;
    const [thread] = await rows.lockThreads(scope, [threadId]);
    if (thread === undefined) return undefined;
    const decided = await plan(rows, thread);
    if (!options.dryRun) await carryOut(rows, thread, decided);
    return decided;
  });
  return reportOf(threadId, options, done);
}

/** Where a reading is no snapshot, rows may be pruned under it: what is damaged shows when the thread is held. */
function unlessDamaged(error: unknown): undefined {
  if (!DeerflowError.is(error) || error.code !== "database_damaged") throw error;
}

/** @throws DeerflowError `invalid_request` */
function rulesOf(options: PruneOptions): RetentionRules {
  const { keepLast, olderThan, keepForkBases = true, keepNewestInterrupt = true, now = Date.now() } = options;
  const refuse = (reason: string) => new DeerflowError("invalid_request", { reason });
  if (keepLast === undefined && olderThan === undefined) {
    throw refuse("pruning needs the number of checkpoints to keep, or the age from which they go");
  }
  if (keepLast !== undefined && !(Number.isSafeInteger(keepLast) && keepLast >= 1)) {
    throw refuse(`${keepLast} is not a number of checkpoints to keep: at least 1 stays`);
  }
  if (olderThan !== undefined && !(Number.isFinite(olderThan) && olderThan >= 0)) {
    throw refuse(`${olderThan} is not an age in milliseconds`);
  }
  const keepSince = olderThan === undefined ? undefined : now - olderThan;
  return { keepLast, keepSince, keepForkBases, keepNewestInterrupt };
}

interface Plan {
  readonly retention: Retention;
  /** Writes whose checkpoint never came. */
  readonly orphans: readonly HeadOf<WriteRow>[];
  readonly garbage: Readonly<Record<NumberedTable, NumberRanges>>;
  readonly removed: RemovedRows;
}

async function makePlan(
  rows: CheckpointRows,
  { thread, known, rules }: { thread: ThreadRow; known: StoredCheckpoints; rules: RetentionRules },
): Promise<Plan> {
  const heads = await readHeads(rows, thread.key);
  const facts = await known.facts(rows, thread.key, heads.checkpoints);
  const interrupted = new Set(heads.writes.filter(({ channel }) => channel === INTERRUPT).map(checkpointOf));
  const retention = decideRetention(
    facts.map((each) => ({ ...each, interrupted: interrupted.has(keyOf(each)) })),
    rules,
  );
  const orphans = orphanedWrites(heads);
  const gone = new Set([...retention.removed.map(keyOf), ...orphans.map(checkpointOf)]);
  const left: ThreadHeads = {
    ...heads,
    checkpoints: heads.checkpoints.filter((head) => !gone.has(keyOf(head))),
    writes: heads.writes.filter((head) => !gone.has(checkpointOf(head))),
  };
  const refs = [...left.writes, ...left.values].map((row) => row.refs);
  const needed = findNeeded(left, await readFoldedLists(rows, thread.key, refs));
  requireStored(heads, needed);
  return { retention, orphans, ...garbageOf(heads, left, needed) };
}

/**
 * Where something is missing, what it referred to is not known, and would be taken for garbage.
 * @throws DeerflowError `internal`
 */
function requireStored(heads: ThreadHeads, needed: Numbers): void {
  for (const table of NUMBERED_TABLES) {
    const stored = heads[table].map(({ number }: { readonly number: number }) => number);
    const [number] = missingFrom(stored, needed[table].ranges);
    if (number === undefined) continue;
    throw new DeerflowError("internal", { reason: `number ${number} of the stored ${table} is missing` });
  }
}

function garbageOf(
  heads: ThreadHeads,
  left: ThreadHeads,
  needed: Numbers,
): Pick<Plan, "garbage" | "removed"> {
  const dropped = {
    values: heads.values.filter(({ number }) => !needed.values.has(number)),
    messages: heads.messages.filter(({ number }) => !needed.messages.has(number)),
    parts: heads.parts.filter(({ number }) => !needed.parts.has(number)),
  };
  const bytesOf = (table: readonly { readonly bytes: number }[]) =>
    table.reduce((sum, { bytes }) => sum + bytes, 0);
  const bytes =
    bytesOf([...heads.checkpoints, ...heads.writes]) -
    bytesOf([...left.checkpoints, ...left.writes]) +
    bytesOf([...dropped.values, ...dropped.messages, ...dropped.parts]);
  const numbers = (table: readonly { readonly number: number }[]) =>
    rangesOf(table.map(({ number }) => number));
  return {
    garbage: {
      values: numbers(dropped.values),
      messages: numbers(dropped.messages),
      parts: numbers(dropped.parts),
    },
    removed: {
      checkpoints: heads.checkpoints.length - left.checkpoints.length,
      writes: heads.writes.length - left.writes.length,
      values: dropped.values.length,
      messages: dropped.messages.length,
      parts: dropped.parts.length,
      bytes,
    },
  };
}

/** Writes without a checkpoint that are older than the newest one of their graph, and than any step in between. */
function orphanedWrites({ checkpoints, writes }: ThreadHeads): readonly HeadOf<WriteRow>[] {
  const stored = new Set(checkpoints.map(keyOf));
  const newest = new Map<string, string>();
  for (const { ns, id } of checkpoints) if (id > (newest.get(ns) ?? "")) newest.set(ns, id);
  return writes.filter((write) => {
    if (stored.has(checkpointOf(write))) return false;
    const after = newest.get(write.ns);
    const [made, madeAfter] = [timeOfId(write.checkpointId), timeOfId(after ?? "")];
    return made !== undefined && madeAfter !== undefined && made < madeAfter - ORPHANED_AFTER_MS;
  });
}

const keyOf = ({ ns, id }: CheckpointKey): string => JSON.stringify([ns, id]);
const checkpointOf = ({ ns, checkpointId }: Pick<WriteRow, "ns" | "checkpointId">): string =>
  keyOf({ ns, id: checkpointId });

const removesSomething = ({ removed, retention }: Plan): boolean =>
  removed.checkpoints + removed.writes + removed.values + removed.messages + removed.parts > 0 ||
  retention.moved.length > 0;

async function carryOut(rows: CheckpointRows, thread: ThreadRow, plan: Plan): Promise<void> {
  const { retention, orphans, garbage } = plan;
  for (const { ns, id, parentId } of retention.moved) {
    const row = await rows.findCheckpoint(thread.key, ns, id);
    if (row === undefined) continue;
    const checkpoints = [{ ...row, parentId }];
    await rows.add(thread.key, { checkpoints, parts: [], messages: [], values: [], writes: [] });
  }
  for (const group of groupsOf(
    retention.removed.map(({ ns, id }) => ({ ns, id, bytes: 0 })),
    REMOVED_AT_ONCE,
  )) {
    // SQLite answers at once: others get their turn of the event loop.
    await nextTurn();
    await rows.removeCheckpoints(thread.key, group);
  }
  await rows.removeWrites(
    thread.key,
    orphans.map(({ ns, checkpointId }) => ({ ns, id: checkpointId })),
  );
  for (const table of NUMBERED_TABLES) {
    await nextTurn();
    if (garbage[table].length > 0) await rows.removeNumbered(table, thread.key, garbage[table]);
  }
  // Savers everywhere forget which numbers they have given to what.
  const { nextMessage, nextValue, nextPart, generation } = thread;
  await rows.setCounters(thread.key, { nextMessage, nextValue, nextPart, generation: generation + 1 });
}

const NOTHING: RemovedRows = { checkpoints: 0, writes: 0, values: 0, messages: 0, parts: 0, bytes: 0 };

function reportOf(threadId: string, { dryRun = false }: PruneOptions, plan: Plan | undefined): PruneReport {
  const reasons: Record<string, number> = {};
  for (const reason of plan?.retention.kept.values() ?? []) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const checkpoints = plan?.retention.kept.size ?? 0;
  return { threadId, dryRun, removed: plan?.removed ?? NOTHING, kept: { checkpoints, reasons } };
}
