/** Finding files by name. */
import { withTimeLimit } from "../base/abort.js";
import { Turn } from "../base/turn.js";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { isHostSearchable } from "./capabilities.js";
import type { FileBackend } from "./contract.js";
import { globMatcher } from "./glob-pattern.js";
import { RipgrepUnusable, ripgrepFiles } from "./ripgrep.js";
import type { SearchStop } from "./search-stop.js";
import { emptyNotes, walk, type WalkNotes } from "./walk.js";

export type { SearchStop } from "./search-stop.js";

const GLOB_SECONDS = 10;

export interface GlobQuery {
  readonly pattern: string;
  /** The canonical folder to search. */
  readonly path: string;
  readonly includeDirectories: boolean;
  readonly maxResults: number;
}

export interface GlobResult {
  /** In the order of the walk: by name, a folder before what is in it. */
  readonly paths: readonly string[];
  readonly stopped: SearchStop | undefined;
  readonly unreadable: readonly string[];
  /** How many names were passed over because they are not UTF-8. */
  readonly unusableNames: number;
}

/**
 * Searches a tree by pattern (see {@link globMatcher} for its meaning). Where the files lie on this machine ripgrep
 * lists them, with the same result. Ends by itself at its limits, and its work with it.
 * @throws DeerflowError `pattern_invalid`, `path_not_found`, `not_a_directory`, `path_denied`; the signal's reason
 */
export async function glob(
  files: FileBackend,
  query: GlobQuery,
  options: { readonly signal?: AbortSignal; readonly seconds?: number } = {},
): Promise<GlobResult> {
  const matches = globMatcher(query.pattern, query.path);
  options.signal?.throwIfAborted();
  const result = await withTimeLimit(
    options.seconds ?? GLOB_SECONDS,
    options.signal,
    async (signal) =>
      (await globOnHost(files, query, matches, signal)) ?? globByWalking(files, query, matches, signal),
  );
  options.signal?.throwIfAborted();
  return result;
}

/** Undefined where ripgrep cannot help: it lists no folders, and no files that are not on this machine. */
async function globOnHost(
  files: FileBackend,
  query: GlobQuery,
  matches: (path: string) => boolean,
  signal: AbortSignal,
): Promise<GlobResult | undefined> {
  if (!isHostSearchable(files) || query.includeDirectories) return undefined;
  await assertFolder(files, query.path);
  const folders = await files.openFolders(query.path);
  if (folders === undefined) return undefined;
  const notes = emptyNotes();
  try {
    return await firstOf(ripgrepFiles(folders, query, notes, signal), { query, matches, notes, signal });
  } catch (error) {
    if (error instanceof RipgrepUnusable) return undefined;
    throw error;
  } finally {
    await Promise.all(folders.map((folder) => folder.close()));
  }
}

async function assertFolder(files: FileBackend, path: string): Promise<void> {
  const root = await files.stat(path);
  if (root === undefined) throw new DeerflowError("path_not_found", { path: shownPath(path) });
  if (root.kind === "file") throw new DeerflowError("not_a_directory", { path: shownPath(path) });
}

function globByWalking(
  files: FileBackend,
  query: GlobQuery,
  matches: (path: string) => boolean,
  signal: AbortSignal,
): Promise<GlobResult> {
  const notes = emptyNotes();
  return firstOf(walkedPaths(files, query, notes, signal), { query, matches, notes, signal });
}

async function* walkedPaths(
  files: FileBackend,
  { path, includeDirectories }: GlobQuery,
  notes: WalkNotes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  for await (const entry of walk(files, path, notes, signal)) {
    if (entry.kind === "file" || includeDirectories) yield [entry.path];
  }
}

interface Finding {
  readonly query: GlobQuery;
  readonly matches: (path: string) => boolean;
  readonly notes: WalkNotes;
  readonly signal: AbortSignal;
}

/** Leaves the search at one more than wanted, which ends it. */
async function firstOf(
  candidates: AsyncIterable<readonly string[]>,
  { query, matches, notes, signal }: Finding,
): Promise<GlobResult> {
  const paths: string[] = [];
  const turn = new Turn();
  for await (const some of candidates) {
    for (const path of some) {
      // A pattern of a thousand alternatives takes its time for every name.
      if (turn.isOver) await turn.next();
      if (signal.aborted) return { paths, stopped: "time", ...notes };
      if (!matches(path)) continue;
      if (paths.length === query.maxResults) return { paths, stopped: "results", ...notes };
      paths.push(path);
    }
  }
  return { paths, stopped: signal.aborted ? "time" : undefined, ...notes };
}
