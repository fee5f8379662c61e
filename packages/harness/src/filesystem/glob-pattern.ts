/** One meaning of a glob for every tool and backend. */
import { DeerflowError } from "../base/errors.js";
import { fromSegments, segmentsOf, shownPath } from "../base/virtual-path.js";
import { expandBraces, MAX_ALTERNATIVES, TooManyAlternatives } from "./glob-braces.js";
import { type NameTest, nameTest } from "./glob-name.js";

const MAX_LENGTH = 1000;
/** All alternatives of a pattern together: each is tried on every name, and a name costs about as much as this. */
const MAX_ALTERNATIVES_LENGTH = 10_000;

/** Why a pattern is refused, in the order in which the reasons are looked for. */
const REFUSALS: readonly { readonly applies: (pattern: string) => boolean; readonly reason: string }[] = [
  { applies: (pattern) => pattern.trim() === "", reason: "it is empty" },
  { applies: (pattern) => pattern.length > MAX_LENGTH, reason: "it is too long" },
  { applies: (pattern) => /\p{Cc}/u.test(pattern), reason: "it holds a control character" },
  { applies: (pattern) => pattern.split("/").includes(".."), reason: "it holds a .. segment" },
];

/**
 * A test for paths below a search root.
 * - no "/": the name, at any depth, in folders with a leading dot too
 * - with "/": the path from the root; `**` crosses folders; a leading dot must be spelled out
 * - a leading "/" anchors at the root, as does the root's own path in front
 *
 * Braces (nested, and ranges), `?`, `[ab]`, `[!a]` and `[^a]` have their usual meaning; a backslash takes the next
 * character as it is. A malformed pattern matches nothing. No pattern makes the test slow.
 * @param root the canonical folder that is searched
 * @throws DeerflowError `pattern_invalid`
 */
export function globMatcher(pattern: string, root: string): (path: string) => boolean {
  const refusal = REFUSALS.find((row) => row.applies(pattern));
  if (refusal !== undefined) throw invalid(pattern, refusal.reason);
  const alternatives = alternativesOf(pattern);
  if (!pattern.includes("/")) {
    const tests = alternatives.map(nameTest).filter((test) => test !== undefined);
    return (path) => matchesAny(tests, path.slice(path.lastIndexOf("/") + 1));
  }
  const tests = alternatives
    .map((alternative) => pathTest(fromRoot(alternative, root)))
    .filter((test) => test !== undefined);
  const depth = segmentsOf(root).length;
  return (path) => matchesAny(tests, segmentsOf(path).slice(depth));
}

const matchesAny = <Subject>(tests: readonly ((subject: Subject) => boolean)[], subject: Subject): boolean =>
  tests.some((test) => test(subject));

/**
 * The folder that an absolute pattern searches: its leading components without a wildcard, short of the last one,
 * which names what is looked for. "/" for a pattern that is not absolute.
 */
export function globAnchor(pattern: string): string {
  if (!pattern.startsWith("/")) return "/";
  const folders = segmentsOf(pattern).slice(0, -1);
  const wild = folders.findIndex((name) => /[*?[\]{}\\]/.test(name));
  return fromSegments(wild === -1 ? folders : folders.slice(0, wild));
}

function alternativesOf(pattern: string): readonly string[] {
  try {
    const alternatives = expandBraces(pattern);
    if (alternatives.some((each) => each.split("/").includes("..")))
      throw invalid(pattern, "it holds a .. segment");
    const length = alternatives.reduce((sum, each) => sum + each.length, 0);
    if (alternatives.length > 1 && length > MAX_ALTERNATIVES_LENGTH) {
      throw invalid(pattern, `its braces stand for more than ${MAX_ALTERNATIVES_LENGTH} characters`);
    }
    return alternatives;
  } catch (error) {
    if (!(error instanceof TooManyAlternatives)) throw error;
    throw invalid(pattern, `its braces stand for more than ${MAX_ALTERNATIVES} patterns`);
  }
}

const invalid = (pattern: string, reason: string): DeerflowError =>
  new DeerflowError("pattern_invalid", { pattern: shownPath(pattern), reason });

/** The names of the pattern, relative to the root. */
function fromRoot(pattern: string, root: string): readonly string[] {
  const names = segmentsOf(pattern);
  const above = segmentsOf(root);
  const namesRoot = pattern.startsWith("/") && above.every((name, index) => names[index] === name);
  return namesRoot && names.length > above.length ? names.slice(above.length) : names;
}

const CROSSING = "crossing";
type Step = typeof CROSSING | { readonly test: NameTest; readonly takesDot: boolean };

/** Undefined for a malformed pattern. */
function pathTest(names: readonly string[]): ((path: readonly string[]) => boolean) | undefined {
  const steps: Step[] = [];
  // A final "**" stands for at least one name.
  for (const name of names.at(-1) === "**" ? [...names, "*"] : names) {
    if (name === "**") {
      if (steps.at(-1) !== CROSSING) steps.push(CROSSING);
      continue;
    }
    const test = nameTest(name);
    if (test === undefined) return undefined;
    steps.push({ test, takesDot: name.startsWith(".") || name.startsWith("\\.") });
  }
  return steps.length === 0 ? undefined : (path) => matchesSteps(steps, path);
}

/** Follows every reading of the pattern at once, so that no pattern makes it go back and forth. */
function matchesSteps(steps: readonly Step[], path: readonly string[]): boolean {
  let reached = withSkips(steps, [0]);
  for (const name of path) {
    reached = withSkips(
      steps,
      reached.flatMap((at) => afterName(steps[at], at, name)),
    );
    if (reached.length === 0) return false;
  }
  return reached.includes(steps.length);
}

/** Where the reading that has come to the step `at` is after one more name; nowhere when it fails. */
function afterName(step: Step | undefined, at: number, name: string): readonly number[] {
  const isHidden = name.startsWith(".");
  if (step === CROSSING) return isHidden ? [] : [at];
  return step !== undefined && (!isHidden || step.takesDot) && step.test(name) ? [at + 1] : [];
}

/** A "**" may stand for no name at all. */
const withSkips = (steps: readonly Step[], reached: readonly number[]): readonly number[] => [
  ...new Set(reached.flatMap((at) => (steps[at] === CROSSING ? [at, at + 1] : [at]))),
];
