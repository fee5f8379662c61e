import type { PathReplacement } from "./path-mask.js";

/** What stands in output in place of a secret. */
export const SECRET_MARK = "[secret]";

/** A shorter value is likely to be a word of ordinary output too. */
const SHORTEST = 4;

/** What hides the values of these variables in output. Pure. */
export const secretReplacements = (variables: Readonly<Record<string, string>>): readonly PathReplacement[] =>
  [...new Set(Object.values(variables))]
    .filter((value) => value.length >= SHORTEST)
    .map((from) => ({ from, to: SECRET_MARK }));
