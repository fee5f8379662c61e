/** What grep looks for: literal text or a regular expression in RE2 syntax, always within one line. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";

const MAX_LENGTH = 1000;
const LINE_BREAK = /(?<!\\)(?:\\\\)*\\n/;
/** A class of what must not stand there; a line break may be in it. */
const EXCLUSION = /\[\^(?:\\.|[^\]\\])*\]/g;

export interface SearchText {
  readonly pattern: string;
  readonly literal: boolean;
  readonly caseSensitive: boolean;
}

/**
 * Refuses what no search could find. Whether an expression is valid is for the matcher to say.
 * @throws DeerflowError `pattern_invalid`, with the reason
 */
export function assertSearchable({ pattern, literal }: SearchText): void {
  if (pattern === "") throw invalidPattern(pattern, "it is empty");
  if (pattern.length > MAX_LENGTH) {
    throw invalidPattern(pattern, `it is longer than ${MAX_LENGTH} characters`);
  }
  if (/[\n\r]/.test(pattern) || (!literal && LINE_BREAK.test(pattern.replaceAll(EXCLUSION, "")))) {
    throw invalidPattern(pattern, "a search looks at one line at a time, so a line break never matches");
  }
}

export const invalidPattern = (pattern: string, reason: string): DeerflowError =>
  new DeerflowError("pattern_invalid", { pattern: shownPath(pattern), reason });

/** The stand-in for bytes that are not UTF-8 is a character for us and none for ripgrep. */
const STAND_IN = "\uFFFD";
/** One to three bytes that are not UTF-8 become one stand-in; ripgrep also sees a byte-order mark, and we do not. */
const FOREIGN_BYTES = String.raw`(?-u:[\x80-\xFF]){1,3}`;
const orForeign = (expression: string): string => `(?:${expression}|${FOREIGN_BYTES})`;

/** RE2's classes cover ASCII, ripgrep's all of Unicode: each escape in ripgrep's spelling, outside and inside brackets. */
const ESCAPES: Readonly<Record<string, readonly [outside: string, inside: string]>> = {
  d: ["[0-9]", "0-9"],
  D: [orForeign("[^0-9]"), "[^0-9]"],
  w: ["[0-9A-Za-z_]", "0-9A-Za-z_"],
  W: [orForeign("[^0-9A-Za-z_]"), "[^0-9A-Za-z_]"],
  s: ["[\\t\\f\\r ]", "\\t\\f\\r "],
  S: [orForeign("[^\\t\\f\\r ]"), "[^\\t\\f\\r ]"],
  b: ["(?-u:\\b)", ""],
  B: ["(?-u:\\B)", ""],
};
/** Escapes that ripgrep does not know or takes for something else. */
const FOREIGN_ESCAPES = /[AzZCQEG]/;
/** What stands for more or less in ripgrep: our lines have neither a byte-order mark nor the CR of a CRLF. */
const OUTSIDE: Readonly<Record<string, string>> = {
  ".": orForeign("."),
  "^": String.raw`(?:^\x{FEFF}?)`,
  $: String.raw`(?:\r?$)`,
};
const PLAIN_CLASS = /^\[[\w .,:;/@#%+*?!"'=<>()$|-]*\]$/;

/**
 * An expression for ripgrep that finds every line that ours finds, and perhaps some more; undefined when ripgrep has
 * no spelling for it.
 * @param search its pattern is a valid RE2 expression, or literal text
 */
export function ripgrepExpression({ pattern, literal }: SearchText): string | undefined {
  if (pattern.includes(STAND_IN) || /x\{0*fffd\}/i.test(pattern)) return undefined;
  if (literal) return pattern;
  let openClass: string | undefined;
  let result = "";
  let afterEnd = false;
  for (const token of pattern.match(/\\[pP](?:\{[^}]*\}|.)|\\.|\[\^?\]?|\[:\^?\w+:\]|[\s\S]/gu) ?? []) {
    if (token.startsWith("\\") && FOREIGN_ESCAPES.test(token.charAt(1))) return undefined;
    if (openClass === undefined && token.startsWith("[")) {
      openClass = token;
    } else if (openClass === undefined) {
      // ripgrep 13 misses the empty line that is both.
      if (afterEnd && token === "^") return undefined;
      afterEnd ||= token === "$";
      result += outside(token);
    } else if (token === "]") {
      const whole = `${openClass}]`;
      if (whole.includes("--")) return undefined; // ripgrep would subtract
      result += PLAIN_CLASS.test(whole) ? whole : orForeign(whole);
      openClass = undefined;
    } else if (token.startsWith("[") && !token.startsWith("[:")) {
      return undefined;
    } else {
      openClass += inside(token);
    }
  }
  return result;
}

const outside = (token: string): string => {
  const escape = token.startsWith("\\") ? ESCAPES[token.slice(1)] : undefined;
  if (/^\\[pP]/.test(token)) return orForeign(token);
  return escape?.[0] ?? OUTSIDE[token] ?? token;
};

const inside = (token: string): string => {
  const escape = token.startsWith("\\") ? ESCAPES[token.slice(1)] : undefined;
  return escape?.[1] ?? (/[&~]/.test(token) ? `\\${token}` : token);
};
