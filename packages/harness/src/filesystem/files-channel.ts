/** The field of a graph's state in which files lie: a map from path to file, stored as changes. */
import { DeltaValue } from "@langchain/langgraph";
import { z } from "zod";
import { knownToCreateAgent } from "../langgraph/private-keys.js";
import { type FileData, revisionOf } from "./file-data.js";

/** The name of the field; the same as in deepagents, so that their agents and clients find the files. */
export const FILES_FIELD = "files";

export type FilesState = Readonly<Record<string, FileData>>;
/** Paths that are not named stay as they are; `null` deletes one. */
export type FilesUpdate = Readonly<Record<string, FileData | null>>;

/** Updates after which the whole map is stored once more, so that reading a thread replays at most so many. */
const SNAPSHOT_EVERY = 50;

// What is inside is judged when it is read: one strange file must not make a whole update, or thread, unusable.
const StoredFiles = z.record(z.string(), z.looseObject({}));
const StoredChanges = z.record(z.string(), z.looseObject({}).nullable());

/**
 * The field `files`, for the state schema of an agent or a middleware that has a {@link StateBackend}.
 *
 * Updates merge by path: `null` deletes, and the later update wins, unless it carries a `revision` that is lower
 * than that of the file in the state. So the order in which parallel calls are applied does not matter, and an old copy
 * of all files, as a subagent hands it back, undoes nothing. To bring back an old version leave out its `revision`.
 *
 * @example
 * createMiddleware({ name: "files", stateSchema: new StateSchema({ files: filesChannel }) });
 */
export const filesChannel = knownToCreateAgent(
  new DeltaValue<FilesState, FilesUpdate | undefined>(
    // The casts narrow what is written here to what may be read, which the schema leaves open.
    StoredFiles.default(() => ({})) as unknown as z.ZodType<FilesState>,
    {
      inputSchema: StoredChanges.optional() as unknown as z.ZodType<FilesUpdate | undefined>,
      reducer: mergeFiles,
      snapshotFrequency: SNAPSHOT_EVERY,
      jsonSchemaExtra: { description: "The agent's files by path." },
    },
  ),
);

/**
 * All updates on top of the files, in one copy and one pass. Gives the same whether updates come one by one or together.
 * @param updates a list, or one update where a reducer of two values is expected
 */
export function mergeFiles(
  files: FilesState | undefined,
  updates: FilesUpdate | undefined | readonly (FilesUpdate | undefined)[],
): FilesState {
  // A Map, because a path like `__proto__` must be a key like any other.
  const merged = new Map(Object.entries(files ?? {}));
  // The cast is sound: an update is a map, never a list.
  const list = (Array.isArray(updates) ? updates : [updates]) as readonly (FilesUpdate | undefined)[];
  for (const update of list) {
    for (const [path, file] of Object.entries(update ?? {})) {
      if (file === null) merged.delete(path);
      else if (file !== undefined) merged.set(path, newerFile(merged.get(path), file));
    }
  }
  return Object.fromEntries(merged);
}

/** Which of two versions stays: the written one, unless it is known to be older; what was not counted is counted on. */
export function newerFile(current: FileData | undefined, written: FileData): FileData {
  const [had, has] = [revisionOf(current), revisionOf(written)];
  if (current === undefined || had === undefined) return written;
  if (has === undefined) return { ...written, revision: had + 1 };
  return has < had ? current : written;
}
