/** What a saver remembers of what it stored or read, so that the next step need not ask the database. */
import { RecentMap } from "../../base/recent-map.js";
import type { ChannelMap } from "./channel-map.js";
import type { ThreadRow } from "./checkpoint-rows.js";
import type { StoredRecord } from "./record-deltas.js";
import type { KnownChannels } from "./thread-batch.js";

/** Channels of all remembered checkpoints together. */
const CHANNELS = 50_000;
/** Entries of all remembered records together. */
const RECORD_ENTRIES = 100_000;
const BLOCKS = 10_000;

/** The thread as it was when something of it was remembered. */
type Remembered = Pick<ThreadRow, "key" | "generation">;

/** Everything is kept for one generation of a thread: rows of an earlier one may be gone. */
export class ThreadMemory implements KnownChannels {
  readonly #channels = new RecentMap<string, ChannelMap>(CHANNELS, ({ size }) => size + 1);
  readonly #records = new RecentMap<string, StoredRecord>(RECORD_ENTRIES, ({ hashes }) => hashes.size + 1);
  readonly #blocks = new RecentMap<string, number>(BLOCKS);

  find(thread: Remembered, ns: string, id: string): ChannelMap | undefined {
    return this.#channels.get(keyOf(thread, ns, id));
  }

  keepChannels(thread: Remembered, checkpoint: { ns: string; id: string }, channels: ChannelMap): void {
    this.#channels.set(keyOf(thread, checkpoint.ns, checkpoint.id), channels);
  }

  findRecord(thread: Remembered, number: number): StoredRecord | undefined {
    return this.#records.get(keyOf(thread, number));
  }

  keepRecord(thread: Remembered, record: StoredRecord): void {
    const number = record.chain.at(-1);
    if (number !== undefined) this.#records.set(keyOf(thread, number), record);
  }

  /** The number of a block of a long list, by its hash. */
  findBlock(thread: Remembered, hash: string): number | undefined {
    return this.#blocks.get(keyOf(thread, hash));
  }

  keepBlock(thread: Remembered, hash: string, number: number): void {
    this.#blocks.set(keyOf(thread, hash), number);
  }
}

const keyOf = ({ key, generation }: Remembered, ...rest: readonly (string | number)[]): string =>
  JSON.stringify([key, generation, ...rest]);
