/** Reads one media block of a thread, for whoever shows it. */
import type { CheckpointRows, PartRow } from "./checkpoint-rows.js";
import { mediaBytes } from "./part.js";
import { fromRanges } from "./ranges.js";
import { refsFromText } from "./refs.js";
import { slicesOf } from "./slices.js";

export interface StoredMedia {
  /** As it stands in the messages. */
  readonly base64: string;
  readonly bytes: Uint8Array;
  /** As the message said it; never trusted to be what the bytes are. */
  readonly mediaType: string;
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** @param place - the hash is that of the base64 text, in hexadecimal */
export async function findMedia(
  rows: CheckpointRows,
  { scope, threadId, hash }: { scope: string; threadId: string; hash: string },
): Promise<StoredMedia | undefined> {
  if (!SHA256_HEX.test(hash)) return undefined;
  const thread = await rows.findThread(scope, threadId);
  if (thread === undefined) return undefined;
  const number = (await rows.findHashes("parts", thread.key, { hashes: [Buffer.from(hash, "hex")] })).get(
    hash,
  );
  if (number === undefined) return undefined;
  const [part] = await rows.findNumbered("parts", thread.key, [number, number]);
  if (part === undefined || part.mediaType === "") return undefined;
  const bytes = await mediaBytes(await wholeOf(rows, thread.key, part));
  return { bytes, base64: Buffer.from(bytes).toString("base64"), mediaType: part.mediaType };
}

async function wholeOf(rows: CheckpointRows, threadKey: number, part: PartRow): Promise<Uint8Array> {
  const slices = slicesOf(part.data);
  if (slices === undefined) return part.data;
  const found = await rows.findNumbered("parts", threadKey, refsFromText(part.refs).parts);
  const data = new Map(found.map((row) => [row.number, row.data]));
  return Buffer.concat(fromRanges(slices).map((number) => data.get(number) ?? Buffer.alloc(0)));
}
