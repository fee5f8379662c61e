/** What one reading has of a thread: each row is fetched once, each message built once, and shared by all checkpoints. */
import type { BaseMessage } from "@langchain/core/messages";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { DeerflowError } from "../../base/errors.js";
import type {
  CheckpointRows,
  ListedCheckpointRow,
  MessageRow,
  NumberRanges,
  PartRow,
  ThreadTables,
  ValueRow,
} from "./checkpoint-rows.js";
import { blockRanges } from "./list-folding.js";
import { messageFromText } from "./message-codec.js";
import type { MessageInterner } from "./message-interner.js";
import { hashToText, mediaBytes } from "./part.js";
import { unpackPayload } from "./payload.js";
import { fromRanges, toRanges } from "./ranges.js";
import { hashesOfText, mayBeRecord, recordText } from "./record-deltas.js";
import { type Refs, refsFromText } from "./refs.js";
import { slicesOf } from "./slices.js";
import type { ThreadMemory } from "./thread-memory.js";
import { decodeValue } from "./value-codec.js";

type Numbered = "values" | "messages" | "parts";

export interface ShelfOptions {
  readonly serde: SerializerProtocol;
  readonly interner: MessageInterner;
  readonly memory: ThreadMemory;
}

/** Data and refs of a row that holds a value. */
type Stored = Pick<ValueRow, "refs" | "data">;

export class ThreadShelf {
  readonly #thread: { readonly key: number; readonly generation: number };
  readonly #options: ShelfOptions;
  readonly #rows: { readonly [T in Numbered]: Map<number, ThreadTables[T]> } = {
    values: new Map(),
    messages: new Map(),
    parts: new Map(),
  };
  readonly #built = new Map<number, Promise<BaseMessage>>();

  constructor(row: Pick<ListedCheckpointRow, "threadKey" | "generation">, options: ShelfOptions) {
    this.#thread = { key: row.threadKey, generation: row.generation };
    this.#options = options;
  }

  get threadKey(): number {
    return this.#thread.key;
  }

  /** Lets go of all rows: the messages that were built stay, to be shared with what is read next. */
  clear(): void {
    for (const rows of Object.values(this.#rows)) rows.clear();
  }

  /** Fetches values, with those that they are built on. */
  async fetchValues(rows: CheckpointRows, numbers: Iterable<number>): Promise<readonly ValueRow[]> {
    const wanted = [...new Set(numbers)];
    await this.#fetch(rows, "values", wanted);
    const found = wanted.flatMap((number) => this.#rows.values.get(number) ?? []);
    const bases = found.flatMap(basesOf);
    await this.#fetch(rows, "values", bases);
    return [...found, ...bases.flatMap((number) => this.#rows.values.get(number) ?? [])];
  }

  /** Fetches the messages and parts that rows refer to. */
  async fetchRefs(rows: CheckpointRows, stored: readonly Pick<Stored, "refs">[]): Promise<void> {
    const refs = [...new Set(stored.map((row) => row.refs))].map(refsFromText);
    await this.#fetch(
      rows,
      "parts",
      refs.flatMap(({ lists }) => fromRanges(lists)),
    );
    const messages = await this.#fetch(
      rows,
      "messages",
      refs.flatMap((ref) => this.#messageNumbers(ref)),
    );
    const parts = [...refs, ...messages.map((row) => refsFromText(row.refs))];
    const fetched = await this.#fetch(
      rows,
      "parts",
      parts.flatMap((ref) => fromRanges(ref.parts)),
    );
    await this.#fetch(
      rows,
      "parts",
      fetched.flatMap((row) => fromRanges(refsFromText(row.refs).parts)),
    );
  }

  /**
   * The value of a row.
   *
   * @throws DeerflowError `internal` when something that it refers to was not fetched
   */
  async decode(stored: Stored): Promise<unknown> {
    const messages: BaseMessage[] = [];
    for (const number of this.#messageNumbers(refsFromText(stored.refs)))
      messages.push(await this.#message(number));
    return decodeValue(this.#options.serde, this.#whole(stored.data), messages);
  }

  /** The value with this number. With `keep` the saver remembers its entries, if it is a record, for the next change. */
  async value(number: number, keep: boolean): Promise<unknown> {
    const row = this.#row("values", number);
    const chain = [...basesOf(row), number];
    const text = await this.#recordText(row, chain, keep);
    if (text === undefined) return this.decode(row);
    if (keep) this.#options.memory.keepRecord(this.#thread, { chain, hashes: hashesOfText(text) });
    return this.#options.serde.loadsTyped("json", text);
  }

  /** The JSON of a record; undefined for what is none, or need not be looked at. */
  async #recordText(row: ValueRow, chain: readonly number[], keep: boolean): Promise<string | undefined> {
    if (chain.length > 1) return recordText(chain.map((base) => this.#whole(this.#row("values", base).data)));
    if (!keep || refsFromText(row.refs).messages.length > 0) return undefined;
    const { type, bytes, marked } = await unpackPayload(this.#whole(row.data));
    if (type !== "json" || marked) return undefined;
    const text = Buffer.from(bytes).toString();
    return mayBeRecord(text) ? text : undefined;
  }

  #messageNumbers({ lists, messages }: Refs): number[] {
    const folded = fromRanges(lists).flatMap((number) => blockRanges(this.#row("parts", number).data));
    return fromRanges([...folded, ...messages]);
  }

  #message(number: number): Promise<BaseMessage> {
    const built = this.#built.get(number) ?? this.#build(this.#row("messages", number));
    this.#built.set(number, built);
    return built;
  }

  async #build(row: MessageRow): Promise<BaseMessage> {
    const { bytes } = await unpackPayload(this.#whole(row.data));
    const media = new Map<string, string>();
    for (const number of fromRanges(refsFromText(row.refs).parts)) {
      const part = this.#row("parts", number);
      if (part.mediaType !== "") media.set(hashToText(part.hash), await this.#base64(part));
    }
    const message = messageFromText(Buffer.from(bytes).toString(), media);
    const { key: threadKey, generation } = this.#thread;
    this.#options.interner.remember(message, { threadKey, generation, number: row.number });
    return message;
  }

  async #base64(part: PartRow): Promise<string> {
    return Buffer.from(await mediaBytes(this.#whole(part.data))).toString("base64");
  }

  /** Data with its slices joined. */
  #whole(data: Uint8Array): Uint8Array {
    const slices = slicesOf(data);
    if (slices === undefined) return data;
    return Buffer.concat(fromRanges(slices).map((number) => this.#row("parts", number).data));
  }

  #row<T extends Numbered>(table: T, number: number): ThreadTables[T] {
    const row = this.#rows[table].get(number);
    if (row === undefined) throw missingRow(table, number);
    return row;
  }

  /** @returns all that were asked for: a reading that broke off and is run again may lack what only some of them refer to */
  async #fetch<T extends Numbered>(
    rows: CheckpointRows,
    table: T,
    numbers: readonly number[],
  ): Promise<readonly ThreadTables[T][]> {
    const held: Map<number, ThreadTables[T]> = this.#rows[table];
    const wanted = [...new Set(numbers)];
    const missing = wanted.filter((number) => !held.has(number)).sort((a, b) => a - b);
    if (missing.length > 0) {
      const ranges: NumberRanges = toRanges(missing);
      for (const row of await rows.findNumbered(table, this.#thread.key, ranges)) held.set(row.number, row);
    }
    return wanted.map((number) => this.#row(table, number));
  }
}

const missingRow = (table: Numbered, number: number): DeerflowError =>
  new DeerflowError("internal", { reason: `number ${number} of the stored ${table} is missing` });

const basesOf = (row: ValueRow): number[] =>
  // Only the channel writer writes the column.
  row.bases === "" ? [] : fromRanges(JSON.parse(row.bases) as number[]);
