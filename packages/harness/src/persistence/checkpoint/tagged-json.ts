/**
 * JSON that also carries bytes, dates, maps, sets and bigints. What is read back is data and nothing else: no
 * text, however it looks, makes this code build an object of another class.
 */
import { BaseMessage } from "@langchain/core/messages";

const TAG = "$";
const TAGGED = `"${TAG}":`;

interface Tagged {
  readonly [TAG]: string;
  readonly value?: unknown;
}

/** How messages inside a value are written and read; the caller owns their shape. */
export interface MessageParts {
  take(message: BaseMessage): unknown;
  build(parts: unknown): BaseMessage;
}

/** Where texts that are media go, and where they come from. */
export interface MediaShelf {
  /** What stands in the text's place, as JSON; undefined when the text stays. The media type is what the object around the text says. */
  put?(text: string, mediaType: () => string | undefined): unknown;
  /** The text again, from what `put` returned. */
  get?(placed: unknown): string;
}

const NO_MEDIA: MediaShelf = {};

/** The keys under which content blocks say what their media is. */
const MEDIA_TYPE_KEYS = ["mimeType", "mime_type", "media_type"] as const;

function mediaTypeIn(value: object): string | undefined {
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const found = MEDIA_TYPE_KEYS.map((key) => fields[key]).find((type) => typeof type === "string");
  return typeof found === "string" ? found : undefined;
}

const tag = (kind: string, value?: unknown): Tagged => ({
  [TAG]: kind,
  ...(value === undefined ? {} : { value }),
});

class Encoder {
  /** The objects that hold the one being written: meeting one again is a circle. */
  readonly #around = new Set<object>();
  readonly #messages: MessageParts;
  readonly #media: MediaShelf;
  #holder: object | undefined;

  constructor(messages: MessageParts, media: MediaShelf) {
    this.#messages = messages;
    this.#media = media;
  }

  encode(value: unknown): unknown {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "bigint") return tag("bigint", String(value));
    if (typeof value === "number" && !Number.isFinite(value)) return tag("number", String(value));
    if (typeof value !== "object" || value === null) return value;
    if (this.#around.has(value)) return "[Circular]";
    this.#around.add(value);
    const encoded = this.#encodeObject(value);
    this.#around.delete(value);
    return encoded;
  }

  #encodeObject(value: object): unknown {
    if (Array.isArray(value)) return this.#list(value);
    if (value instanceof Uint8Array) return tag("bytes", Buffer.from(value).toString("base64"));
    if (value instanceof Date) return tag("date", value.getTime());
    if (value instanceof Map) return tag("map", this.#list([...value]));
    if (value instanceof Set) return tag("set", this.#list([...value]));
    if (BaseMessage.isInstance(value)) return tag("message", this.encode(this.#messages.take(value)));
    if ("toJSON" in value && typeof value.toJSON === "function") return this.encode(value.toJSON());
    const entries = Object.entries(value).map(([key, inner]) => {
      this.#holder = value;
      return [key, this.encode(inner)];
    });
    return TAG in value ? tag("object", entries) : Object.fromEntries(entries);
  }

  #text(value: string): unknown {
    const holder = this.#holder;
    const placed = this.#media.put?.(value, () => holder && mediaTypeIn(holder));
    return placed === undefined ? value : tag("media", placed);
  }

  #list(values: readonly unknown[]): unknown[] {
    this.#holder = undefined;
    return values.map((value) => (value === undefined ? tag("undefined") : this.encode(value)));
  }
}

interface Sources {
  readonly messages: MessageParts;
  readonly media: MediaShelf;
}

function decodeTagged({ [TAG]: kind, value }: Tagged, sources: Sources): unknown {
  const decoded = decode(value, sources);
  if (kind === "media") return sources.media.get?.(decoded);
  if (kind === "bigint") return BigInt(String(value));
  if (kind === "number") return Number(value);
  if (kind === "bytes") return new Uint8Array(Buffer.from(String(value), "base64"));
  if (kind === "date") return new Date(Number(value));
  if (kind === "message") return sources.messages.build(decoded);
  if (kind === "undefined" || !Array.isArray(decoded)) return undefined;
  if (kind === "map") return new Map(decoded);
  if (kind === "set") return new Set(decoded);
  return Object.fromEntries(decoded);
}

function decode(value: unknown, sources: Sources): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => decode(inner, sources));
  // The encoder gives this key to tagged values only.
  if (Object.hasOwn(value, TAG)) return decodeTagged(value as Tagged, sources);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner, sources)]));
}

/** Functions and symbols are left out; an object with `toJSON` becomes what that returns; a circle is cut. */
export const toTaggedJson = (value: unknown, messages: MessageParts, media = NO_MEDIA): string =>
  JSON.stringify(new Encoder(messages, media).encode(value));

/** Reads what `toTaggedJson` wrote. */
export function fromTaggedJson(text: string, messages: MessageParts, media = NO_MEDIA): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes(TAGGED) ? decode(value, { messages, media }) : value;
}
