/** The shapes that grep and its engines share. */
import type { SearchText } from "./search-pattern.js";
import type { SearchStop } from "./search-stop.js";
import { emptyNotes, type WalkNotes } from "./walk.js";

export interface GrepQuery extends SearchText {
  /** A canonical file or folder. */
  readonly path: string;
  /** Only files that this glob matches, relative to `path`. */
  readonly glob?: string;
  /** How many lines over all files; that there is exactly this many is no reason to say that there are more. */
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
  /** Files over {@link MAX_SEARCHED_BYTES}, which were not searched. One that is named as `path` is. */
  readonly tooLarge: readonly string[];
  /** How many names were passed over because they are not UTF-8; ripgrep counts only files with a match. */
  readonly unusableNames: number;
  readonly namedFile: NamedFile;
}

/**
 * What the one file proved to be that was named as `path`; `text` for a tree. `binary`: it holds a NUL, so that it was
 * not searched. `foreign`: it is no UTF-8, so that what is encoded otherwise was not found.
 */
export type NamedFile = "text" | "binary" | "foreign";

export const MAX_LINE_CHARACTERS = 200;
/** Larger files are not searched in a tree. Bytes. */
export const MAX_SEARCHED_BYTES = 10 * 1024 * 1024;

/** What a search tells besides its matches. */
export interface SearchNotes extends WalkNotes {
  readonly tooLarge: string[];
  namedFile: NamedFile;
}

export const emptySearchNotes = (): SearchNotes => ({
  ...emptyNotes(),
  tooLarge: [],
  namedFile: "text",
});

/** What an engine is given: the query, checked. */
export interface LineSearch {
  readonly query: GrepQuery;
  /** Whether a file takes part. */
  readonly takes: (path: string) => boolean;
  /** Aborted at the time limit or by the caller; the engine then returns what it has. */
  readonly signal: AbortSignal;
}
