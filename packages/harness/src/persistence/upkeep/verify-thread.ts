/** Checks what is stored of a thread: that everything is there that is referred to, whole, and as it was written. */
import type { CheckpointRows, ThreadTable } from "../checkpoint/checkpoint-rows.js";
import { checkContents, type ThreadSource } from "./check-contents.js";
import { type CheckedHeads, checkReferences, type Finding } from "./check-references.js";
import type { UpkeepSaver } from "./upkeep-saver.js";

export interface VerifyReport {
  readonly threadId: string;
  /** False when no such thread is stored. */
  readonly exists: boolean;
  /** Empty for a sound thread. */
  readonly findings: readonly Finding[];
  /** How many rows were looked at. */
  readonly rows: Readonly<Record<ThreadTable, number>>;
  /** Rows that nothing refers to. They do no harm; pruning removes them. */
  readonly orphans: CheckedHeads["orphans"];
}

/** How often it begins again because the thread was pruned meanwhile, before it makes the writers wait. */
const ATTEMPTS = 3;

/**
 * Damage of the thread is what it returns; it throws only when the database itself fails.
 *
 * @example const { findings } = await verifyThread(saver, threadId);
 * @throws DeerflowError `database_*`
 */
export async function verifyThread(saver: UpkeepSaver, threadId: string): Promise<VerifyReport> {
  const { database, scope } = saver.storage;
  const { serde } = saver;
  const find = (rows: CheckpointRows) => rows.findThread(scope, threadId);
  const verify = async (read: ThreadSource["read"], threadKey: number): Promise<VerifyReport> => {
    const checked = await read((rows) => checkReferences(rows, threadKey, () => find(rows)));
    const contents = await checkContents({ serde, threadKey, read }, checked.heads);
    return reportOf(threadId, checked, contents);
  };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await database.read(find);
    if (before === undefined) return absent(threadId);
    const report = await verify((work) => database.read(work), before.key);
    const after = await database.read(find);
    if (after?.key === before.key && after.generation === before.generation) return report;
  }
  return database.write(async (rows) => {
    if ((await find(rows)) === undefined) return absent(threadId);
    const [thread] = await rows.lockThreads(scope, [threadId]);
    return thread === undefined ? absent(threadId) : verify((work) => work(rows), thread.key);
  });
}

function reportOf(threadId: string, checked: CheckedHeads, contents: readonly Finding[]): VerifyReport {
  const { heads, findings, orphans } = checked;
  return {
    threadId,
    exists: true,
    findings: [...findings, ...contents],
    rows: {
      parts: heads.parts.length,
      messages: heads.messages.length,
      values: heads.values.length,
      checkpoints: heads.checkpoints.length,
      writes: heads.writes.length,
    },
    orphans,
  };
}

const absent = (threadId: string): VerifyReport => ({
  threadId,
  exists: false,
  findings: [],
  rows: { parts: 0, messages: 0, values: 0, checkpoints: 0, writes: 0 },
  orphans: { values: 0, messages: 0, parts: 0, writes: 0 },
});
