/** How many bytes a thread keeps: its files and its checkpoints. */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { VIRTUAL_OUTPUTS, VIRTUAL_UPLOADS, VIRTUAL_WORKSPACE } from "../../context/home-paths.js";
import type { FileBackend } from "../../filesystem/contract.js";
import { emptyNotes, walk } from "../../filesystem/walk.js";

export interface ThreadUsage {
  /** Bytes of files in each folder; links are not followed. */
  readonly uploads: number;
  readonly outputs: number;
  readonly workspace: number;
  /** Bytes of messages, media and everything else that the checkpoints hold. */
  readonly checkpoints: number;
  readonly total: number;
  /** False when there are more files than are looked at: then there are at least so many bytes. */
  readonly isWhole: boolean;
}

export interface UsageBounds {
  /** Files and folders of a thread that are looked at. */
  readonly maxEntries: number;
  /** Milliseconds for all of them. */
  readonly maxMilliseconds: number;
}

export const DEFAULT_USAGE_BOUNDS: UsageBounds = { maxEntries: 20_000, maxMilliseconds: 5000 };

/** In this order: where the limit ends a count, it is among files that can be made again. */
const FOLDERS = [
  { name: "uploads", path: VIRTUAL_UPLOADS },
  { name: "outputs", path: VIRTUAL_OUTPUTS },
  // Commands write here; without it a quota would be a matter of the folder's name.
  { name: "workspace", path: VIRTUAL_WORKSPACE },
] as const;

/** What our savers have beyond LangGraph's. */
interface CountingSaver {
  threadBytes(threadId: string): Promise<number>;
}

const counts = (saver: object): saver is CountingSaver =>
  "threadBytes" in saver && typeof saver.threadBytes === "function";

/** Bytes that a checkpointer holds of a thread; 0 for one that cannot say. */
export const storedBytes = async (saver: BaseCheckpointSaver, threadId: string): Promise<number> =>
  counts(saver) ? saver.threadBytes(threadId) : 0;

/** Looks at the disk and into the database. */
export async function measureThread(
  { files, saver, threadId }: { files: FileBackend; saver: BaseCheckpointSaver; threadId: string },
  bounds: UsageBounds = DEFAULT_USAGE_BOUNDS,
): Promise<ThreadUsage> {
  const sizes = { uploads: 0, outputs: 0, workspace: 0 };
  const signal = AbortSignal.timeout(bounds.maxMilliseconds);
  let left = bounds.maxEntries;
  for (const { name, path } of FOLDERS) {
    const { bytes, entries } = await folderSize(files, path, { entries: left, signal });
    sizes[name] = bytes;
    left -= entries;
  }
  const checkpoints = await storedBytes(saver, threadId);
  return {
    ...sizes,
    checkpoints,
    total: sizes.uploads + sizes.outputs + sizes.workspace + checkpoints,
    isWhole: left > 0 && !signal.aborted,
  };
}

async function folderSize(
  files: FileBackend,
  path: string,
  limit: { readonly entries: number; readonly signal: AbortSignal },
): Promise<{ readonly bytes: number; readonly entries: number }> {
  let bytes = 0;
  let entries = 0;
  if (limit.entries <= 0 || (await files.stat(path))?.kind !== "directory") return { bytes, entries };
  for await (const entry of walk(files, path, emptyNotes(), limit.signal)) {
    bytes += entry.size;
    entries += 1;
    if (entries >= limit.entries) break;
  }
  return { bytes, entries };
}
