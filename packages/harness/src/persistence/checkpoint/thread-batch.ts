/** The new rows of one thread in one transaction: numbers are given here, and all rows are written together. */
import type {
  CheckpointRow,
  CheckpointRows,
  MessageRow,
  NumberRanges,
  PartRow,
  ThreadAdditions,
  ThreadCounters,
  ThreadRow,
  ValueRow,
  WriteRow,
} from "./checkpoint-rows.js";
import { type ChannelMap, channelMapFromText } from "./channel-map.js";
import { hashToText, type NewPart, rawPart } from "./part.js";
import { NO_REFS, refsToText } from "./refs.js";
import { toRanges } from "./ranges.js";
import { cut, isTooLong, slicesToData } from "./slices.js";

const checkpointKey = (ns: string, id: string): string => JSON.stringify([ns, id]);

/** What of a thread is known of an earlier transaction: which channels a checkpoint holds. */
export interface KnownChannels {
  find(thread: ThreadRow, ns: string, id: string): ChannelMap | undefined;
}

export class ThreadBatch {
  readonly thread: ThreadRow;
  readonly rows: CheckpointRows;
  readonly #known: KnownChannels;
  readonly #afterCommit: (() => void)[] = [];
  readonly #checkpoints = new Map<string, CheckpointRow>();
  readonly #writes = new Map<string, WriteRow>();
  readonly #values: ValueRow[] = [];
  readonly #messages: MessageRow[] = [];
  readonly #parts: PartRow[] = [];
  readonly #numbers = { messages: new Map<string, number>(), parts: new Map<string, number>() };
  #counters: ThreadCounters;

  constructor(thread: ThreadRow, rows: CheckpointRows, known: KnownChannels) {
    this.thread = thread;
    this.rows = rows;
    this.#known = known;
    this.#counters = thread;
  }

  /** Runs `keep` when the transaction is on disk; never if it is undone. */
  afterCommit(keep: () => void): void {
    this.#afterCommit.push(keep);
  }

  committed(): void {
    for (const keep of this.#afterCommit) keep();
  }

  /** The number that the next new message gets. */
  get nextMessage(): number {
    return this.#counters.nextMessage;
  }

  /** Keeps the next `count` numbers of messages. @returns the first */
  reserveMessages(count: number): number {
    const first = this.#counters.nextMessage;
    this.#counters = { ...this.#counters, nextMessage: first + count };
    return first;
  }

  /** The numbers of the rows that are there already, by hash in hexadecimal; also of those that have a kept number. */
  async findHashes(
    table: "messages" | "parts",
    hashes: readonly Uint8Array[],
    kept: readonly number[] = [],
  ): Promise<ReadonlyMap<string, number>> {
    const numbers = this.#numbers[table];
    const unknown = hashes.filter((hash) => !numbers.has(hashToText(hash)));
    if (unknown.length === 0) return numbers;
    const found = await this.rows.findHashes(table, this.thread.key, { hashes: unknown, numbers: kept });
    for (const [hash, number] of found) numbers.set(hash, number);
    return numbers;
  }

  addMessage(row: MessageRow): void {
    this.#messages.push(row);
    this.#numbers.messages.set(hashToText(row.hash), row.number);
  }

  addValue(row: Omit<ValueRow, "number">): number {
    const number = this.#counters.nextValue;
    this.#counters = { ...this.#counters, nextValue: number + 1 };
    this.#values.push({ number, ...row });
    return number;
  }

  /** Stores parts that the thread does not have. @returns their numbers, in order */
  async addParts(parts: readonly NewPart[]): Promise<number[]> {
    if (parts.length === 0) return [];
    const known = await this.findHashes(
      "parts",
      parts.map(({ hash }) => hash),
    );
    const numbers: number[] = [];
    for (const part of parts) numbers.push(known.get(hashToText(part.hash)) ?? (await this.#addPart(part)));
    return numbers;
  }

  /** Data as a row may hold it, and the numbers of the slices that it then refers to. */
  async fit(data: Uint8Array): Promise<{ data: Uint8Array; slices: NumberRanges }> {
    if (!isTooLong(data)) return { data, slices: [] };
    const slices = toRanges(await this.addParts(cut(data).map(rawPart)));
    return { data: slicesToData(slices), slices };
  }

  putCheckpoint(row: CheckpointRow): void {
    this.#checkpoints.set(checkpointKey(row.ns, row.id), row);
  }

  addWrite(row: WriteRow): void {
    const key = JSON.stringify([row.ns, row.checkpointId, row.taskId, row.index]);
    if (row.index < 0 || !this.#writes.has(key)) this.#writes.set(key, row);
  }

  /** The channels of a checkpoint of this thread; undefined when it is not there (any more). */
  async channelsOf(ns: string, id: string): Promise<ChannelMap | undefined> {
    const added = this.#checkpoints.get(checkpointKey(ns, id));
    if (added !== undefined) return channelMapFromText(added.channels);
    const known = this.#known.find(this.thread, ns, id);
    if (known !== undefined) return known;
    const stored = await this.rows.findCheckpoint(this.thread.key, ns, id);
    return stored && channelMapFromText(stored.channels);
  }

  /** Checkpoints of a namespace, newest first: those of this batch, then those that are stored. */
  async recentCheckpoints(
    ns: string,
    page: { readonly beforeId: string | undefined; readonly limit: number },
  ): Promise<readonly CheckpointRow[]> {
    const stored = await this.rows.recentCheckpoints(this.thread.key, ns, page);
    if (page.beforeId !== undefined) return stored;
    return [...[...this.#checkpoints.values()].filter((row) => row.ns === ns), ...stored];
  }

  async flush(): Promise<void> {
    const additions: ThreadAdditions = {
      parts: this.#parts,
      messages: this.#messages,
      values: this.#values,
      checkpoints: [...this.#checkpoints.values()],
      writes: [...this.#writes.values()],
    };
    const { key } = this.thread;
    const isCounted = this.#counters !== this.thread;
    await Promise.all([
      // Numbers are new: one that is taken would be somebody else's row.
      this.rows.add(key, additions, "refuse"),
      ...(isCounted ? [this.rows.setCounters(key, this.#counters)] : []),
    ]);
  }

  async #addPart(part: NewPart): Promise<number> {
    // A media part that is too long for one row lies in slices, which are parts as well.
    const { data, slices } = await this.fit(part.data);
    const number = this.#counters.nextPart;
    this.#counters = { ...this.#counters, nextPart: number + 1 };
    this.#parts.push({
      number,
      hash: part.hash,
      mediaType: part.mediaType,
      refs: refsToText({ ...NO_REFS, parts: slices }),
      data,
    });
    this.#numbers.parts.set(hashToText(part.hash), number);
    return number;
  }
}
