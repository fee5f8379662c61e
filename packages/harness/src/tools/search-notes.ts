/** What a search says besides its results. */
import { listedPath } from "../base/virtual-path.js";
import type { SearchStop } from "../filesystem/glob.js";
import type { NamedFile } from "../filesystem/line-search.js";
import { unusableNote } from "../filesystem/unusable-names.js";

const SHOWN_PATHS = 5;

interface SearchEnd {
  readonly stopped: SearchStop | undefined;
  readonly unreadable: readonly string[];
  readonly unusableNames: number;
  /** Files that were too large to be searched. */
  readonly tooLarge?: readonly string[];
  readonly namedFile?: NamedFile;
}

/**
 * One line per note, each in brackets; empty when the search saw everything and all of it is shown.
 * @param shown how many results the answer holds; undefined where its lines are no count of them
 * @param left how many lines of the answer did not fit
 */
export function searchNotes(end: SearchEnd, shown: number | undefined, left = 0): readonly string[] {
  const { stopped, unreadable, unusableNames, tooLarge = [], namedFile = "text" } = end;
  const first = shown === undefined ? "" : `; the first ${shown} are shown`;
  return [
    ...(left > 0 || stopped === "results"
      ? [`[There are more${first}. Narrow the search to see others.]`]
      : []),
    ...(stopped === undefined ? [] : STOPS[stopped]),
    ...(unreadable.length > 0 ? [`[Could not be read: ${named(unreadable)}.]`] : []),
    ...(tooLarge.length > 0 ? [`[Too large to be searched: ${named(tooLarge)}.]`] : []),
    ...NAMED_FILES[namedFile],
    ...unusableNote(unusableNames),
  ];
}

const STOPS: Readonly<Record<SearchStop, readonly string[]>> = {
  results: [],
  time: ["[Stopped at the time limit; there may be more. Narrow the search.]"],
  memory: [
    "[Stopped, as the pattern took too much memory; there may be more. Search for something simpler.]",
  ],
};

const NAMED_FILES: Readonly<Record<NamedFile, readonly string[]>> = {
  text: [],
  binary: ["[The file is binary, or text in another encoding than UTF-8, and was not searched.]"],
  foreign: ["[The file is not UTF-8 text: what is in another encoding was not found.]"],
};

const named = (paths: readonly string[]): string =>
  `${paths.slice(0, SHOWN_PATHS).map(listedPath).join(", ")}${paths.length > SHOWN_PATHS ? ", …" : ""}`;
