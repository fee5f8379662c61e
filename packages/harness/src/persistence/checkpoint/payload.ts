/** Bytes as they lie in the database: one byte that says how to read them, then the content, deflated if that pays. */
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import { DeerflowError } from "../../base/errors.js";

export interface Payload {
  /** The serializer's name for the form of `bytes`: `json`, `bytes`, or its own. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** True when the value must be searched for message marks. */
  readonly marked: boolean;
}

const DEFLATED = 1;
const MARKED = 2;
/** The type's length in bytes, and then the type, stand between the first byte and the content. */
const NAMED_TYPE = 4;

/** Shorter content stays as it is. */
const DEFLATE_FROM_BYTES = 1024;
/** Longer content is deflated and inflated off the event loop. */
const BESIDE_FROM_BYTES = 64 * 1024;

/** Most messages are short, and most of the time that deflating them takes is making the tables. */
const SHORT_BYTES = 4096;
const FOR_SHORT = { windowBits: 12, memLevel: 5, chunkSize: SHORT_BYTES };

const deflate = (bytes: Uint8Array): Promise<Uint8Array> | Uint8Array =>
  bytes.length < BESIDE_FROM_BYTES
    ? deflateRawSync(bytes, bytes.length <= SHORT_BYTES ? FOR_SHORT : {})
    : promisify(deflateRaw)(bytes);

const inflate = (bytes: Uint8Array): Promise<Uint8Array> | Uint8Array =>
  bytes.length < BESIDE_FROM_BYTES ? inflateRawSync(bytes) : promisify(inflateRaw)(bytes);

export async function packPayload({ type, bytes, marked }: Payload): Promise<Uint8Array> {
  const small = bytes.length < DEFLATE_FROM_BYTES ? bytes : await deflate(bytes);
  const pays = small.length < bytes.length * 0.9;
  const name = type === "json" ? undefined : Buffer.from(type);
  const flags = (pays ? DEFLATED : 0) | (marked ? MARKED : 0) | (name === undefined ? 0 : NAMED_TYPE);
  const head = name === undefined ? [flags] : [flags, name.length, ...name];
  return Buffer.concat([Uint8Array.from(head), pays ? small : bytes]);
}

/** @throws DeerflowError `internal` when the bytes end before they begin */
export async function unpackPayload(packed: Uint8Array): Promise<Payload> {
  const flags = packed[0];
  if (flags === undefined) throw new DeerflowError("internal", { reason: "a stored value is empty" });
  const nameLength = flags & NAMED_TYPE ? (packed[1] ?? 0) : 0;
  const nameAt = flags & NAMED_TYPE ? 2 : 1;
  const content = packed.subarray(nameAt + nameLength);
  return {
    type: flags & NAMED_TYPE ? Buffer.from(packed.subarray(nameAt, nameAt + nameLength)).toString() : "json",
    bytes: flags & DEFLATED ? await inflate(content) : content,
    marked: (flags & MARKED) !== 0,
  };
}
