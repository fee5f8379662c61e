/** What a thread's checkpoints take, and what of it is large. */
import type { CheckpointRows, ListedThreadRow, ThreadTable } from "../checkpoint/checkpoint-rows.js";
import { timeOfId } from "./checkpoint-facts.js";
import { readHeads, type ThreadHeads } from "./thread-heads.js";
import type { UpkeepSaver } from "./upkeep-saver.js";

export interface LargeRow {
  readonly kind: "message" | "value" | "part" | "write";
  /** Its number within the thread; for a write the checkpoint, the task and the place. */
  readonly name: string;
  /** The channel of a value or write, the media type of a part. */
  readonly of: string;
  readonly bytes: number;
}

export interface ThreadStats {
  readonly threadId: string;
  /** Rows of each table. */
  readonly rows: Readonly<Record<ThreadTable, number>>;
  /** Bytes as they are stored, indexes and columns other than data aside. */
  readonly bytes: Readonly<Record<ThreadTable, number>> & { readonly total: number };
  /** Values and writes of each channel, without the messages and parts that they refer to; largest first. */
  readonly channels: readonly {
    readonly channel: string;
    readonly values: number;
    readonly writes: number;
    readonly bytes: number;
  }[];
  /** Largest first; at most ten. */
  readonly largest: readonly LargeRow[];
  /** When the oldest and newest checkpoint were made: milliseconds since 1970; undefined when their ids do not say. */
  readonly oldest: number | undefined;
  readonly newest: number | undefined;
}

const LARGEST = 10;
const THREADS_A_PAGE = 100;

/**
 * Of one thread, or of all of the saver's scope. A thread that is not stored gives nothing.
 *
 * @example const [stats] = await threadStats(saver, threadId);
 */
export async function threadStats(saver: UpkeepSaver, threadId?: string): Promise<readonly ThreadStats[]> {
  const all: ThreadStats[] = [];
  for await (const thread of threadsOf(saver, threadId)) {
    const heads = await saver.storage.database.read((rows) => readHeads(rows, thread.key));
    all.push(statsOf(thread.threadId, heads));
  }
  return all;
}

/** The threads of a saver's scope, oldest first; or the one that is named, where it is stored. */
export async function* threadsOf(
  { storage: { database, scope } }: UpkeepSaver,
  threadId?: string,
): AsyncIterable<Pick<ListedThreadRow, "key" | "threadId">> {
  if (threadId !== undefined) {
    const thread = await database.read((rows) => rows.findThread(scope, threadId));
    if (thread !== undefined) yield { key: thread.key, threadId };
    return;
  }
  let afterKey: number | undefined;
  do {
    const after = afterKey;
    const list = (rows: CheckpointRows) =>
      rows.listThreads({ scope, afterKey: after, limit: THREADS_A_PAGE });
    const page: readonly ListedThreadRow[] = await database.read(list);
    yield* page;
    afterKey = page.at(-1)?.key;
  } while (afterKey !== undefined);
}

/** Pure. */
export function statsOf(threadId: string, heads: ThreadHeads): ThreadStats {
  const { checkpoints, messages, values, writes, parts } = heads;
  const bytes = {
    checkpoints: sum(checkpoints),
    messages: sum(messages),
    values: sum(values),
    writes: sum(writes),
    parts: sum(parts),
  };
  const times = checkpoints.map(({ id }) => timeOfId(id)).filter((time) => time !== undefined);
  const earlier = (a: number, b: number) => Math.min(a, b);
  const later = (a: number, b: number) => Math.max(a, b);
  return {
    threadId,
    rows: {
      checkpoints: checkpoints.length,
      messages: messages.length,
      values: values.length,
      writes: writes.length,
      parts: parts.length,
    },
    bytes: { ...bytes, total: Object.values(bytes).reduce((total, each) => total + each, 0) },
    channels: channelsOf(heads),
    largest: largestOf(heads),
    oldest: times.length === 0 ? undefined : times.reduce(earlier),
    newest: times.length === 0 ? undefined : times.reduce(later),
  };
}

const sum = (rows: readonly { readonly bytes: number }[]): number =>
  rows.reduce((total, { bytes }) => total + bytes, 0);

function channelsOf({ values, writes }: ThreadHeads): ThreadStats["channels"] {
  const channels = new Map<string, { values: number; writes: number; bytes: number }>();
  for (const [table, heads] of [["values", values] as const, ["writes", writes] as const]) {
    for (const { channel, bytes } of heads) {
      const before = channels.get(channel) ?? { values: 0, writes: 0, bytes: 0 };
      channels.set(channel, { ...before, [table]: before[table] + 1, bytes: before.bytes + bytes });
    }
  }
  return [...channels]
    .map(([channel, counted]) => ({ channel, ...counted }))
    .sort((a, b) => b.bytes - a.bytes || (a.channel < b.channel ? -1 : 1));
}

function largestOf({ messages, values, parts, writes }: ThreadHeads): LargeRow[] {
  const all: LargeRow[] = [
    ...messages.map(({ number, bytes }) => ({
      kind: "message" as const,
      name: String(number),
      of: "",
      bytes,
    })),
    ...values.map(({ number, channel, bytes }) => ({
      kind: "value" as const,
      name: String(number),
      of: channel,
      bytes,
    })),
    ...parts.map(({ number, mediaType, bytes }) => ({
      kind: "part" as const,
      name: String(number),
      of: mediaType,
      bytes,
    })),
    ...writes.map(({ checkpointId, taskId, index, channel, bytes }) => ({
      kind: "write" as const,
      name: `${checkpointId} ${taskId} ${index}`,
      of: channel,
      bytes,
    })),
  ];
  return all.sort((a, b) => b.bytes - a.bytes).slice(0, LARGEST);
}
