/** The checkpoint saver above any database: each message of a thread is stored once, and each changed value once. */
import { isDeepStrictEqual } from "node:util";
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
import { KeyedLock } from "../../base/keyed-lock.js";
import { type ChannelMap, type ChannelPlace, channelMapFromText, channelMapToText } from "./channel-map.js";
import {
  checkpointIdOf,
  configOf,
  namespaceOf,
  requireCheckpointId,
  requireThreadId,
  threadIdOf,
} from "./checkpoint-config.js";
import { type CheckpointParts, decodeMetadata, fetchParts, toTuple } from "./checkpoint-reader.js";
import type {
  CheckpointDatabase,
  CheckpointRows,
  ListedCheckpointRow,
  ThreadRow,
} from "./checkpoint-rows.js";
import { GroupCommit, type WriteOperation } from "./group-commit.js";
import { markMessages } from "./message-marks.js";
import { namingDamage } from "./naming-damage.js";
import { MessageInterner } from "./message-interner.js";
import { MessageShelf } from "./message-shelf.js";
import { type EncodedValue, encodeMarked, encodePlain, refsToText } from "./value-codec.js";

/** Rows of one reading of `list`: a long history is never in memory whole. */
const PAGE = 50;

export interface CheckpointSaverOptions {
  /** Whose threads these are: the tenant. Never taken from a client's fields. */
  readonly scope: string;
  /** How values other than messages are written; LangGraph's own by default. */
  readonly serde?: SerializerProtocol;
}

/** The transaction that a value is stored in. */
interface Storing {
  readonly rows: CheckpointRows;
  readonly thread: ThreadRow;
  readonly ns: string;
  readonly seqsOf: (value: EncodedValue) => string;
}

/**
 * Works with any LangGraph.js graph. `put` and `putWrites` resolve after their commit; calls of one turn of the
 * event loop share it. Messages must not be changed once they were returned by a node, except that a missing id
 * may be set.
 */
export class InterningCheckpointSaver extends BaseCheckpointSaver {
  readonly #database: CheckpointDatabase;
  readonly #scope: string;
  readonly #interner = new MessageInterner();
  readonly #commits: GroupCommit;
  readonly #order = new KeyedLock();

  constructor(database: CheckpointDatabase, options: CheckpointSaverOptions) {
    super(options.serde);
    this.#database = database;
    this.#scope = options.scope;
    this.#commits = new GroupCommit(database);
  }

  /** Resolves when every `put` and `putWrites` so far is on disk or has failed. */
  settled(): Promise<void> {
    return this.#commits.settled();
  }

  /** @throws DeerflowError `database_damaged` when what is stored cannot be decoded; it names the thread */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const threadId = threadIdOf(config);
    if (threadId === undefined) return undefined;
    const found = await this.#database.read(async (rows) => {
      const thread = await rows.findThread(this.#scope, threadId);
      if (thread === undefined) return undefined;
      const row = await rows.findCheckpoint(thread.key, namespaceOf(config) ?? "", checkpointIdOf(config));
      if (row === undefined) return undefined;
      const shelf = new MessageShelf(thread.key, this.#interner);
      const listed = { ...row, threadKey: thread.key, threadId };
      const parts = await this.#naming(threadId, () => fetchParts(rows, listed, shelf));
      return { parts, shelf };
    });
    return found && this.#toTuple(found.parts, found.shelf);
  }

  /** Newest first. The filter compares top-level keys of the metadata; of objects and lists the whole. Throws as `getTuple`. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const shelves = new Map<number, MessageShelf>();
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    let after: ListedCheckpointRow | undefined;
    while (left > 0) {
      const page = await this.#readPage(config, options, { after, shelves });
      for (const { parts, shelf } of page.found.slice(0, left)) yield this.#toTuple(parts, shelf);
      left -= page.found.length;
      if (page.last === undefined) return;
      after = page.last;
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const threadId = requireThreadId(config);
    const ns = namespaceOf(config) ?? "";
    const parentId = checkpointIdOf(config);
    // Copied and marked now, before anything is awaited: the caller may go on changing its checkpoint.
    const { channel_values, channel_versions, ...body } = copyCheckpoint(checkpoint);
    const marked = Object.keys(newVersions)
      .filter((channel) => channel_values[channel] !== undefined)
      .map((channel) => [channel, markMessages(channel_values[channel])] as const);
    await this.#store({ threadId, ns }, async () => {
      const values = new Map<string, EncodedValue>();
      for (const [channel, value] of marked) values.set(channel, await encodeMarked(this.serde, value));
      const encoded = {
        body: await encodePlain(this.serde, body),
        metadata: await encodePlain(this.serde, metadata),
      };
      const work = async (storing: Storing) => {
        const channels = await placeChannels(storing, { channel_versions, newVersions, parentId, values });
        await storing.rows.putCheckpoint(storing.thread.key, {
          ns,
          id: checkpoint.id,
          parentId,
          format: checkpoint.v,
          channels: channelMapToText(channels),
          ...encoded,
        });
      };
      return { values: [...values.values()], work };
    });
    return configOf({ threadId, ns, id: checkpoint.id });
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const threadId = requireThreadId(config);
    const checkpointId = requireCheckpointId(config);
    const ns = namespaceOf(config) ?? "";
    const marked = writes.map(([channel, value], index) => ({
      channel,
      index: WRITES_IDX_MAP[channel] ?? index,
      value: markMessages(value),
    }));
    await this.#store({ threadId, ns }, async () => {
      const encoded: { channel: string; index: number; value: EncodedValue }[] = [];
      for (const write of marked) {
        encoded.push({ ...write, value: await encodeMarked(this.serde, write.value) });
      }
      const work = async ({ rows, thread, seqsOf }: Storing) => {
        for (const { channel, index, value } of encoded) {
          const place = { ns, checkpointId, taskId, index, taskPath, channel };
          await rows.addWrite(thread.key, { ...place, refs: seqsOf(value), data: value.data });
        }
      };
      return { values: encoded.map(({ value }) => value), work };
    });
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#submitInOrder(
      threadId,
      async () =>
        ({ rows }) =>
          rows.removeThread(this.#scope, threadId),
    );
  }

  /** Runs `work` in a shared transaction in which the messages of `values` have their numbers. */
  async #store(
    { threadId, ns }: { threadId: string; ns: string },
    prepare: () => Promise<{ values: readonly EncodedValue[]; work: (storing: Storing) => Promise<void> }>,
  ): Promise<void> {
    await this.#submitInOrder(threadId, async () => {
      const { values, work } = await prepare();
      const messages = new Set(values.flatMap((value) => value.messages));
      await this.#interner.prepare(messages);
      return async (transaction) => {
        const { rows } = transaction;
        const thread =
          (await rows.findThread(this.#scope, threadId)) ?? (await rows.addThread(this.#scope, threadId));
        const numbers = await this.#interner.intern(messages, thread, transaction);
        // Every message of the values is in `numbers`; an absent one would be a defect that the reader names.
        const seqsOf = (value: EncodedValue) =>
          refsToText(value.messages.map((message) => numbers.get(message) ?? -1));
        await work({ rows, thread, ns, seqsOf });
      };
    });
  }

  /** Calls for one thread are written in the order in which they came, however long each takes to prepare. */
  async #submitInOrder(threadId: string, prepare: () => Promise<WriteOperation<void>>): Promise<void> {
    const { committed } = await this.#order.hold(threadId, async () => ({
      committed: this.#commits.submit(await prepare()),
    }));
    await committed;
  }

  async #readPage(
    config: RunnableConfig,
    options: CheckpointListOptions,
    state: { after: ListedCheckpointRow | undefined; shelves: Map<number, MessageShelf> },
  ): Promise<{
    found: { parts: CheckpointParts; shelf: MessageShelf }[];
    last: ListedCheckpointRow | undefined;
  }> {
    return this.#database.read(async (rows) => {
      const page = await rows.listCheckpoints({
        scope: this.#scope,
        threadId: threadIdOf(config),
        ns: namespaceOf(config),
        id: checkpointIdOf(config),
        beforeId: checkpointIdOf(options.before),
        after: state.after,
        limit: Math.min(PAGE, options.filter === undefined ? (options.limit ?? PAGE) : PAGE),
      });
      const found: { parts: CheckpointParts; shelf: MessageShelf }[] = [];
      for (const row of page) {
        const metadata = await this.#naming(row.threadId, () => decodeMetadata(this.serde, row.metadata));
        if (!matches(metadata, options.filter)) continue;
        const shelf = state.shelves.get(row.threadKey) ?? new MessageShelf(row.threadKey, this.#interner);
        state.shelves.set(row.threadKey, shelf);
        found.push({ parts: await this.#naming(row.threadId, () => fetchParts(rows, row, shelf)), shelf });
      }
      return { found, last: page.at(-1) };
    });
  }

  #toTuple(parts: CheckpointParts, shelf: MessageShelf): Promise<CheckpointTuple> {
    return this.#naming(parts.row.threadId, () => toTuple(this.serde, parts, shelf));
  }

  #naming<T>(threadId: string, work: () => Promise<T>): Promise<T> {
    return namingDamage({ database: this.#database.name, threadId }, work);
  }
}

/** True when the metadata has every key of the filter with an equal value. */
export const matches = (metadata: CheckpointMetadata, filter: Record<string, unknown> | undefined): boolean =>
  Object.entries(filter ?? {}).every(
    ([key, value]) =>
      Object.hasOwn(metadata, key) && isDeepStrictEqual((metadata as Record<string, unknown>)[key], value),
  );

/** Gives each channel of a checkpoint its place, and stores the values that are new. */
async function placeChannels(
  storing: Storing,
  put: {
    readonly channel_versions: ChannelVersions;
    readonly newVersions: ChannelVersions;
    readonly parentId: string | undefined;
    readonly values: ReadonlyMap<string, EncodedValue>;
  },
): Promise<ChannelMap> {
  const { rows, thread, ns } = storing;
  const parent =
    put.parentId === undefined ? undefined : await rows.findCheckpoint(thread.key, ns, put.parentId);
  const before: ChannelMap = parent === undefined ? new Map() : channelMapFromText(parent.channels);
  const channels = new Map<string, ChannelPlace>();
  for (const [channel, version] of Object.entries({ ...put.channel_versions, ...put.newVersions })) {
    const value = put.values.get(channel);
    const branch = Object.hasOwn(put.newVersions, channel)
      ? value && (await addValue(storing, { channel, version: String(version) }, value))
      : await unchangedBranch(storing, { channel, version }, before.get(channel));
    channels.set(channel, { version, branch });
  }
  return channels;
}

/** Stores a value, or finds it stored: two forks may give one version to different values. */
async function addValue(
  { rows, thread, ns, seqsOf }: Storing,
  key: { channel: string; version: string },
  { data, messages }: EncodedValue,
): Promise<number> {
  const refs = seqsOf({ data, messages });
  const stored = await rows.findValues(thread.key, { ns, ...key });
  const same = stored.find((value) => value.refs === refs && Buffer.compare(value.data, data) === 0);
  if (same !== undefined) return same.branch;
  const branch = (stored.at(-1)?.branch ?? -1) + 1;
  await rows.addValue(thread.key, { ns, ...key, branch, refs, data });
  return branch;
}

/** The value of a channel that this checkpoint did not change: its parent's, or for a copy the one of that version. */
async function unchangedBranch(
  { rows, thread, ns }: Storing,
  { channel, version }: { channel: string; version: number | string },
  before: ChannelPlace | undefined,
): Promise<number | undefined> {
  if (before?.version === version) return before.branch;
  return (await rows.findValues(thread.key, { ns, channel, version: String(version) })).at(-1)?.branch;
}
