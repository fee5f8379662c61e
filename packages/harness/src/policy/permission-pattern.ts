/** One pattern of a path rule, checked and compiled. */
import { fromSegments, segmentsOf } from "../base/virtual-path.js";
import { BraceError, expandBraces } from "./permission-braces.js";
import { ANY_NAME, NameError, type NameTest, nameTest, type Reading } from "./permission-name.js";
import { foldCase, normalise, type Spelling } from "./permission-spelling.js";

const MAX_LENGTH = 1000;
const GLOBSTAR = "**";

/** Why a pattern is refused, as a phrase. */
export class PatternError extends Error {}

/** Why a pattern is refused before it is read, in the order in which the reasons are looked for. */
const REFUSALS: readonly { readonly applies: (pattern: string) => boolean; readonly reason: string }[] = [
  { applies: (pattern) => pattern.trim() === "", reason: "a path is empty" },
  {
    applies: (pattern) => pattern.length > MAX_LENGTH,
    reason: `a path is longer than ${MAX_LENGTH} characters`,
  },
  { applies: (pattern) => /\p{Cc}/u.test(pattern), reason: "a path holds a control character" },
  { applies: (pattern) => /\p{Surrogate}/u.test(pattern), reason: "a path is not valid Unicode" },
  { applies: (pattern) => !/^[/~]/.test(pattern), reason: "a path must start with / or ~/" },
  { applies: (pattern) => /^~[^/]/.test(pattern), reason: "a home of another user has no meaning here" },
];

/** Why one written-out alternative is refused. */
const ALTERNATIVE_REFUSALS: typeof REFUSALS = [
  {
    applies: (path) => path.replaceAll("\\", "/").split("/").includes(".."),
    reason: "a path holds a .. segment",
  },
  {
    applies: (path) => path.split("/").includes("~"),
    reason: "~ has a meaning only at the start; write [~] for the name",
  },
];

/** How the three forms of a {@link Spelling} are read. */
const READINGS = {
  exact: { fold: (text) => text, variantsOf: (character) => [character] },
  normalised: { fold: normalise, variantsOf: (character) => [character] },
  folded: {
    fold: foldCase,
    variantsOf: (character) =>
      [character, character.toUpperCase()].filter((one) => Array.from(one).length === 1),
  },
} as const satisfies Record<string, Reading>;

type Form = keyof typeof READINGS;
/** Names from the root; `**` stands for any number of names. */
type Alternative = readonly (NameTest | typeof GLOBSTAR)[];

export class PathPattern {
  /** As the operator wrote it. */
  readonly text: string;
  /** The leading names that are no globs; everything that is matched lies there or below. */
  readonly anchor: readonly string[];
  /** The anchors of each choice that braces offer; everything that is matched lies at or below one. */
  readonly places: readonly (readonly string[])[];
  /** What stands after the anchor. */
  readonly #rest: readonly string[];
  readonly #forms: Readonly<Record<Form, readonly Alternative[]>>;
  readonly #hasNegatedClass: boolean;

  /**
   * @param home what a leading `~` stands for; undefined where there is none
   * @throws PatternError, with the reason as a phrase
   */
  constructor(text: string, home: string | undefined) {
    const refusal = REFUSALS.find((row) => row.applies(text));
    if (refusal !== undefined) throw new PatternError(refusal.reason);
    const pattern = withHome(text, home);
    this.text = text;
    this.anchor = anchorOf(pattern);
    this.#rest = segmentsOf(pattern).slice(this.anchor.length);
    this.#hasNegatedClass = /\[[!^]/.test(pattern);
    const composed = normalise(pattern);
    const normalised = compile(composed, READINGS.normalised);
    this.places = expandBraces(pattern).map(anchorOf);
    this.#forms = {
      exact: composed === pattern ? normalised : compile(pattern, READINGS.exact),
      normalised,
      folded: compile(composed, READINGS.folded),
    };
  }

  /** True when nothing but the anchor itself is meant. */
  get isLiteral(): boolean {
    return this.#rest.length === 0;
  }

  /** True when what is meant lies directly below the anchor. */
  get isOneNameBelow(): boolean {
    return this.#rest.length === 1 && !this.#rest.join("").includes(GLOBSTAR);
  }

  /** For rules that allow: this very path. `/x/**` is what lies below `/x`, not `/x`. */
  allows(path: Spelling): boolean {
    return this.#forms.exact.some((alternative) => matchNames(strictly(alternative), path.exact));
  }

  /** For rules that forbid: this path under any spelling that may be the same file. `/x/**` is `/x` too. */
  catches(path: Spelling, foldsCase: boolean): boolean {
    const forms = this.#formsThatCatch(foldsCase);
    const caught = (spelling: Spelling): boolean =>
      forms.some((form) => this.#forms[form].some((alternative) => matchNames(alternative, spelling[form])));
    return caught(path) || (path.slashed !== undefined && caught(path.slashed));
  }

  /** Whether `allows` is true of everything that lies below `folder`, which itself may be left out. */
  allowsBelow(folder: Spelling): boolean {
    return this.#forms.exact.some(
      (alternative) => endsOpen(alternative) && matchNames(alternative, folder.exact),
    );
  }

  /** Whether `catches` is true of `folder` and everything that lies below it. */
  catchesBelow(folder: Spelling, foldsCase: boolean): boolean {
    return this.#formsThatCatch(foldsCase).some((form) =>
      this.#forms[form].some((alternative) => endsOpen(alternative) && matchNames(alternative, folder[form])),
    );
  }

  /** Whether `allows` may be true of something that lies below `folder`. */
  mayAllowBelow(folder: Spelling): boolean {
    return this.#forms.exact.some((alternative) => goesOnAfter(alternative, folder.exact));
  }

  /** Whether `catches` may be true of something that lies below `folder`. */
  mayCatchBelow(folder: Spelling, foldsCase: boolean): boolean {
    const forms = this.#formsThatCatch(foldsCase);
    const goesOn = (spelling: Spelling): boolean =>
      forms.some((form) => this.#forms[form].some((alternative) => goesOnAfter(alternative, spelling[form])));
    return goesOn(folder) || (folder.slashed !== undefined && goesOn(folder.slashed));
  }

  /** {@link allows} for names in one folder, when many are asked about; undefined when it is true of none. */
  allowsIn(folder: Spelling): NameTest | undefined {
    const tests = this.#forms.exact.flatMap((alternative) => lastTests(strictly(alternative), folder.exact));
    return tests.length === 0 ? undefined : (name) => tests.some((test) => test(name));
  }

  /** {@link catches} for names without a backslash in one folder; undefined when it is true of none. */
  catchesIn(folder: Spelling, foldsCase: boolean): NameTest | undefined {
    const spellings = [folder, ...(folder.slashed === undefined ? [] : [folder.slashed])];
    const tests = this.#formsThatCatch(foldsCase).flatMap((form) =>
      this.#forms[form]
        .flatMap((alternative) => spellings.flatMap((spelling) => lastTests(alternative, spelling[form])))
        .map((test) => ({ test, fold: READINGS[form].fold })),
    );
    return tests.length === 0 ? undefined : (name) => tests.some(({ test, fold }) => test(fold(name)));
  }

  #formsThatCatch(foldsCase: boolean): readonly Form[] {
    if (!foldsCase) return ["exact", "normalised"];
    // `[!a]` leaves out "A" as well where they are one name, so the stricter forms would contradict the folded one.
    return this.#hasNegatedClass ? ["folded"] : ["exact", "normalised", "folded"];
  }
}

/** The leading names of a pattern without `*`, `?`, `[` or `{`, save escaped ones. */
export function anchorOf(pattern: string): readonly string[] {
  const names = segmentsOf(pattern);
  const first = names.findIndex((name) => /[*?[{]/.test(name.replaceAll(/\\./g, "")));
  return (first === -1 ? names : names.slice(0, first)).map((name) => name.replaceAll(/\\(.)/g, "$1"));
}

function withHome(text: string, home: string | undefined): string {
  if (!text.startsWith("~")) return text;
  if (home === undefined) throw new PatternError("~ has no meaning here, because there is no home folder");
  return fromSegments(segmentsOf(home)).replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`) + text.slice(1);
}

function compile(pattern: string, reading: Reading): readonly Alternative[] {
  try {
    return expandBraces(pattern).map((path) => compileAlternative(path, reading));
  } catch (error) {
    if (error instanceof BraceError || error instanceof NameError) throw new PatternError(error.message);
    throw error;
  }
}

function compileAlternative(path: string, reading: Reading): Alternative {
  const refusal = ALTERNATIVE_REFUSALS.find((row) => row.applies(path));
  if (refusal !== undefined) throw new PatternError(refusal.reason);
  return segmentsOf(path)
    .filter((name, at, names) => name !== GLOBSTAR || names[at - 1] !== GLOBSTAR)
    .map((name) => (name === GLOBSTAR ? GLOBSTAR : nameTest(name, reading)));
}

const endsOpen = (alternative: Alternative): boolean => alternative.at(-1) === GLOBSTAR;

/** With something below the last folder; `/**` alone has no folder and stays as it is. */
const strictly = (alternative: Alternative): Alternative =>
  endsOpen(alternative) && alternative.length > 1 ? [...alternative, ANY_NAME] : alternative;

/** As for the characters of a name: at a difference, back to the last `**` only. */
function matchNames(alternative: Alternative, names: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let resume: { part: number; at: number } | undefined;
  while (at < names.length) {
    const next = alternative[part];
    if (next === GLOBSTAR) {
      part += 1;
      resume = { part, at };
    } else if (next?.(names[at] ?? "") === true) {
      part += 1;
      at += 1;
    } else if (resume === undefined) {
      return false;
    } else {
      resume = { part: resume.part, at: resume.at + 1 };
      ({ part, at } = resume);
    }
  }
  return alternative.slice(part).every((rest) => rest === GLOBSTAR);
}

/** Whether some names that begin with `names`, and have more, would match. */
const goesOnAfter = (alternative: Alternative, names: readonly string[]): boolean =>
  placesAfter(alternative, names).some((place) => place < alternative.length);

/** What one more name after `names` must be like, to match as the last. */
const lastTests = (alternative: Alternative, names: readonly string[]): readonly NameTest[] =>
  placesAfter(alternative, names).flatMap((place) => {
    const part = alternative[place];
    if (part === undefined) return [];
    const isLast = alternative.slice(place + 1).every((rest) => rest === GLOBSTAR);
    if (!isLast) return [];
    return [part === GLOBSTAR ? ANY_NAME : part];
  });

/** How far into the alternative `names` may have led. */
function placesAfter(alternative: Alternative, names: readonly string[]): readonly number[] {
  let places = withSkips(alternative, [0]);
  for (const name of names) {
    const next = places.flatMap((place) => {
      const part = alternative[place];
      if (part === GLOBSTAR) return [place];
      return part?.(name) === true ? [place + 1] : [];
    });
    places = withSkips(alternative, next);
    if (places.length === 0) break;
  }
  return places;
}

/** A `**` may stand for nothing. */
const withSkips = (alternative: Alternative, places: readonly number[]): readonly number[] => [
  ...new Set(places.flatMap((place) => (alternative[place] === GLOBSTAR ? [place, place + 1] : [place]))),
];
