/** The checkpoint saver above any database: each message of a thread is stored once, and each changed value once. */
import { isDeepStrictEqual } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  copyCheckpoint,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { DeerflowError } from "../../base/errors.js";
import { KeyedLock } from "../../base/keyed-lock.js";
import { channelMapToText } from "./channel-map.js";
import { placeChannels, placeData, type Storing } from "./channel-writer.js";
import {
  checkpointIdOf,
  configOf,
  namespaceOf,
  requireCheckpointId,
  requireThreadId,
  storableText,
  threadIdOf,
} from "./checkpoint-config.js";
import { type CheckpointParts, decodeMetadata, fetchParts, toTuple } from "./checkpoint-reader.js";
import type {
  CheckpointDatabase,
  CheckpointListQuery,
  CheckpointRows,
  ListedCheckpointRow,
  RunFence,
} from "./checkpoint-rows.js";
import { GroupCommit, type LoneWrite, type ThreadWrite } from "./group-commit.js";
import { findMedia, type StoredMedia } from "./media-reader.js";
import { markMessages } from "./message-marks.js";
import { MessageInterner } from "./message-interner.js";
import { namingDamage } from "./naming-damage.js";
import { ThreadMemory } from "./thread-memory.js";
import { ThreadShelf } from "./thread-shelf.js";
import { type EncodedValue, encodeMarked, encodePlain } from "./value-codec.js";

/** Rows of one reading of `list`: a long history is never in memory whole. */
const PAGE = 50;

export interface CheckpointSaverOptions {
  /** Whose threads these are: the tenant. Never taken from a client's fields. */
  readonly scope: string;
  /** How values other than messages are written; LangGraph's own by default. */
  readonly serde?: SerializerProtocol;
}

/** Where the checkpoints of a saver lie, for its upkeep. */
export interface CheckpointStorage {
  readonly database: CheckpointDatabase;
  readonly scope: string;
}

/** A checkpoint to be stored. */
export interface NewCheckpoint {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly newVersions: ChannelVersions;
  /** The run that writes; a write of a run that another process has taken over is refused. */
  readonly fence?: RunFence | undefined;
}

/** The writes of a task to be stored. */
export interface NewWrites {
  readonly config: RunnableConfig;
  readonly writes: readonly PendingWrite[];
  readonly taskId: string;
  readonly taskPath: string;
  /** The run that writes; a write of a run that another process has taken over is refused. */
  readonly fence?: RunFence | undefined;
}

/** Values that are ready for a transaction, and what is done with them there. */
interface Prepared {
  readonly values: readonly EncodedValue[];
  work(storing: Storing): Promise<void>;
}

/**
 * Works with any LangGraph.js graph. `put` and `putWrites` resolve after their commit; calls of one turn of the
 * event loop share it. Messages must not be changed once they were returned by a node, except that a missing id
 * may be set.
 */
export class InterningCheckpointSaver extends BaseCheckpointSaver {
  /** For the upkeep of what is stored. */
  readonly storage: CheckpointStorage;
  readonly #memory = new ThreadMemory();
  readonly #interner = new MessageInterner();
  readonly #commits: GroupCommit;
  readonly #order = new KeyedLock();
  readonly #underWay = new Set<Promise<void>>();

  constructor(database: CheckpointDatabase, { scope, serde }: CheckpointSaverOptions) {
    super(serde);
    this.storage = { database, scope };
    this.#commits = new GroupCommit({ database, scope, known: this.#memory });
  }

  /** Resolves when every `put`, `putWrites` and `deleteThread` so far is on disk or has failed. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  /** @throws DeerflowError `database_damaged` when what is stored cannot be decoded; it names the thread */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const threadId = threadIdOf(config);
    if (threadId === undefined) return undefined;
    const page = { threadId, ns: namespaceOf(config) ?? "", id: checkpointIdOf(config), limit: 1 };
    const { found } = await this.#readPage(page);
    return found[0] && this.#toTuple(found[0], true);
  }

  /** Newest first. The filter compares top-level keys of the metadata; of objects and lists the whole. Throws as `getTuple`. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const query = {
      threadId: threadIdOf(config),
      ns: namespaceOf(config),
      id: checkpointIdOf(config),
      beforeId: checkpointIdOf(options.before),
      limit: Math.min(PAGE, options.filter === undefined ? Math.ceil(options.limit ?? PAGE) : PAGE),
    };
    const shelves = new Map<number, ThreadShelf>();
    let left = Math.ceil(options.limit ?? Number.POSITIVE_INFINITY);
    let after: ListedCheckpointRow | undefined;
    while (left > 0) {
      const page = await this.#readPage({ ...query, after }, { filter: options.filter, shelves });
      for (const parts of page.found.slice(0, left)) yield this.#toTuple(parts, false);
      for (const shelf of shelves.values()) shelf.clear();
      left -= page.found.length;
      if (page.last === undefined) return;
      after = page.last;
    }
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.storeCheckpoint({ config, checkpoint, metadata, newVersions });
  }

  override putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    return this.storeWrites({ config, writes, taskId, taskPath });
  }

  /**
   * As `put`, for a run that may have been taken over.
   *
   * @throws DeerflowError `run_superseded`, `database_*`
   */
  async storeCheckpoint(stored: NewCheckpoint): Promise<RunnableConfig> {
    const { config, metadata, newVersions, fence } = stored;
    const threadId = requireThreadId(config);
    const ns = namespaceOf(config) ?? "";
    const parentId = checkpointIdOf(config);
    storableText("the checkpoint's id", stored.checkpoint.id);
    for (const channel of Object.keys(newVersions)) storableText("a channel", channel);
    // Copied and marked now, before anything is awaited: the caller may go on changing its checkpoint.
    const { channel_values, channel_versions, ...body } = copyCheckpoint(stored.checkpoint);
    const marked = Object.keys(newVersions)
      .filter((channel) => Object.hasOwn(channel_values, channel) && channel_values[channel] !== undefined)
      .map((channel) => [channel, markMessages(channel_values[channel])] as const);
    const encodeOther = async (channel: string) => {
      const value = Object.hasOwn(channel_values, channel) ? channel_values[channel] : undefined;
      return value === undefined ? undefined : encodeMarked(this.serde, markMessages(value));
    };
    await this.#store({ threadId, fence }, async () => {
      const values = new Map<string, EncodedValue>();
      for (const [channel, value] of marked) {
        const encoded = await encodeMarked(this.serde, value);
        // A function has no JSON; LangGraph's savers leave it out.
        if (encoded !== undefined) values.set(channel, encoded);
      }
      const row = {
        ns,
        id: body.id,
        parentId,
        format: body.v,
        body: await encodePlain(this.serde, body),
        metadata: await encodePlain(this.serde, metadata),
      };
      const put = { ns, parentId, versions: channel_versions, newVersions, values, encodeOther };
      return {
        values: [...values.values()],
        work: async (storing) => {
          const { batch, memory } = storing;
          const channels = await placeChannels(storing, put);
          batch.putCheckpoint({ ...row, channels: channelMapToText(channels) });
          batch.afterCommit(() => memory.keepChannels(batch.thread, row, channels));
        },
      };
    });
    return configOf({ threadId, ns, id: body.id });
  }

  /**
   * As `putWrites`, for a run that may have been taken over.
   *
   * @throws DeerflowError `run_superseded`, `database_*`
   */
  async storeWrites({ config, writes, taskId, taskPath, fence }: NewWrites): Promise<void> {
    const threadId = requireThreadId(config);
    const checkpointId = requireCheckpointId(config);
    const ns = namespaceOf(config) ?? "";
    for (const text of [taskId, taskPath, ...writes.map(([channel]) => channel)])
      storableText("a write's place", text);
    const marked = writes.map(([channel, value], index) => ({
      channel,
      index: (Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined) ?? index,
      value: markMessages(value),
    }));
    await this.#store({ threadId, fence }, async () => {
      const encoded: { channel: string; index: number; value: EncodedValue; data: Uint8Array }[] = [];
      for (const { channel, index, value: markedValue } of marked) {
        const value = await encodeMarked(this.serde, markedValue);
        if (value === undefined) throw new DeerflowError("database_value_invalid", { type: "function" });
        encoded.push({ channel, index, value, data: await value.data() });
      }
      return {
        values: encoded.map(({ value }) => value),
        work: async (storing) => {
          for (const { channel, index, value, data } of encoded) {
            const place = { ns, checkpointId, taskId, index, taskPath, channel };
            const placed = await placeData(storing, { data, messages: value.messages });
            storing.batch.addWrite({ ...place, ...placed });
          }
        },
      };
    });
  }

  override async deleteThread(threadId: string): Promise<void> {
    const { scope } = this.storage;
    const alone = async (rows: CheckpointRows) => {
      await rows.removeThread(scope, threadId);
    };
    await this.#submitInOrder(threadId, async () => ({ alone }));
  }

  /**
   * A media block of the thread's messages, by the SHA-256 of its base64 text in hexadecimal; undefined when the
   * thread has none with this hash.
   */
  findMedia(threadId: string, hash: string): Promise<StoredMedia | undefined> {
    const { database, scope } = this.storage;
    return this.#naming(threadId, () => database.read((rows) => findMedia(rows, { scope, threadId, hash })));
  }

  /** Bytes of everything that is stored of the thread, indexes aside. */
  threadBytes(threadId: string): Promise<number> {
    const { database, scope } = this.storage;
    return database.read(async (rows) => {
      const thread = await rows.findThread(scope, threadId);
      if (thread === undefined) return 0;
      return Object.values(await rows.sizes(thread.key)).reduce((sum, { bytes }) => sum + bytes, 0);
    });
  }

  /** Runs what `prepare` made ready in a shared transaction in which the messages of its values have their numbers. */
  async #store(
    { threadId, fence }: { threadId: string; fence: RunFence | undefined },
    prepare: () => Promise<Prepared>,
  ): Promise<void> {
    await this.#submitInOrder(threadId, async () => {
      const { values, work } = await prepare();
      const messages = new Set<BaseMessage>(values.flatMap((value) => value.messages));
      await this.#interner.prepare(messages);
      const { memory, interner } = { memory: this.#memory, interner: this.#interner };
      return {
        threadId,
        fence,
        run: async (batch) => {
          const numbers = await interner.intern(messages, batch);
          await work({ batch, memory, interner, numbers });
        },
      };
    });
  }

  /** Writes to one thread are submitted in the order in which they came, however long each takes to prepare. */
  async #submitInOrder(threadId: string, prepare: () => Promise<ThreadWrite | LoneWrite>): Promise<void> {
    const written = this.#write(threadId, prepare);
    this.#underWay.add(written);
    try {
      await written;
    } finally {
      this.#underWay.delete(written);
    }
  }

  async #write(threadId: string, prepare: () => Promise<ThreadWrite | LoneWrite>): Promise<void> {
    // In an object, because the lock is let go when the write is submitted and not when it is committed.
    const { committed } = await this.#order.hold(threadId, async () => {
      const write = await prepare();
      return { committed: this.#commits.submit(write) };
    });
    await committed;
  }

  async #readPage(
    query: Omit<CheckpointListQuery, "scope">,
    options: { filter?: Record<string, unknown> | undefined; shelves?: Map<number, ThreadShelf> } = {},
  ): Promise<{ found: readonly CheckpointParts[]; last: ListedCheckpointRow | undefined }> {
    const read = (shelves: Map<number, ThreadShelf>) =>
      this.storage.database.read(async (rows) => {
        const page = await rows.listCheckpoints({ scope: this.storage.scope, ...query });
        const wanted = await this.#matching(page, options.filter);
        const found: CheckpointParts[] = [];
        for (const [first, ofThread] of byThread(wanted)) {
          const shelf = shelves.get(first.threadKey) ?? this.#shelfOf(first);
          shelves.set(first.threadKey, shelf);
          found.push(...(await this.#naming(first.threadId, () => fetchParts(rows, ofThread, shelf))));
        }
        const place = new Map(wanted.map((row, index) => [row, index]));
        found.sort((a, b) => (place.get(a.row) ?? 0) - (place.get(b.row) ?? 0));
        return { found, last: page.at(-1) };
      });
    try {
      return await read(options.shelves ?? new Map());
    } catch (error) {
      if (!DeerflowError.is(error) || error.code !== "database_damaged") throw error;
      // Where a reading is no snapshot, rows may have been pruned under it; what is missing still is missing for good.
      return read(new Map());
    }
  }

  async #matching(
    page: readonly ListedCheckpointRow[],
    filter: Record<string, unknown> | undefined,
  ): Promise<readonly ListedCheckpointRow[]> {
    if (filter === undefined) return page;
    const wanted: ListedCheckpointRow[] = [];
    for (const row of page) {
      const metadata = await this.#naming(row.threadId, () => decodeMetadata(this.serde, row.metadata));
      if (matches(metadata, filter)) wanted.push(row);
    }
    return wanted;
  }

  #shelfOf(row: ListedCheckpointRow): ThreadShelf {
    return new ThreadShelf(row, { serde: this.serde, interner: this.#interner, memory: this.#memory });
  }

  #toTuple(parts: CheckpointParts, keep: boolean): Promise<CheckpointTuple> {
    return this.#naming(parts.row.threadId, () => toTuple(parts, { serde: this.serde, keep }));
  }

  #naming<T>(threadId: string, work: () => Promise<T>): Promise<T> {
    return namingDamage({ database: this.storage.database.name, threadId }, work);
  }
}

/** True when the metadata has every key of the filter with an equal value. */
export const matches = (metadata: CheckpointMetadata, filter: Record<string, unknown> | undefined): boolean =>
  Object.entries(filter ?? {}).every(
    ([key, value]) =>
      Object.hasOwn(metadata, key) && isDeepStrictEqual((metadata as Record<string, unknown>)[key], value),
  );

/** The rows of each thread, with the first of them. */
function byThread(
  rows: readonly ListedCheckpointRow[],
): Iterable<readonly [ListedCheckpointRow, readonly ListedCheckpointRow[]]> {
  const threads = new Map<number, [ListedCheckpointRow, ListedCheckpointRow[]]>();
  for (const row of rows) {
    const thread = threads.get(row.threadKey);
    if (thread === undefined) threads.set(row.threadKey, [row, [row]]);
    else thread[1].push(row);
  }
  return threads.values();
}
