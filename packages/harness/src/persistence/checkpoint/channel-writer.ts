/** Gives each channel of a new checkpoint its place, and stores the values that are new. */
import type { BaseMessage } from "@langchain/core/messages";
import type { ChannelVersions } from "@langchain/langgraph-checkpoint";
import { type ChannelMap, type ChannelPlace, channelMapFromText, type ValuePlace } from "./channel-map.js";
import type { CheckpointRow } from "./checkpoint-rows.js";
import { fold } from "./list-folding.js";
import type { MessageInterner } from "./message-interner.js";
import { hashToText, type NewPart } from "./part.js";
import { toRanges } from "./ranges.js";
import { deltaBetween, hashesOf } from "./record-deltas.js";
import { refsToText } from "./refs.js";
import type { ThreadBatch } from "./thread-batch.js";
import type { ThreadMemory } from "./thread-memory.js";
import type { EncodedValue } from "./value-codec.js";

/** The transaction that values are stored in. */
export interface Storing {
  readonly batch: ThreadBatch;
  readonly memory: ThreadMemory;
  readonly interner: MessageInterner;
  /** The numbers of the messages of all values of this write. */
  readonly numbers: ReadonlyMap<BaseMessage, number>;
}

/** A checkpoint whose channels are to be placed. */
export interface NewChannels {
  readonly ns: string;
  readonly parentId: string | undefined;
  readonly versions: ChannelVersions;
  readonly newVersions: ChannelVersions;
  /** The values of the channels in `newVersions`. */
  readonly values: ReadonlyMap<string, EncodedValue>;
  /** The value of another channel, if the checkpoint came with it. */
  encodeOther(channel: string): Promise<EncodedValue | undefined>;
}

/** Data and refs as they stand in a row. */
export async function placeData(
  { batch, memory, numbers }: Storing,
  { data, messages }: { readonly data: Uint8Array; readonly messages: readonly BaseMessage[] },
): Promise<{ data: Uint8Array; refs: string }> {
  // Every message of the values is in `numbers`; an absent one would be a defect that the reader names.
  const ranges = toRanges(messages.map((message) => numbers.get(message) ?? -1));
  const fitted = await batch.fit(data);
  const { blocks, rest } = fold(ranges);
  const lists: number[] = [];
  for (const block of blocks) lists.push(await placeBlock(batch, memory, block));
  const refs = refsToText({ messages: rest, parts: fitted.slices, lists: toRanges(lists) });
  return { data: fitted.data, refs };
}

async function placeBlock(batch: ThreadBatch, memory: ThreadMemory, block: NewPart): Promise<number> {
  const hash = hashToText(block.hash);
  const known = memory.findBlock(batch.thread, hash);
  if (known !== undefined) return known;
  const [number = -1] = await batch.addParts([block]);
  batch.afterCommit(() => memory.keepBlock(batch.thread, hash, number));
  return number;
}

export async function placeChannels(storing: Storing, put: NewChannels): Promise<ChannelMap> {
  const { batch } = storing;
  const parent = put.parentId === undefined ? undefined : await batch.channelsOf(put.ns, put.parentId);
  const history = new ChannelHistory(batch, put.ns);
  const channels = new Map<string, ChannelPlace>();
  for (const [channel, version] of Object.entries({ ...put.versions, ...put.newVersions })) {
    const before = parent?.get(channel);
    const value = Object.hasOwn(put.newVersions, channel)
      ? await placeValue(storing, channel, { value: put.values.get(channel), before: before?.value })
      : await unchangedPlace(storing, put, { channel, version, before, history });
    channels.set(channel, { version, value });
  }
  return channels;
}

async function placeValue(
  storing: Storing,
  channel: string,
  { value, before }: { value: EncodedValue | undefined; before: ValuePlace | undefined },
): Promise<ValuePlace | undefined> {
  if (value === undefined) return undefined;
  if (value.inline !== undefined) return { inline: value.inline };
  const { batch } = storing;
  if (value.record !== undefined) return { number: await placeRecord(storing, channel, { value, before }) };
  const whole = { data: await value.data(), messages: value.messages };
  return { number: batch.addValue({ channel, bases: "", ...(await placeData(storing, whole)) }) };
}

/** Stores a record as its difference from the one before, where that is known and short. */
async function placeRecord(
  storing: Storing,
  channel: string,
  { value, before }: { value: EncodedValue; before: ValuePlace | undefined },
): Promise<number> {
  const { batch, memory } = storing;
  const { record } = value;
  const stored =
    before !== undefined && "number" in before ? memory.findRecord(batch.thread, before.number) : undefined;
  const delta = stored && record && (await deltaBetween(stored, record));
  const chain = delta === undefined ? [] : (stored?.chain ?? []);
  const data = await placeData(storing, { data: delta ?? (await value.data()), messages: [] });
  const bases = chain.length === 0 ? "" : JSON.stringify(toRanges(chain));
  const number = batch.addValue({ channel, bases, ...data });
  if (record !== undefined) {
    const kept = { hashes: hashesOf(record), chain: [...chain, number] };
    batch.afterCommit(() => memory.keepRecord(batch.thread, kept));
  }
  return number;
}

/**
 * The value of a channel that this checkpoint did not change: its parent's. Where the parent has another version, as
 * for a copy of a checkpoint, or is gone, the value that came along is stored: two forks may give one version to
 * different values, so a version does not tell which. Without a parent only what was stored once is taken for
 * unchanged.
 */
async function unchangedPlace(
  storing: Storing,
  put: NewChannels,
  { channel, version, before, history }: Unchanged,
): Promise<ValuePlace | undefined> {
  if (before?.version === version) return before.value;
  const found = put.parentId === undefined ? await history.find(channel, version) : undefined;
  if (put.parentId === undefined && found === undefined) return undefined;
  const given = await put.encodeOther(channel);
  if (given !== undefined) return placeEncoded(storing, channel, given);
  return found ?? history.find(channel, version);
}

/** A channel that a checkpoint did not change. */
interface Unchanged {
  readonly channel: string;
  readonly version: string | number;
  readonly before: ChannelPlace | undefined;
  readonly history: ChannelHistory;
}

async function placeEncoded(
  storing: Storing,
  channel: string,
  value: EncodedValue,
): Promise<ValuePlace | undefined> {
  const numbers = await storing.interner.intern(new Set(value.messages), storing.batch);
  return placeValue({ ...storing, numbers }, channel, { value, before: undefined });
}

const PAGE = 100;

/** The channels of a namespace's checkpoints, newest first; read page by page, and only when they are asked for. */
class ChannelHistory {
  readonly #batch: ThreadBatch;
  readonly #ns: string;
  readonly #seen: ChannelMap[] = [];
  #beforeId: string | undefined;
  #isRead = false;

  constructor(batch: ThreadBatch, ns: string) {
    this.#batch = batch;
    this.#ns = ns;
  }

  /** The value of the newest checkpoint whose channel has this version, and a value. */
  async find(channel: string, version: string | number): Promise<ValuePlace | undefined> {
    for (let at = 0; at < this.#seen.length || (await this.#readPage()); at += 1) {
      const place = this.#seen[at]?.get(channel);
      if (place?.version === version && place.value !== undefined) return place.value;
    }
    return undefined;
  }

  /** False when there is nothing more. */
  async #readPage(): Promise<boolean> {
    if (this.#isRead) return false;
    const page: readonly CheckpointRow[] = await this.#batch.recentCheckpoints(this.#ns, {
      beforeId: this.#beforeId,
      limit: PAGE,
    });
    for (const row of page) this.#seen.push(channelMapFromText(row.channels));
    this.#beforeId = page.at(-1)?.id;
    this.#isRead = page.length < PAGE;
    return page.length > 0;
  }
}
