/** What the searching thread and its owner say to each other. */
import type { SearchText } from "./search-pattern.js";

export interface Search extends SearchText {
  /** The thread looks for no more lines after these. */
  readonly maxMatches: number;
  readonly maxLineCharacters: number;
}

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A search is followed by files, each in one piece or more. */
export type ToWorker =
  | { readonly type: "search"; readonly search: Search }
  | { readonly type: "piece"; readonly bytes: Uint8Array; readonly last: boolean };

export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "refused"; readonly reason: string }
  /** One for each piece; `enough` says that no further piece of the file will matter. */
  | { readonly type: "taken"; readonly enough: boolean }
  /** One for each file, in the order in which they were sent. */
  | { readonly type: "file"; readonly found: readonly FoundLine[] };
