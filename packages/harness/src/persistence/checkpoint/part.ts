/** What is stored apart from the rows that need it, once per thread. */
import { createHash } from "node:crypto";
import { packPayload, unpackPayload } from "./payload.js";

/** Longer data does not fit every database's packets in one row. */
export const SLICE_BYTES = 4 * 1024 * 1024;

/** A part that may not be stored yet. */
export interface NewPart {
  /** SHA-256; of media over its base64 text, so that it can be computed from a message in memory. */
  readonly hash: Uint8Array;
  /** Empty for what is no media. */
  readonly mediaType: string;
  readonly data: Uint8Array;
}

/** The name of a part in a text. */
export const hashToText = (hash: Uint8Array): string => Buffer.from(hash).toString("hex");

export const sha256 = (content: string | Uint8Array): Uint8Array =>
  createHash("sha256").update(content).digest();

const UNKNOWN_MEDIA = "application/octet-stream";
/** What a message says its media is may be anything; RFC 6838 section 4.2 says what a media type is. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/** @param base64 - canonical base64 text */
export async function mediaPart(base64: string, mediaType: string | undefined): Promise<NewPart> {
  const bytes = Buffer.from(base64, "base64");
  return {
    hash: sha256(base64),
    mediaType: mediaType !== undefined && MEDIA_TYPE.test(mediaType) ? mediaType : UNKNOWN_MEDIA,
    data: await packPayload({ type: "bytes", bytes, marked: false }),
  };
}

/** A block of bytes that are stored as they are. */
export const rawPart = (data: Uint8Array): NewPart => ({ hash: sha256(data), mediaType: "", data });

/** The bytes of a media part. Takes its whole data, slices joined. */
export const mediaBytes = async (data: Uint8Array): Promise<Uint8Array> => (await unpackPayload(data)).bytes;

/** True when the hash is that of the data; media by its base64 text. */
export async function isPartSound(part: {
  hash: Uint8Array;
  mediaType: string;
  data: Uint8Array;
}): Promise<boolean> {
  const content =
    part.mediaType === "" ? part.data : Buffer.from(await mediaBytes(part.data)).toString("base64");
  return Buffer.compare(sha256(content), part.hash) === 0;
}
