/** Finding files by name. */
import { glob, type GlobQuery, type GlobResult } from "../filesystem/glob.js";
import { globAnchor } from "../filesystem/glob-pattern.js";
import { absolutePath } from "./absolute-path.js";
import type { Perform } from "./face.js";

export type GlobRequest = GlobQuery;
export type { GlobResult };

/** @throws DeerflowError `pattern_invalid`, `path_not_found`, `not_a_directory`, `path_denied` */
export const globFiles: Perform<GlobRequest, GlobResult> = (query, { files, signal }) =>
  glob(files, query, signal === undefined ? {} : { signal });

/**
 * The folder to search: the one that is given, else the one that an absolute pattern names, else everything. Rules may
 * allow that folder and nothing above it.
 * @throws DeerflowError `path_invalid`
 */
export const searchRoot = (given: string | undefined, pattern: string, workingDirectory: string): string =>
  absolutePath(given ?? globAnchor(pattern), workingDirectory);
