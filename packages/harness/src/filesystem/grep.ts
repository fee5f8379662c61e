/** Finding lines in files. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { isHostSearchable } from "./capabilities.js";
import type { FileBackend } from "./contract.js";
import { globMatcher } from "./glob-pattern.js";
import { scanLines } from "./line-scan.js";
import type { GrepQuery, GrepResult, LineSearch } from "./line-search.js";
import { ripgrepLines } from "./ripgrep.js";
import { lineMatcher } from "./search-pattern.js";
import { limitedSignal } from "./walk.js";

const GREP_SECONDS = 15;

/**
 * Searches a file or a tree line by line; binary files (with a NUL) and files over 10 MiB are passed over. Uses
 * ripgrep where the files lie on this machine, with the same result. Ends by itself at its limits.
 * @throws DeerflowError `pattern_invalid`, `path_not_found`, `path_denied`; the signal's reason
 */
export async function grep(
  files: FileBackend,
  query: GrepQuery,
  options: { readonly signal?: AbortSignal; readonly seconds?: number } = {},
): Promise<GrepResult> {
  const search: LineSearch = {
    query,
    matches: lineMatcher(query),
    takes: query.glob === undefined ? () => true : takesBy(query.glob, query.path),
    signal: limitedSignal(options.seconds ?? GREP_SECONDS, options.signal),
  };
  const result = (await searchHost(files, search)) ?? (await scanLines(files, search));
  options.signal?.throwIfAborted();
  return result;
}

/** A file that was named takes part whatever the glob says. */
function takesBy(glob: string, root: string): (path: string) => boolean {
  const matches = globMatcher(glob, root);
  return (path) => path === root || matches(path);
}

/** Undefined where ripgrep cannot help: a backend that is not on this machine, a foreign pattern. */
async function searchHost(files: FileBackend, search: LineSearch): Promise<GrepResult | undefined> {
  if (!isHostSearchable(files)) return undefined;
  const root = await files.stat(search.query.path);
  if (root === undefined) throw new DeerflowError("path_not_found", { path: shownPath(search.query.path) });
  const folders = await files.openFolders(search.query.path);
  if (folders === undefined) return undefined;
  try {
    return await ripgrepLines(folders, search);
  } finally {
    await Promise.all(folders.map((folder) => folder.close()));
  }
}
