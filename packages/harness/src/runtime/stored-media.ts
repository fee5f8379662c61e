/** The media of a thread, as its checkpointer keeps it. */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { FindMedia, StoredMedia } from "./media-references.js";

export interface MediaFile extends StoredMedia {
  readonly bytes: Uint8Array;
}

/** What our savers have beyond LangGraph's; one that an embedder brings may lack it, and then has no media apart. */
interface MediaKeeper {
  findMedia(threadId: string, hash: string): Promise<MediaFile | undefined>;
}

const keepsMedia = (saver: object): saver is MediaKeeper =>
  "findMedia" in saver && typeof saver.findMedia === "function";

/** @param hash 64 hexadecimal digits, of the media's base64 text */
export const findMediaFile = async (
  saver: BaseCheckpointSaver,
  threadId: string,
  hash: string,
): Promise<MediaFile | undefined> => (keepsMedia(saver) ? saver.findMedia(threadId, hash) : undefined);

/** Looks up what a client's addresses stand for. */
export const storedMedia =
  (saver: BaseCheckpointSaver, threadId: string): FindMedia =>
  (hash) =>
    findMediaFile(saver, threadId, hash);
