/** A channel's value or a task's write as a payload with its messages apart, and back. */
import type { BaseMessage } from "@langchain/core/messages";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type MarkedValue, unmarkMessages } from "./message-marks.js";
import { DeerflowError } from "../../base/errors.js";
import { packPayload, unpackPayload } from "./payload.js";
import { encodeRecord, type EncodedRecord } from "./record-deltas.js";

/** JSON of at most so many characters stands in the row that needs it. */
const INLINE_CHARACTERS = 16;

export interface EncodedValue {
  /** Packed at the first call: of a record mostly only the changes are stored, and never the whole. */
  data(): Promise<Uint8Array>;
  readonly messages: readonly BaseMessage[];
  /** The value as JSON, when that is so short that it needs no row. */
  readonly inline: string | undefined;
  /** The value entry by entry, when it is a large plain record. */
  readonly record: EncodedRecord | undefined;
}

/** What LangGraph's serializer writes in place of a value that it cannot write, such as one with a bigint. */
const UNWRITABLE = Buffer.from(
  JSON.stringify("[unable to serialize, circular reference is too complex to analyze]"),
);

/** @throws DeerflowError `database_value_invalid` for what would not be read as it was */
async function dumps(serde: SerializerProtocol, value: unknown): Promise<[string, Uint8Array]> {
  const [type, bytes] = await serde.dumpsTyped(value);
  if (bytes.length === UNWRITABLE.length && UNWRITABLE.equals(bytes)) {
    throw new DeerflowError("database_value_invalid", {
      type: "bigint, or one that cannot be written as JSON,",
    });
  }
  return [type, bytes];
}

/** Serializes without looking for messages. */
export async function encodePlain(serde: SerializerProtocol, value: unknown): Promise<Uint8Array> {
  const [type, bytes] = await dumps(serde, value);
  return packPayload({ type, bytes, marked: false });
}

/** Serializes what `markMessages` left of a value; undefined for what has no JSON, such as a function. */
export async function encodeMarked(
  serde: SerializerProtocol,
  marked: MarkedValue,
): Promise<EncodedValue | undefined> {
  const { value, messages } = marked;
  const record = marked.marked ? undefined : await encodeRecord((entry) => dumps(serde, entry), value);
  if (record !== undefined) {
    let packed: Promise<Uint8Array> | undefined;
    const data = () => {
      packed ??= packPayload({ type: "json", bytes: Buffer.from(record.text()), marked: false });
      return packed;
    };
    return { data, messages, inline: undefined, record };
  }
  const [type, bytes] = await dumps(serde, value);
  if (type === "json" && bytes.length === 0) return undefined;
  const isShort = type === "json" && !marked.marked && bytes.length <= INLINE_CHARACTERS;
  const packed = await packPayload({ type, bytes, marked: marked.marked });
  const inline = isShort ? Buffer.from(bytes).toString() : undefined;
  return { data: async () => packed, messages, inline, record };
}

/** @param messages - the messages that the value refers to, in the order of its refs */
export async function decodeValue(
  serde: SerializerProtocol,
  data: Uint8Array,
  messages: readonly BaseMessage[],
): Promise<unknown> {
  const { type, bytes, marked } = await unpackPayload(data);
  const value: unknown = await serde.loadsTyped(type, bytes);
  return marked ? unmarkMessages(value, messages) : value;
}
