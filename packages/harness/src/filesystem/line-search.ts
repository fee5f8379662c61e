/** The shapes that grep and its two engines share. */
import type { SearchStop } from "./glob.js";
import type { LineMatcher, SearchText } from "./search-pattern.js";

export interface GrepQuery extends SearchText {
  /** A canonical file or folder. */
  readonly path: string;
  /** Only files that this glob matches, relative to `path`. */
  readonly glob?: string;
  readonly maxResults: number;
}

export interface GrepMatch {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** The line, at most {@link MAX_LINE_CHARACTERS} around the match. */
  readonly text: string;
}

export interface GrepResult {
  /** By path in the order of a walk, then by line. */
  readonly matches: readonly GrepMatch[];
  readonly stopped: SearchStop | undefined;
  /** Folders and files that could not be read. */
  readonly unreadable: readonly string[];
  /** How many names were passed over because they are not UTF-8; ripgrep counts only files with a match. */
  readonly unusableNames: number;
}

export const MAX_LINE_CHARACTERS = 200;
/** Larger files are not searched. Bytes. */
export const MAX_SEARCHED_BYTES = 10 * 1024 * 1024;

/** What an engine is given: the query, checked and compiled. */
export interface LineSearch {
  readonly query: GrepQuery;
  readonly matches: LineMatcher;
  /** Whether a file takes part. */
  readonly takes: (path: string) => boolean;
  /** Aborted at the time limit or by the caller; the engine then returns what it has. */
  readonly signal: AbortSignal;
}
