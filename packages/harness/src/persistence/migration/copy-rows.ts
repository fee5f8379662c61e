/** Copies the rows of a thread from one of our databases to another, a bounded part at a time, and digests them. */
import { createHash } from "node:crypto";
import type {
  CheckpointRows,
  ThreadAdditions,
  ThreadRow,
  ThreadTable,
  ThreadTables,
} from "../checkpoint/checkpoint-rows.js";

/** Bytes of rows in memory at one time, unless a single row is larger. */
const PART_BYTES = 4 * 1024 * 1024;
/** Rows of one question, whatever their size. */
const PART_ROWS = 500;

/** In the order in which rows may be added. */
const TABLES: readonly ThreadTable[] = ["parts", "messages", "values", "checkpoints", "writes"];
const NO_ROWS: ThreadAdditions = { parts: [], messages: [], values: [], checkpoints: [], writes: [] };

export interface CopiedRows {
  readonly checkpoints: number;
  readonly messages: number;
  readonly writes: number;
  /** Of the data columns. */
  readonly bytes: number;
}

/** Runs one question on the source; each may be a turn of its own, so that a long copy holds nobody up. */
export type ReadRows = <T>(work: (rows: CheckpointRows) => Promise<T>) => Promise<T>;

/** The rows of one table in their order, in parts of bounded size. */
async function* partsOf<T extends ThreadTable>(
  read: ReadRows,
  table: T,
  threadKey: number,
): AsyncGenerator<{ readonly rows: readonly ThreadTables[T][]; readonly bytes: number }> {
  const sizes = (await read((rows) => rows.heads(table, threadKey))).map(({ bytes }) => bytes);
  let after: ThreadTables[T] | undefined;
  for (let at = 0; at < sizes.length; ) {
    const { limit, bytes } = nextPart(sizes, at);
    const page = { after, limit };
    const rows = await read((turn) => turn.page(table, threadKey, page));
    if (rows.length === 0) return;
    yield { rows, bytes };
    after = rows.at(-1);
    at += rows.length;
  }
}

/** How many of the rows from `at` on are one part: at least one. */
export function nextPart(
  sizes: readonly number[],
  at: number,
): { readonly limit: number; readonly bytes: number } {
  let limit = 1;
  let bytes = sizes[at] ?? 0;
  while (limit < PART_ROWS && at + limit < sizes.length) {
    const more = sizes[at + limit] ?? 0;
    if (bytes + more > PART_BYTES) break;
    bytes += more;
    limit += 1;
  }
  return { limit, bytes };
}

/**
 * Copies all rows with their numbers into the thread of key `to`, which has none.
 *
 * @param target - in a transaction
 */
export async function copyRows(
  source: { readonly read: ReadRows; readonly thread: ThreadRow },
  target: { readonly rows: CheckpointRows; readonly threadKey: number },
  signal?: AbortSignal,
): Promise<CopiedRows> {
  const counts = { parts: 0, messages: 0, values: 0, checkpoints: 0, writes: 0, bytes: 0 };
  for (const table of TABLES) {
    for await (const { rows, bytes } of partsOf(source.read, table, source.thread.key)) {
      signal?.throwIfAborted();
      await target.rows.add(target.threadKey, { ...NO_ROWS, [table]: rows });
      counts[table] += rows.length;
      counts.bytes += bytes;
    }
  }
  const { nextMessage, nextValue, nextPart: part, generation } = source.thread;
  await target.rows.setCounters(target.threadKey, { nextMessage, nextValue, nextPart: part, generation });
  return counts;
}

/** One digest of every row of a thread, and its next numbers. Equal in two databases that hold the same rows. */
export async function digestRows(read: ReadRows, thread: ThreadRow): Promise<string> {
  const hash = createHash("sha256");
  const { nextMessage, nextValue, nextPart: part } = thread;
  hash.update(JSON.stringify([nextMessage, nextValue, part]));
  for (const table of TABLES) {
    hash.update(`\n${table}\n`);
    for await (const { rows } of partsOf(read, table, thread.key)) {
      for (const row of rows) updateWithRow(hash, row);
    }
  }
  return hash.digest("hex");
}

function updateWithRow(hash: ReturnType<typeof createHash>, row: object): void {
  for (const [name, value] of Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))) {
    // Lengths stand before bytes, so that no two rows have one text.
    if (value instanceof Uint8Array) hash.update(`${name}:${value.length}:`).update(value);
    else hash.update(`${name}=${JSON.stringify(value)}`);
    hash.update("\n");
  }
}
