/** What grep looks for: literal text or a regular expression in RE2 syntax, always within one line. */
import { RE2JS } from "re2js";
import { DeerflowError, reasonOf } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";

const MAX_LENGTH = 1000;

export interface SearchText {
  readonly pattern: string;
  readonly literal: boolean;
  readonly caseSensitive: boolean;
}

/** Finds the pattern in one line: where the first match begins (UTF-16 units), or -1. Takes linear time. */
export type LineMatcher = (line: string) => number;

/**
 * Compiles a pattern for searching in this process, and so checks it for every way of searching.
 * @throws DeerflowError `pattern_invalid`, with the reason
 */
export function lineMatcher(search: SearchText): LineMatcher {
  const { pattern, literal, caseSensitive } = search;
  if (pattern === "") throw invalid(pattern, "it is empty");
  if (pattern.length > MAX_LENGTH) throw invalid(pattern, `it is longer than ${MAX_LENGTH} characters`);
  if (/[\n\r]/.test(pattern) || (!literal && /(?<!\\)(?:\\\\)*\\n/.test(pattern))) {
    throw invalid(pattern, "a search looks at one line at a time, so a line break never matches");
  }
  if (literal && caseSensitive) return (line) => line.indexOf(pattern);
  const compiled = compile(literal ? RE2JS.quote(pattern) : pattern, caseSensitive, pattern);
  return (line) => {
    const matcher = compiled.matcher(line);
    return matcher.find() ? matcher.start() : -1;
  };
}

function compile(expression: string, caseSensitive: boolean, shown: string): RE2JS {
  try {
    return RE2JS.compile(expression, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw invalid(
      shown,
      `${reasonOf(error)} (regular expressions are RE2: no look-around, no back-references; set literal to search for plain text)`,
    );
  }
}

const invalid = (pattern: string, reason: string): DeerflowError =>
  new DeerflowError("pattern_invalid", { pattern: shownPath(pattern), reason });

/** RE2's classes cover ASCII, ripgrep's all of Unicode: each escape in ripgrep's spelling, outside and inside brackets. */
const ESCAPES: Readonly<Record<string, readonly [outside: string, inside: string]>> = {
  d: ["[0-9]", "0-9"],
  D: ["[^0-9]", "[^0-9]"],
  w: ["[0-9A-Za-z_]", "0-9A-Za-z_"],
  W: ["[^0-9A-Za-z_]", "[^0-9A-Za-z_]"],
  s: ["[\\t\\f\\r ]", "\\t\\f\\r "],
  S: ["[^\\t\\f\\r ]", "[^\\t\\f\\r ]"],
  b: ["(?-u:\\b)", ""],
  B: ["(?-u:\\B)", ""],
};
/** Escapes that ripgrep does not know or takes for something else. */
const FOREIGN_ESCAPES = /[AzZCQEG]/;

/**
 * The same expression for ripgrep, or undefined when ripgrep has no spelling for it.
 * @param pattern a valid RE2 expression
 */
export function ripgrepExpression(pattern: string): string | undefined {
  let inside = false;
  let result = "";
  for (const token of pattern.match(/\\.|\[\^?\]?|\[:\^?\w+:\]|[\s\S]/gu) ?? []) {
    if (token.startsWith("\\")) {
      const letter = token.slice(1);
      if (FOREIGN_ESCAPES.test(letter)) return undefined;
      const escape = ESCAPES[letter];
      result += escape === undefined ? token : escape[inside ? 1 : 0];
    } else if (token.startsWith("[") && inside) {
      return undefined;
    } else if (inside && /[&~]/.test(token)) {
      result += `\\${token}`;
    } else {
      inside = token.startsWith("[") || (inside && token !== "]");
      result += token;
    }
  }
  return result;
}
