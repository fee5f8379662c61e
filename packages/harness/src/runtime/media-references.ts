/**
 * Media on the wire: a block of a message names the address of what it shows instead of holding it. What a client
 * sends back under such an address is the stored media again.
 */
import { DeerflowError } from "../base/errors.js";
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from "../base/json.js";
import { type MediaBlock, readMediaBlock } from "../middleware/media-block.js";
import { readMediaText } from "../persistence/checkpoint/media-text.js";
import { hashToText, sha256 } from "../persistence/checkpoint/part.js";

/** Where a client loads media of a thread; relative to the server. A thread's id needs no escaping. */
export const mediaUrl = (threadId: string, hash: string): string => `/api/threads/${threadId}/media/${hash}`;

/** What a block was before its media was replaced: every key as it was, the media by its address. */
const ORIGINAL_KEY = "stored_as";

/** Blocks nest what they show one level deep. */
const BLOCK_LEVELS = 2;

/** What an address stands for. */
export interface StoredMedia {
  /** Canonical base64. */
  readonly base64: string;
  /** As the message said that showed it: hostile. */
  readonly mediaType: string;
}

/** Finds media of one thread by its hash, 64 hexadecimal digits; undefined when the thread has none such. */
export type FindMedia = (hash: string) => Promise<StoredMedia | undefined>;

/** Blocks live as long as their message, which is sent again with every step: each is hashed once. */
const hashes = new WeakMap<object, Map<string, string | undefined>>();

/** The text with its media as an address; undefined when it is no media, or too short to be stored apart. */
function addressOf(text: string, block: object, threadId: string): string | undefined {
  const known = hashes.get(block) ?? new Map<string, string | undefined>();
  hashes.set(block, known);
  const media = known.has(text) && known.get(text) === undefined ? undefined : readMediaText(text);
  if (media === undefined) {
    known.set(text, undefined);
    return undefined;
  }
  const hash = known.get(text) ?? hashToText(sha256(media.base64));
  known.set(text, hash);
  return media.prefix + mediaUrl(threadId, hash);
}

/**
 * A block whose media is stored apart, as clients see it: a picture as `image_url`, which every client of
 * LangGraph knows, anything else as a standard block with `url`. Undefined for all other values.
 */
export function toReference(block: object, threadId: string): object | undefined {
  const media = readMediaBlock(block);
  if (media?.source !== "data") return undefined;
  const addresses: string[] = [];
  const original = mapTexts(block, BLOCK_LEVELS, (text) => {
    const address = addressOf(text, block, threadId);
    if (address !== undefined) addresses.push(address.slice(address.lastIndexOf("/api/")));
    return address ?? text;
  });
  const [url] = addresses;
  return url === undefined ? undefined : { ...shownBlock(media, url, block), [ORIGINAL_KEY]: original };
}

function shownBlock({ kind, mimeType }: MediaBlock, url: string, block: object): object {
  const { metadata } = { metadata: undefined, ...block };
  if (kind === "image") {
    return {
      type: "image_url",
      image_url: { url },
      ...(mimeType === undefined ? {} : { mime_type: mimeType }),
    };
  }
  return {
    type: kind === "pdf" ? "file" : kind,
    url,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(isRecord(metadata) ? { metadata } : {}),
  };
}

/** JSON with every such block replaced, and the hashes of what it refers to now. */
export function withReferences(
  json: JsonObject,
  threadId: string,
): { readonly json: JsonObject; readonly hashes: ReadonlySet<string> } {
  const found = new Set<string>();
  const replaced = mapBlocks(json, (block) => {
    const reference = toReference(block, threadId);
    if (reference === undefined) return undefined;
    for (const { hash } of referencesIn(reference)) found.add(hash);
    return reference as JsonObject; // made of the fields of a block that is JSON
  });
  return { json: isJsonObject(replaced) ? replaced : json, hashes: found };
}

interface Reference {
  /** What stands before the address, such as `data:image/png;base64,`. */
  readonly prefix: string;
  readonly threadId: string;
  readonly hash: string;
}

/** An address of ours, with or without the server and the prefix under which a client found it. */
const ADDRESS =
  /^(data:[\w.+/;=-]{0,200},)?(?:https?:\/\/[^/?#\s]+)?(?:\/[\w.~-]+){0,8}?\/threads\/([\w-]{1,64})\/media\/([0-9a-f]{64})$/;
const LONGEST_ADDRESS = 1000;

function readReference(text: string): Reference | undefined {
  if (text.length > LONGEST_ADDRESS) return undefined;
  const [, prefix = "", threadId, hash] = ADDRESS.exec(text) ?? [];
  return threadId === undefined || hash === undefined ? undefined : { prefix, threadId, hash };
}

function referencesIn(block: object): readonly Reference[] {
  const found: Reference[] = [];
  mapTexts(block, BLOCK_LEVELS + 1, (text) => {
    const reference = readReference(text);
    if (reference !== undefined) found.push(reference);
    return text;
  });
  return found;
}

/**
 * What a client sent, with the stored media where it named its address. The very same value when it named none.
 * Addresses are looked up and never fetched.
 *
 * @throws DeerflowError `invalid_request` for media of another thread, and for media that the thread does not have
 */
export async function withStoredMedia<T extends JsonValue | undefined>(
  sent: T,
  threadId: string,
  find: FindMedia,
): Promise<T> {
  if (sent === undefined) return sent;
  const found = await findAll(sent, threadId, find);
  if (found.size === 0) return sent;
  return mapBlocks(sent, (block) => restored(block, found)) as T; // JSON of the same kind: only blocks change
}

async function findAll(
  sent: JsonValue,
  threadId: string,
  find: FindMedia,
): Promise<ReadonlyMap<string, StoredMedia>> {
  const references: Reference[] = [];
  mapBlocks(sent, (block) => {
    references.push(...referencesIn(block));
    return undefined;
  });
  const foreign = references.find((reference) => reference.threadId !== threadId);
  if (foreign !== undefined) throw refusal(`it shows media of thread ${foreign.threadId}, not of this one`);
  const found = new Map<string, StoredMedia>();
  for (const hash of new Set(references.map((reference) => reference.hash))) {
    const media = await find(hash);
    if (media === undefined) throw refusal(`it shows the media ${hash}, which this thread does not have`);
    found.set(hash, media);
  }
  return found;
}

const refusal = (reason: string) => new DeerflowError("invalid_request", { reason });

/** The block as it was stored; a standard one where the client has kept nothing but the address. */
function restored(block: JsonObject, found: ReadonlyMap<string, StoredMedia>): JsonObject | undefined {
  const { [ORIGINAL_KEY]: original, ...shown } = block;
  const [reference] = referencesIn(shown);
  const media = reference === undefined ? undefined : found.get(reference.hash);
  if (reference === undefined || media === undefined) return undefined;
  const isSame = isRecord(original) && referencesIn(original).some(({ hash }) => hash === reference.hash);
  if (isSame) return mapTexts(original, BLOCK_LEVELS, (text) => contentOf(text, found)) as JsonObject; // JSON stays JSON
  const metadata = block["metadata"];
  const family = media.mediaType.split("/")[0] ?? "";
  return {
    type: ["image", "audio", "video"].includes(family) ? family : "file",
    mimeType: media.mediaType,
    data: media.base64,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function contentOf(text: string, found: ReadonlyMap<string, StoredMedia>): string {
  const reference = readReference(text);
  const media = reference === undefined ? undefined : found.get(reference.hash);
  return reference === undefined || media === undefined ? text : reference.prefix + media.base64;
}

/** A value with every media block in it changed; the very same where `change` gives undefined for all. */
function mapBlocks(value: JsonValue, change: (block: JsonObject) => JsonObject | undefined): JsonValue {
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapBlocks(item, change));
    return mapped.every((item, position) => item === value[position]) ? value : mapped;
  }
  if (!isJsonObject(value)) return value;
  const changed = readMediaBlock(value) === undefined ? undefined : change(value);
  if (changed !== undefined) return changed;
  const entries = Object.entries(value);
  const mapped = entries.map(([key, item]) => [key, mapBlocks(item, change)] as const);
  return mapped.every(([, item], position) => item === entries[position]?.[1])
    ? value
    : Object.fromEntries(mapped);
}

/** An object with the texts of so many levels changed. Lists and everything else stay. */
function mapTexts(value: object, levels: number, change: (text: string) => string): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]): [string, unknown] => {
      if (typeof item === "string") return [key, change(item)];
      return [key, isRecord(item) && levels > 1 ? mapTexts(item, levels - 1, change) : item];
    }),
  );
}
