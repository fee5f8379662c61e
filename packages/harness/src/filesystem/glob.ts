/** Finding files by name. */
import type { FileBackend } from "./contract.js";
import { globMatcher } from "./glob-pattern.js";
import { emptyNotes, limitedSignal, walk } from "./walk.js";

const GLOB_SECONDS = 10;

export interface GlobQuery {
  readonly pattern: string;
  /** The canonical folder to search. */
  readonly path: string;
  readonly includeDirectories: boolean;
  readonly maxResults: number;
}

/** Why a search ended before it had seen everything. */
export type SearchStop = "results" | "time";

export interface GlobResult {
  /** In the order of the walk: by name, a folder before what is in it. */
  readonly paths: readonly string[];
  readonly stopped: SearchStop | undefined;
  readonly unreadable: readonly string[];
  /** How many names were passed over because they are not UTF-8. */
  readonly unusableNames: number;
}

/**
 * Searches a tree by pattern (see {@link globMatcher} for its meaning). Ends by itself at its limits.
 * @throws DeerflowError `pattern_invalid`, `path_not_found`, `not_a_directory`, `path_denied`; the signal's reason
 */
export async function glob(
  files: FileBackend,
  query: GlobQuery,
  options: { readonly signal?: AbortSignal; readonly seconds?: number } = {},
): Promise<GlobResult> {
  const matches = globMatcher(query.pattern, query.path);
  const signal = limitedSignal(options.seconds ?? GLOB_SECONDS, options.signal);
  const paths: string[] = [];
  const notes = emptyNotes();
  const result = (stopped: SearchStop | undefined): GlobResult => ({ paths, stopped, ...notes });
  for await (const entry of walk(files, query.path, notes, signal)) {
    if (entry.kind === "directory" && !query.includeDirectories) continue;
    if (!matches(entry.path)) continue;
    if (paths.length === query.maxResults) return result("results");
    paths.push(entry.path);
  }
  options.signal?.throwIfAborted();
  return result(signal.aborted ? "time" : undefined);
}
