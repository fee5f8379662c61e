/** Copies a thread: all of it, or the way to one of its checkpoints. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DeerflowError } from "../../base/errors.js";
import type {
  CheckpointKey,
  CheckpointRow,
  CheckpointRows,
  HeadOf,
  ThreadAdditions,
  ThreadCounters,
  ThreadRow,
  WriteRow,
} from "../checkpoint/checkpoint-rows.js";
import { namingDamage } from "../checkpoint/naming-damage.js";
import type { CheckpointFacts } from "./checkpoint-facts.js";
import { StoredCheckpoints } from "./stored-checkpoints.js";
import {
  findNeeded,
  groupsOf,
  rangesOf,
  readFoldedLists,
  readHeads,
  type ThreadHeads,
} from "./thread-heads.js";
import type { UpkeepSaver } from "./upkeep-saver.js";

export interface CopyOptions {
  /** Copy the way to this checkpoint of the outermost graph only, with the subgraphs that ran on it. */
  readonly checkpointId?: string | undefined;
  /** Where the copy goes: another database or scope. The saver's own by default. */
  readonly target?: UpkeepSaver | undefined;
}

export interface CopyReport {
  readonly checkpoints: number;
  readonly writes: number;
  readonly values: number;
  readonly messages: number;
  readonly parts: number;
}

/** Rows whose data is in memory together. */
const GROUP = { bytes: 4 * 1024 * 1024, rows: 50 };
/** How often a copy begins again because the thread was pruned meanwhile. */
const ATTEMPTS = 5;

/** Runs one reading of the source; in a turn of its own, or in the transaction of the copy. */
type Read = <T>(work: (rows: CheckpointRows) => Promise<T>) => Promise<T>;

interface Source {
  readonly saver: UpkeepSaver;
  readonly threadId: string;
  readonly checkpointId: string | undefined;
  readonly read: Read;
}

/**
 * Ids of checkpoints stay as they are. All or nothing: the copy is one transaction of its database.
 *
 * @example await copyThread(saver, threadId, "a-copy", { checkpointId });
 * @throws DeerflowError `thread_missing` without such a thread, `checkpoint_not_found`, `thread_exists` when the
 *   target is there already; `database_*`
 */
export async function copyThread(
  saver: UpkeepSaver,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const { database, scope } = saver.storage;
  const target = (options.target ?? saver).storage;
  const source = { saver, threadId: from, checkpointId: options.checkpointId };
  if (target.database === database) {
    return database.write(async (rows) => {
      // Held, so that nobody prunes it meanwhile; looked for first, because holding one adds it.
      if ((await rows.findThread(scope, from)) === undefined) throw missing(from);
      await rows.lockThreads(scope, [from]);
      const [free] = await rows.lockThreads(target.scope, [to]);
      return copyInto(rows, { free, to }, { ...source, read: (work) => work(rows) });
    });
  }
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const before = await database.read((rows) => rows.findThread(scope, from));
    if (before === undefined) throw missing(from);
    const isUnchanged = async () =>
      (await database.read((rows) => rows.findThread(scope, from)))?.generation === before.generation;
    try {
      return await target.database.write(async (rows) => {
        const [free] = await rows.lockThreads(target.scope, [to]);
        const report = await copyInto(rows, { free, to }, { ...source, read: (work) => database.read(work) });
        if (!(await isUnchanged())) throw new ChangedMeanwhile();
        return report;
      });
    } catch (error) {
      // What was pruned while it was read looks like damage.
      const isDamage = DeerflowError.is(error) && error.code === "database_damaged";
      if (!(error instanceof ChangedMeanwhile) && (!isDamage || (await isUnchanged()))) throw error;
    }
  }
  // It is pruned again and again: it is held while it is copied.
  return database.write(async (held) => {
    if ((await held.findThread(scope, from)) === undefined) throw missing(from);
    await held.lockThreads(scope, [from]);
    return target.database.write(async (rows) => {
      const [free] = await rows.lockThreads(target.scope, [to]);
      return copyInto(rows, { free, to }, { ...source, read: (work) => work(held) });
    });
  });
}

/** Rows were removed or replaced while the source, which is in another database, was read. */
class ChangedMeanwhile extends Error {}

const missing = (threadId: string): DeerflowError => new DeerflowError("thread_missing", { threadId });

async function copyInto(
  rows: CheckpointRows,
  { free, to }: { free: ThreadRow | undefined; to: string },
  source: Source,
): Promise<CopyReport> {
  const { saver, threadId } = source;
  if (free === undefined) throw new DeerflowError("internal", { reason: `thread ${to} could not be added` });
  if (!(await isEmpty(rows, free))) throw new DeerflowError("thread_exists", { threadId: to });
  const plan = await namingDamage({ database: saver.storage.database.name, threadId }, () =>
    source.read((read) => planCopy(read, source)),
  );
  return carryOver(source, plan, { rows, thread: free });
}

async function isEmpty(rows: CheckpointRows, { key }: ThreadRow): Promise<boolean> {
  const [checkpoint] = await rows.page("checkpoints", key, { after: undefined, limit: 1 });
  const [write] = await rows.page("writes", key, { after: undefined, limit: 1 });
  return checkpoint === undefined && write === undefined;
}

/** What is to be copied. */
interface CopyPlan {
  /** Read after its rows, so that its counters are above their numbers. */
  readonly thread: ThreadRow;
  readonly heads: ThreadHeads;
}

async function planCopy(rows: CheckpointRows, { saver, threadId, checkpointId }: Source): Promise<CopyPlan> {
  const found = await rows.findThread(saver.storage.scope, threadId);
  if (found === undefined) throw missing(threadId);
  const all = await readHeads(rows, found.key);
  const heads =
    checkpointId === undefined ? all : await headsOfWay(rows, found, all, { saver, threadId, checkpointId });
  const thread = await rows.findThread(saver.storage.scope, threadId);
  if (thread?.key !== found.key) throw new ChangedMeanwhile(threadId);
  return { thread, heads };
}

async function headsOfWay(
  rows: CheckpointRows,
  thread: ThreadRow,
  heads: ThreadHeads,
  to: { readonly saver: UpkeepSaver; readonly threadId: string; readonly checkpointId: string },
): Promise<ThreadHeads> {
  const known = new StoredCheckpoints(to.saver.serde);
  await known.load(rows, thread.key);
  const chosen = wayTo(await known.facts(rows, thread.key, heads.checkpoints), to.checkpointId);
  if (chosen.size === 0) {
    throw new DeerflowError("checkpoint_not_found", { threadId: to.threadId, checkpointId: to.checkpointId });
  }
  const checkpoints = heads.checkpoints.filter((head) => chosen.has(keyOf(head)));
  const writes = heads.writes.filter(({ ns, checkpointId: id }) => chosen.has(keyOf({ ns, id })));
  const refs = [...writes, ...heads.values].map((row) => row.refs);
  const lists = await readFoldedLists(rows, thread.key, refs);
  const needed = findNeeded({ ...heads, checkpoints, writes }, lists);
  return {
    checkpoints,
    writes,
    values: heads.values.filter(({ number }) => needed.values.has(number)),
    messages: heads.messages.filter(({ number }) => needed.messages.has(number)),
    parts: heads.parts.filter(({ number }) => needed.parts.has(number)),
  };
}

/** A checkpoint of the outermost graph, its ancestors, and the subgraphs that ran in them; empty without it. Pure. */
export function wayTo(checkpoints: readonly CheckpointFacts[], id: string): ReadonlySet<string> {
  const byKey = new Map(checkpoints.map((each) => [keyOf(each), each]));
  const chosen = new Set<string>();
  for (let at = byKey.get(keyOf({ ns: "", id })); at !== undefined; ) {
    chosen.add(keyOf(at));
    const parent: string = keyOf({ ns: "", id: at.parentId ?? "" });
    at = chosen.has(parent) ? undefined : byKey.get(parent);
  }
  // A subgraph's namespace is longer than those around it.
  const inside = checkpoints.filter(({ ns }) => ns !== "").sort((a, b) => a.ns.length - b.ns.length);
  for (const each of inside) {
    const around = [...each.parents].map(([ns, outer]) => keyOf({ ns, id: outer }));
    if (around.length > 0 && around.every((key) => chosen.has(key))) chosen.add(keyOf(each));
  }
  return chosen;
}

const keyOf = ({ ns, id }: CheckpointKey): string => JSON.stringify([ns, id]);

/** Numbers within a thread stay, so that everything that refers to them can be copied as it is. */
async function carryOver(
  { read, threadId }: Source,
  { thread, heads }: CopyPlan,
  into: { readonly rows: CheckpointRows; readonly thread: ThreadRow },
): Promise<CopyReport> {
  const none: ThreadAdditions = { parts: [], messages: [], values: [], checkpoints: [], writes: [] };
  const add = (more: Partial<ThreadAdditions>) => into.rows.add(into.thread.key, { ...none, ...more });
  // None refers to a later one.
  for (const table of ["parts", "messages", "values"] as const) {
    const numbered: readonly { readonly number: number; readonly bytes: number }[] = heads[table];
    for (const group of groupsOf(numbered, GROUP)) {
      await nextTurn();
      const numbers = rangesOf(group.map(({ number }) => number));
      await add({ [table]: await read((rows) => rows.findNumbered(table, thread.key, numbers)) });
    }
  }
  const planned = new Set(heads.writes.map(writeKeyOf));
  let writes = 0;
  for (const group of groupsOf(heads.checkpoints, GROUP)) {
    await nextTurn();
    const checkpoints = await read((rows) => findCheckpoints(rows, thread.key, group));
    if (checkpoints.length < group.length) throw new ChangedMeanwhile(threadId);
    const found = await read((rows) => rows.findWrites(thread.key, group));
    // What came after the plan refers to rows that came after it.
    const stored = found.filter((write) => planned.has(writeKeyOf(write)));
    await add({ checkpoints, writes: stored });
    writes += stored.length;
  }
  await into.rows.setCounters(into.thread.key, countersAbove(thread, into.thread));
  const { checkpoints, values, messages, parts } = heads;
  return {
    checkpoints: checkpoints.length,
    writes,
    values: values.length,
    messages: messages.length,
    parts: parts.length,
  };
}

const writeKeyOf = ({ ns, checkpointId, taskId, index }: Omit<HeadOf<WriteRow>, "bytes">): string =>
  JSON.stringify([ns, checkpointId, taskId, index]);

const countersAbove = (source: ThreadRow, copy: ThreadRow): ThreadCounters => ({
  nextMessage: Math.max(source.nextMessage, copy.nextMessage),
  nextValue: Math.max(source.nextValue, copy.nextValue),
  nextPart: Math.max(source.nextPart, copy.nextPart),
  // Whoever knows the thread as it was before it became empty knows other numbers.
  generation: copy.generation + 1,
});

/** Those that are there still, and as they were. */
async function findCheckpoints(
  rows: CheckpointRows,
  threadKey: number,
  heads: readonly HeadOf<CheckpointRow>[],
): Promise<readonly CheckpointRow[]> {
  const checkpoints: CheckpointRow[] = [];
  for (const { ns, id, channels } of heads) {
    const row = await rows.findCheckpoint(threadKey, ns, id);
    if (row?.channels === channels) checkpoints.push(row);
  }
  return checkpoints;
}
