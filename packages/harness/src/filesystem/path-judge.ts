/** Judges of paths, put together. */
import type { PathJudge } from "./contract.js";

/** Asks both; either may refuse. */
export const bothJudges =
  (first: PathJudge | undefined, second: PathJudge): PathJudge =>
  (operation, path) => {
    first?.(operation, path);
    second(operation, path);
  };
