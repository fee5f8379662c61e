/** The media of a thread, as its checkpointer keeps it. */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { FindMedia } from "./media-references.js";

export interface MediaFile {
  readonly bytes: Uint8Array;
  /** As the block said that showed it: hostile. */
  readonly mediaType: string;
}

/** What our savers have beyond LangGraph's; one that an embedder brings may lack it, and then has no media apart. */
interface MediaKeeper {
  findPart(threadId: string, hash: string): Promise<MediaFile | undefined>;
}

const keepsMedia = (saver: object): saver is MediaKeeper =>
  "findPart" in saver && typeof saver.findPart === "function";

/** @param hash 64 hexadecimal digits, of the media's base64 text */
export const findMediaFile = async (
  saver: BaseCheckpointSaver,
  threadId: string,
  hash: string,
): Promise<MediaFile | undefined> => (keepsMedia(saver) ? saver.findPart(threadId, hash) : undefined);

/** Looks up what a client's addresses stand for. */
export const storedMedia =
  (saver: BaseCheckpointSaver, threadId: string): FindMedia =>
  async (hash) => {
    const file = await findMediaFile(saver, threadId, hash);
    if (file === undefined) return undefined;
    const { bytes, mediaType } = file;
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { base64: view.toString("base64"), mediaType };
  };
