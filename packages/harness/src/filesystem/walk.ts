/** Walking a tree of files, in order of name, with a hand on the brake. */
import { ABORTED, orAborted } from "../base/abort.js";
import { Turn } from "../base/turn.js";
import { DeerflowError } from "../base/errors.js";
import type { FileBackend, FileEntry, ListNotes } from "./contract.js";

export const MAX_DEPTH = 100;

/** What a walk tells besides its entries. */
export interface WalkNotes extends ListNotes {
  /** Folders that could not be read. */
  readonly unreadable: string[];
}

export const emptyNotes = (): WalkNotes => ({ unreadable: [], unusableNames: 0 });

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
  const first = await orAborted(files.list(root, notes), signal);
  const pending = first === ABORTED ? [] : lastFirst(first).map((entry) => ({ entry, depth: 1 }));
  const turn = new Turn();
  for (let next = pending.pop(); next !== undefined && !signal.aborted; next = pending.pop()) {
    const { entry, depth } = next;
    if (entry.link === true) continue;
    yield entry;
    if (turn.isOver) await turn.next();
    if (entry.kind === "file" || depth >= MAX_DEPTH) continue;
    const children = await orAborted(listOrNote(files, entry.path, notes), signal);
    if (children === ABORTED) return;
    for (const child of lastFirst(children)) pending.push({ entry: child, depth: depth + 1 });
  }
}

/** In the order in which ripgrep sorts, which is that of code points: it differs from ours above U+D7FF. */
function lastFirst(entries: readonly FileEntry[]): readonly FileEntry[] {
  const sorted = entries.some((entry) => /[\uD800-\uFFFF]/.test(entry.path))
    ? entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
    : entries;
  return sorted.toReversed();
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
