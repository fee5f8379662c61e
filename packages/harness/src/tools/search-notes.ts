/** What a search says besides its results. */
import { listedPath } from "../base/virtual-path.js";
import type { SearchStop } from "../filesystem/glob.js";
import { unusableNote } from "../filesystem/unusable-names.js";

const SHOWN_PATHS = 5;

interface SearchEnd {
  readonly stopped: SearchStop | undefined;
  readonly unreadable: readonly string[];
  readonly unusableNames: number;
}

/** One line per note, each in brackets; empty when the search saw everything. */
export function searchNotes(end: SearchEnd, shown: number): readonly string[] {
  const { stopped, unreadable, unusableNames } = end;
  const named = unreadable.slice(0, SHOWN_PATHS).map(listedPath).join(", ");
  return [
    ...(stopped === "results"
      ? [`[There are more; the first ${shown} are shown. Narrow the search to see others.]`]
      : []),
    ...(stopped === "time" ? ["[Stopped at the time limit; there may be more. Narrow the search.]"] : []),
    ...(unreadable.length > 0
      ? [`[Could not be read: ${named}${unreadable.length > SHOWN_PATHS ? ", …" : ""}.]`]
      : []),
    ...unusableNote(unusableNames),
  ];
}
