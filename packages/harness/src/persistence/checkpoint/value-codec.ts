/** A channel's value or a task's write as a payload with its messages apart, and back. */
import type { BaseMessage } from "@langchain/core/messages";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type MarkedValue, unmarkMessages } from "./message-marks.js";
import { packPayload, unpackPayload } from "./payload.js";
import { fromRanges, type Ranges, toRanges } from "./ranges.js";

export interface EncodedValue {
  readonly data: Uint8Array;
  readonly messages: readonly BaseMessage[];
}

/** Serializes without looking for messages. */
export async function encodePlain(serde: SerializerProtocol, value: unknown): Promise<Uint8Array> {
  const [type, bytes] = await serde.dumpsTyped(value);
  return packPayload({ type, bytes, marked: false });
}

/** Serializes what `markMessages` left of a value. */
export async function encodeMarked(
  serde: SerializerProtocol,
  { value, messages, marked }: MarkedValue,
): Promise<EncodedValue> {
  const [type, bytes] = await serde.dumpsTyped(value);
  return { data: await packPayload({ type, bytes, marked }), messages };
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

/** The refs column: which messages of the thread a value refers to, in the order of its marks. */
export const refsToText = (seqs: readonly number[]): string => JSON.stringify(toRanges(seqs));

export const refRanges = (text: string): Ranges =>
  // Only `refsToText` writes the column.
  JSON.parse(text) as number[];

export const refsFromText = (text: string): number[] => fromRanges(refRanges(text));
