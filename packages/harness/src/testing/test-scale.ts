/** What part of their full counts the suites of crash points, races and soaks run; see `npm run test:full`. */
const TEST_SCALE = Number(process.env["DEERFLOW_TEST_SCALE"] ?? "0.02");

/** A full count at the scale of this run, and never less than `least`. */
export const scaled = (full: number, least: number): number => Math.max(least, Math.round(full * TEST_SCALE));
