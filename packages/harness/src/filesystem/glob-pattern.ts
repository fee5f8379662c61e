/** One meaning of a glob for every tool and backend. */
import picomatch from "picomatch";
import { DeerflowError } from "../base/errors.js";
import { nameOf, segmentsOf, shownPath } from "../base/virtual-path.js";

const MAX_LENGTH = 1000;
/** A regular expression of more stars in one name could take minutes to say no. */
const MAX_STARS_IN_NAME = 3;

/** Why a pattern is refused, in the order in which the reasons are looked for. */
const REFUSALS: readonly { readonly applies: (pattern: string) => boolean; readonly reason: string }[] = [
  { applies: (pattern) => pattern.trim() === "", reason: "it is empty" },
  { applies: (pattern) => pattern.length > MAX_LENGTH, reason: "it is too long" },
  { applies: (pattern) => /\p{Cc}/u.test(pattern), reason: "it holds a control character" },
  { applies: (pattern) => pattern.split("/").includes(".."), reason: "it holds a .. segment" },
  {
    applies: (pattern) =>
      heaviestReading(pattern)
        .split("/")
        .some((name) => costlyStars(name) > MAX_STARS_IN_NAME),
    reason: `it has more than ${MAX_STARS_IN_NAME} stars in one name`,
  },
];

const costlyStars = (name: string): number =>
  name === "**" ? 0 : (name.replace(/\*$/, "").match(/\*+/g)?.length ?? 0);

/** The pattern with each brace group reduced to its alternative with the most stars. */
function heaviestReading(pattern: string): string {
  const reduced = pattern.replaceAll(/\{([^{}]*)\}/g, (_, alternatives: string) =>
    alternatives.split(",").reduce((best, next) => (costlyStars(next) > costlyStars(best) ? next : best)),
  );
  return reduced === pattern ? pattern : heaviestReading(reduced);
}

/**
 * A test for paths below a search root.
 * - no "/": the name, at any depth, in folders with a leading dot too
 * - with "/": the path from the root; `**` crosses folders; a leading dot must be spelled out
 * - a leading "/" anchors at the root, as does the root's own path in front
 *
 * Braces, `?`, `[ab]`, `[!a]` and `[^a]` have their usual meaning. A malformed pattern matches nothing but itself.
 * @param root the canonical folder that is searched
 * @throws DeerflowError `pattern_invalid`
 */
export function globMatcher(pattern: string, root: string): (path: string) => boolean {
  const refusal = REFUSALS.find((row) => row.applies(pattern));
  if (refusal !== undefined) {
    throw new DeerflowError("pattern_invalid", { pattern: shownPath(pattern), reason: refusal.reason });
  }
  const depth = segmentsOf(root).length;
  if (!pattern.includes("/")) {
    const matches = compile(pattern, true);
    return (path) => matches(nameOf(path));
  }
  const matches = compile(fromRoot(pattern, root), false);
  return (path) => matches(segmentsOf(path).slice(depth).join("/"));
}

/** The pattern relative to the root. */
function fromRoot(pattern: string, root: string): string {
  const prefix = root === "/" ? "/" : `${root}/`;
  const relative = pattern.startsWith(prefix) ? pattern.slice(prefix.length) : pattern;
  return segmentsOf(relative).join("/");
}

const compile = (pattern: string, dot: boolean): ((path: string) => boolean) =>
  picomatch(pattern.replaceAll("[!", "[^"), {
    dot,
    noextglob: true,
    nonegate: true,
    strictSlashes: true,
  });
