/** Walking a tree of files, in order of name, with a hand on the brake. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DeerflowError } from "../base/errors.js";
import type { FileBackend, FileEntry, ListNotes } from "./contract.js";

const MAX_DEPTH = 100;

/** What a walk tells besides its entries. */
export interface WalkNotes extends ListNotes {
  /** Folders that could not be read. */
  readonly unreadable: string[];
}

export const emptyNotes = (): WalkNotes => ({ unreadable: [], unusableNames: 0 });

/** The signal of a search's own time limit together with the caller's. */
export const limitedSignal = (seconds: number, signal?: AbortSignal): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(signal === undefined ? [] : [signal])]);

/**
 * Every file and folder below `root`, a folder before what is in it. Links are neither given nor followed. Stops
 * quietly once `signal` is aborted; a folder that cannot be read is noted and passed over.
 * @throws DeerflowError `path_not_found`, `not_a_directory`, `path_denied` for `root` itself
 */
export async function* walk(
  files: FileBackend,
  root: string,
  notes: WalkNotes,
  signal: AbortSignal,
): AsyncGenerator<FileEntry> {
  const pending = [...(await files.list(root, notes))].reverse().map((entry) => ({ entry, depth: 1 }));
  for (let next = pending.pop(); next !== undefined && !signal.aborted; next = pending.pop()) {
    const { entry, depth } = next;
    if (entry.link === true) continue;
    yield entry;
    if (entry.kind === "file") continue;
    await nextTurn();
    const children = depth < MAX_DEPTH ? await listOrNote(files, entry.path, notes) : [];
    pending.push(...[...children].reverse().map((child) => ({ entry: child, depth: depth + 1 })));
  }
}

async function listOrNote(files: FileBackend, path: string, notes: WalkNotes): Promise<readonly FileEntry[]> {
  try {
    return await files.list(path, notes);
  } catch (error) {
    if (!DeerflowError.is(error) || error.retry !== "model") throw error;
    notes.unreadable.push(path);
    return [];
  }
}
