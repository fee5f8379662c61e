/** Copies a thread: all of it, or the way to one of its checkpoints. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DeerflowError } from "../../base/errors.js";
import type {
  CheckpointKey,
  CheckpointRow,
  CheckpointRows,
  ThreadAdditions,
  ThreadRow,
} from "../checkpoint/checkpoint-rows.js";
import { namingDamage } from "../checkpoint/naming-damage.js";
import type { CheckpointFacts } from "./checkpoint-facts.js";
import { StoredCheckpoints } from "./stored-checkpoints.js";
import {
  findNeeded,
  groupsOf,
  type NumberedTable,
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
const GROUP = { bytes: 8 * 1024 * 1024, rows: 500 };
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
      const [, free] = await rows
        .lockThreads(scope, [from])
        .then(async (held) => [...held, ...(await rows.lockThreads(target.scope, [to]))]);
      return copyInto(rows, { free, to }, { ...source, read: (work) => work(rows) });
    });
  }
  for (let attempt = 1; ; attempt += 1) {
    const before = await database.read((rows) => rows.findThread(scope, from));
    if (before === undefined) throw missing(from);
    try {
      return await target.database.write(async (rows) => {
        const [free] = await rows.lockThreads(target.scope, [to]);
        const report = await copyInto(rows, { free, to }, { ...source, read: (work) => database.read(work) });
        const after = await database.read((read) => read.findThread(scope, from));
        if (after?.key !== before.key || after.generation !== before.generation) throw new PrunedMeanwhile();
        return report;
      });
    } catch (error) {
      const isPruned =
        (await database.read((rows) => rows.findThread(scope, from)))?.generation !== before.generation;
      if (!isPruned) throw error;
      if (attempt === ATTEMPTS)
        throw new DeerflowError(
          "internal",
          { reason: `thread ${from} was pruned each time that it was copied` },
          error,
        );
    }
  }
}

/** Rows that the copy refers to may have gone. */
class PrunedMeanwhile extends Error {}

const missing = (threadId: string): DeerflowError => new DeerflowError("thread_missing", { threadId });

async function copyInto(
  rows: CheckpointRows,
  { free, to }: { free: ThreadRow | undefined; to: string },
  source: Source,
): Promise<CopyReport> {
  const { saver, threadId } = source;
  if (free === undefined) throw new DeerflowError("internal", { reason: `thread ${to} could not be added` });
  if (!(await isEmpty(rows, free))) throw new DeerflowError("thread_exists", { threadId: to });
  return namingDamage({ database: saver.storage.database.name, threadId }, async () => {
    const plan = await source.read((read) => planCopy(read, source));
    return carryOver(source.read, plan, { rows, thread: free });
  });
}

async function isEmpty(rows: CheckpointRows, { key }: ThreadRow): Promise<boolean> {
  const [checkpoint] = await rows.page("checkpoints", key, { after: undefined, limit: 1 });
  const [write] = await rows.page("writes", key, { after: undefined, limit: 1 });
  return checkpoint === undefined && write === undefined;
}

/** What is to be copied. */
interface CopyPlan {
  readonly thread: ThreadRow;
  readonly checkpoints: ThreadHeads["checkpoints"];
  readonly numbered: { readonly [T in NumberedTable]: ThreadHeads[T] };
}

async function planCopy(rows: CheckpointRows, { saver, threadId, checkpointId }: Source): Promise<CopyPlan> {
  const thread = await rows.findThread(saver.storage.scope, threadId);
  if (thread === undefined) throw missing(threadId);
  const heads = await readHeads(rows, thread.key);
  if (checkpointId === undefined) return { thread, checkpoints: heads.checkpoints, numbered: heads };
  const known = new StoredCheckpoints(saver.serde);
  await known.load(rows, thread.key);
  const chosen = wayTo(await known.facts(rows, thread.key, heads.checkpoints), checkpointId);
  if (chosen.size === 0) throw new DeerflowError("checkpoint_not_found", { threadId, checkpointId });
  const checkpoints = heads.checkpoints.filter((head) => chosen.has(keyOf(head)));
  const writes = heads.writes.filter(({ ns, checkpointId: id }) => chosen.has(keyOf({ ns, id })));
  const refs = [...writes, ...heads.values].map((row) => row.refs);
  const lists = await readFoldedLists(rows, thread.key, refs);
  const needed = findNeeded({ ...heads, checkpoints, writes }, lists);
  return {
    thread,
    checkpoints,
    numbered: {
      values: heads.values.filter(({ number }) => needed.values.has(number)),
      messages: heads.messages.filter(({ number }) => needed.messages.has(number)),
      parts: heads.parts.filter(({ number }) => needed.parts.has(number)),
    },
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
  read: Read,
  { thread, checkpoints, numbered }: CopyPlan,
  into: { readonly rows: CheckpointRows; readonly thread: ThreadRow },
): Promise<CopyReport> {
  const add = (more: Partial<ThreadAdditions>) =>
    into.rows.add(into.thread.key, {
      parts: [],
      messages: [],
      values: [],
      checkpoints: [],
      writes: [],
      ...more,
    });
  // None refers to a later one.
  for (const table of ["parts", "messages", "values"] as const) {
    const heads: readonly { readonly number: number; readonly bytes: number }[] = numbered[table];
    for (const group of groupsOf(heads, GROUP)) {
      await nextTurn();
      const numbers = rangesOf(group.map(({ number }) => number));
      await add({ [table]: await read((rows) => rows.findNumbered(table, thread.key, numbers)) });
    }
  }
  let writes = 0;
  for (const group of groupsOf(checkpoints, GROUP)) {
    await nextTurn();
    const rows = await read((from) => findCheckpoints(from, thread.key, group));
    await add(rows);
    writes += rows.writes.length;
  }
  await into.rows.setCounters(into.thread.key, {
    nextMessage: Math.max(thread.nextMessage, into.thread.nextMessage),
    nextValue: Math.max(thread.nextValue, into.thread.nextValue),
    nextPart: Math.max(thread.nextPart, into.thread.nextPart),
    // Whoever knows the thread as it was before it became empty knows other numbers.
    generation: into.thread.generation + 1,
  });
  const { values, messages, parts } = numbered;
  return {
    checkpoints: checkpoints.length,
    writes,
    values: values.length,
    messages: messages.length,
    parts: parts.length,
  };
}

async function findCheckpoints(
  rows: CheckpointRows,
  threadKey: number,
  keys: readonly CheckpointKey[],
): Promise<Pick<ThreadAdditions, "checkpoints" | "writes">> {
  const checkpoints: CheckpointRow[] = [];
  for (const { ns, id } of keys) {
    const row = await rows.findCheckpoint(threadKey, ns, id);
    if (row !== undefined) checkpoints.push(row);
  }
  return { checkpoints, writes: await rows.findWrites(threadKey, keys) };
}
