/** Finding lines in files. */
import { grep } from "../filesystem/grep.js";
import type { GrepQuery, GrepResult } from "../filesystem/line-search.js";
import type { Perform } from "./face.js";

export const OUTPUT_MODES = ["files_with_matches", "content", "count"] as const;
export type OutputMode = (typeof OUTPUT_MODES)[number];

export interface GrepRequest extends GrepQuery {
  readonly outputMode: OutputMode;
}

export type { GrepResult };

/** @throws DeerflowError `pattern_invalid`, `path_not_found`, `path_denied` */
export const grepFiles: Perform<GrepRequest, GrepResult> = (query, { files, signal }) =>
  grep(files, query, signal === undefined ? {} : { signal });
