/** Finding lines in files. */
import { withTimeLimit } from "../base/abort.js";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { isHostSearchable } from "./capabilities.js";
import type { FileBackend } from "./contract.js";
import { globMatcher } from "./glob-pattern.js";
import { type Candidates, scanLines } from "./line-scan.js";
import {
  emptySearchNotes,
  type GrepQuery,
  type GrepResult,
  type LineSearch,
  MAX_SEARCHED_BYTES,
  type SearchNotes,
} from "./line-search.js";
import { RipgrepUnusable, ripgrepMatchingFiles } from "./ripgrep.js";
import { assertSearchable } from "./search-pattern.js";
import { walk } from "./walk.js";

const GREP_SECONDS = 15;

/**
 * Searches a file or a tree line by line. Binary files (with a NUL) are passed over; in a tree so are files over
 * 10 MiB, which are named. Where the files lie on this machine ripgrep finds those that are worth looking at; the lines
 * are always found by the same matcher, in a thread of its own, so that the result is the same. Ends by itself at its
 * limits, and its work with it.
 * @throws DeerflowError `pattern_invalid`, `path_not_found`, `path_denied`; the signal's reason
 */
export async function grep(
  files: FileBackend,
  query: GrepQuery,
  options: { readonly signal?: AbortSignal; readonly seconds?: number } = {},
): Promise<GrepResult> {
  assertSearchable(query);
  const takes = query.glob === undefined ? () => true : globMatcher(query.glob, query.path);
  options.signal?.throwIfAborted();
  const root = await files.stat(query.path);
  if (root === undefined) throw new DeerflowError("path_not_found", { path: shownPath(query.path) });
  const search = root.kind === "file" ? searchFile : searchTree;
  const result = await withTimeLimit(options.seconds ?? GREP_SECONDS, options.signal, (signal) =>
    search(files, { query, takes, signal }),
  );
  options.signal?.throwIfAborted();
  return result;
}

/** A file that was named takes part whatever the glob says, and whatever its size. */
const searchFile = (files: FileBackend, search: LineSearch): Promise<GrepResult> =>
  scanLines(files, search, () => theOne(search.query.path), emptySearchNotes());

async function* theOne(path: string): AsyncGenerator<string> {
  yield path;
}

async function searchTree(files: FileBackend, search: LineSearch): Promise<GrepResult> {
  return (await searchHost(files, search)) ?? (await searchByWalking(files, search));
}

/** Undefined where ripgrep cannot help: a backend that is not on this machine, a foreign pattern. */
async function searchHost(files: FileBackend, search: LineSearch): Promise<GrepResult | undefined> {
  const folders = isHostSearchable(files) ? await files.openFolders(search.query.path) : undefined;
  if (folders === undefined) return undefined;
  const notes = emptySearchNotes();
  try {
    const candidates: Candidates = (signal) => ripgrepMatchingFiles(folders, { ...search, signal }, notes);
    return await scanLines(files, search, candidates, notes);
  } catch (error) {
    if (error instanceof RipgrepUnusable) return undefined;
    throw error;
  } finally {
    await Promise.all(folders.map((folder) => folder.close()));
  }
}

function searchByWalking(files: FileBackend, search: LineSearch): Promise<GrepResult> {
  const notes = emptySearchNotes();
  return scanLines(files, search, (signal) => walkedFiles(files, search, notes, signal), notes);
}

async function* walkedFiles(
  files: FileBackend,
  { query, takes }: LineSearch,
  notes: SearchNotes,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const entry of walk(files, query.path, notes, signal)) {
    if (entry.kind !== "file" || !takes(entry.path)) continue;
    if (entry.size > MAX_SEARCHED_BYTES) notes.tooLarge.push(entry.path);
    else yield entry.path;
  }
}
