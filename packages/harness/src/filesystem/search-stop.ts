/**
 * Why a search ended before it had seen everything: at its number of results, at its time, or because the pattern took
 * more memory than a search may have.
 */
export type SearchStop = "results" | "time" | "memory";
