/** What a search says besides its results. */
import type { SearchStop } from "../filesystem/glob.js";

const SHOWN_PATHS = 5;

interface SearchEnd {
  readonly stopped: SearchStop | undefined;
  readonly unreadable: readonly string[];
}

/** One line per note, each in brackets; empty when the search saw everything. */
export function searchNotes({ stopped, unreadable }: SearchEnd, shown: number): readonly string[] {
  const named = unreadable.slice(0, SHOWN_PATHS).join(", ");
  return [
    ...(stopped === "results"
      ? [`[There are more; the first ${shown} are shown. Narrow the search to see others.]`]
      : []),
    ...(stopped === "time" ? ["[Stopped at the time limit; there may be more. Narrow the search.]"] : []),
    ...(unreadable.length > 0
      ? [`[Could not be read: ${named}${unreadable.length > SHOWN_PATHS ? ", …" : ""}.]`]
      : []),
  ];
}
