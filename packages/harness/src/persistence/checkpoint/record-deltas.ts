/**
 * A large record, such as the files of an agent, is stored whole once, and then only the entries that changed: at most
 * 50 such deltas follow one whole value.
 */
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { hashToText, sha256 } from "./part.js";
import { packPayload, unpackPayload } from "./payload.js";

/** Smaller records are stored whole. */
const RECORD_FROM_CHARACTERS = 4096;
const MOST_DELTAS = 50;
/** A delta that is nearly as long as the whole record saves nothing. */
const DELTA_PAYS_BELOW = 0.7;

/** After so much, others get their turn of the event loop. */
const CHARACTERS_PER_TURN = 128 * 1024;

/** A record as JSON, and a hash of each of its entries. */
export interface EncodedRecord {
  text(): string;
  /** Characters of the text, about. */
  readonly length: number;
  readonly entries: ReadonlyMap<string, { readonly text: string; readonly hash: string }>;
}

/** What is remembered of a stored record. */
export interface StoredRecord {
  readonly hashes: ReadonlyMap<string, string>;
  /** The numbers of the values that it is built from, the whole one first, itself last. */
  readonly chain: readonly number[];
}

const hashOf = (text: string): string => hashToText(sha256(text)).slice(0, 32);

const isPlainRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const textOf = (entries: EncodedRecord["entries"]): string =>
  `{${[...entries].map(([key, { text }]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;

/** Entry by entry; undefined for what is no plain record, too small, or no JSON in this serializer. */
export async function encodeRecord(
  dumps: SerializerProtocol["dumpsTyped"],
  value: unknown,
): Promise<EncodedRecord | undefined> {
  if (!isPlainRecord(value) || isSerialized(value)) return undefined;
  const keys = Object.keys(value);
  if (keys.length < 2) return undefined;
  const entries = new Map<string, { text: string; hash: string }>();
  let length = 0;
  let rested = 0;
  for (const key of keys) {
    if (length - rested > CHARACTERS_PER_TURN) {
      rested = length;
      await new Promise((nextTurn) => setImmediate(nextTurn));
    }
    const [type, bytes] = await dumps(value[key]);
    if (type !== "json") return undefined;
    // A function has no JSON: an object's JSON leaves it out.
    if (bytes.length === 0) continue;
    const text = Buffer.from(bytes).toString();
    length += text.length;
    entries.set(key, { text, hash: hashOf(text) });
  }
  if (length < RECORD_FROM_CHARACTERS) return undefined;
  return { text: () => textOf(entries), length, entries };
}

/** A record that looks like one of the serializer's own envelopes must be written by the serializer. */
const isSerialized = (value: Record<string, unknown>): boolean => "lc" in value || "toJSON" in value;

export const hashesOf = ({ entries }: EncodedRecord): ReadonlyMap<string, string> =>
  new Map([...entries].map(([key, { hash }]) => [key, hash]));

/** True when the entries lie in the order in which applying the changes puts them. */
function isOrderKept(before: StoredRecord, { entries }: EncodedRecord): boolean {
  const kept = [...before.hashes.keys()].filter((key) => entries.has(key));
  const added = [...entries.keys()].filter((key) => !before.hashes.has(key));
  // As an object has them: keys that are whole numbers come first.
  const applied = Object.keys(Object.fromEntries([...kept, ...added].map((key) => [key, true])));
  return [...entries.keys()].every((key, index) => key === applied[index]);
}

/** The changes that turn a stored record into another one, as data of a value; undefined when the whole record is better. */
export async function deltaBetween(
  before: StoredRecord,
  after: EncodedRecord,
): Promise<Uint8Array | undefined> {
  if (before.chain.length > MOST_DELTAS) return undefined;
  const changed = new Map([...after.entries].filter(([key, { hash }]) => before.hashes.get(key) !== hash));
  const removed = [...before.hashes.keys()].filter((key) => !after.entries.has(key));
  if (!isOrderKept(before, after)) return undefined;
  const text = `[${textOf(changed)},${JSON.stringify(removed)}]`;
  if (text.length > after.length * DELTA_PAYS_BELOW) return undefined;
  return packPayload({ type: "json", bytes: Buffer.from(text), marked: false });
}

/**
 * The record that a chain of stored values describes, as JSON text.
 *
 * @param chain - the data of the whole value, and then of each delta
 */
export async function recordText(chain: readonly Uint8Array[]): Promise<string> {
  const [whole, ...deltas] = await Promise.all(
    // Only this file writes chains, and only of JSON.
    chain.map(
      async (data) => JSON.parse(Buffer.from((await unpackPayload(data)).bytes).toString()) as unknown,
    ),
  );
  const entries = new Map(Object.entries(whole as Record<string, unknown>));
  for (const delta of deltas) {
    const [changed, removed] = delta as readonly [Record<string, unknown>, readonly string[]];
    for (const key of removed) entries.delete(key);
    for (const [key, value] of Object.entries(changed)) entries.set(key, value);
  }
  return JSON.stringify(Object.fromEntries(entries));
}

/** True for JSON text of what may have been stored as a record. */
export const mayBeRecord = (text: string): boolean =>
  text.length >= RECORD_FROM_CHARACTERS && text.startsWith("{");

/** The hashes of the entries of a record that was read. */
export const hashesOfText = (text: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(JSON.parse(text) as Record<string, unknown>).map(([key, value]) => [
      key,
      hashOf(JSON.stringify(value)),
    ]),
  );
