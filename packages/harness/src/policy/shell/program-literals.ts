/** Reads a program of another language as far as its texts and comments: what stands in quotes, and what is left. */
import { decodeEscapes } from "./values.js";

/** How a language writes what matters here. */
export interface Language {
  readonly comment: RegExp;
  /** What a text in backticks is. */
  readonly backticks: "command" | "template" | "nothing";
  /** Whether a call can do without brackets. */
  readonly hasBareCalls: boolean;
  readonly hasTripleQuotes: boolean;
  readonly hasSlashPatterns: boolean;
  /** What stands in a text in double quotes or backticks for something else, and its name or its program. */
  readonly places: RegExp;
}

const OTHER: Language = {
  comment: /(?<![^\s;])#.*/y,
  backticks: "nothing",
  hasBareCalls: false,
  hasTripleQuotes: false,
  hasSlashPatterns: false,
  places: /[$#]\{([^{}]{1,500})\}/g,
};
const NAMES = /[$@]\{?(\w{1,100})/g;
const SLASHES = /(?<![:\\])\/\/.*|\/\*[^]*?\*\//y;

const LANGUAGES: readonly (readonly [RegExp, Partial<Language>])[] = [
  [/^python/, { hasTripleQuotes: true, places: /\{([^{}]{1,500})\}/g }],
  [/^(node|deno|bun|tsx|ts-node)/, { comment: SLASHES, backticks: "template", hasSlashPatterns: true }],
  [/^perl/, { backticks: "command", hasBareCalls: true, places: NAMES }],
  [/^ruby/, { backticks: "command", hasBareCalls: true }],
  [
    /^php/,
    { places: NAMES, comment: /(?<![^\s;])#.*|(?<![:\\])\/\/.*|\/\*[^]*?\*\//y, backticks: "command" },
  ],
  [/^lua/, { comment: /--.*/y, hasBareCalls: true }],
  [/^pwsh/, { hasBareCalls: true }],
];

/** By the interpreter's name. */
export const languageOf = (interpreter: string): Language => ({
  ...OTHER,
  ...LANGUAGES.find(([name]) => name.test(interpreter))?.[1],
});

export interface Literal {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

export interface Program {
  /** Without comments; blanks stand in their place. */
  readonly code: string;
  /** The same without what stands in quotes, at the same positions. In places of templates there is program again. */
  readonly own: string;
  readonly literals: readonly Literal[];
  readonly language: Language;
  /** What names are known to hold; filled as they are looked up. */
  readonly held: Map<string, readonly string[]>;
}

/** Shorter texts say how a function is meant, as the mode of `open` does, and stay. */
const MODE_CHARACTERS = 3;

export function readProgram(code: string, language: Language): Program {
  const { literals, comments } = scan(code, language);
  const plain = comments.reduce((text, [start, end]) => blanked(text, start, end), code);
  let own = plain;
  for (const { start, end, text, quote } of literals) {
    if (text.length <= MODE_CHARACTERS) continue;
    own = blanked(own, start + 1, end - 1);
    const isPattern = language.hasTripleQuotes
      ? /[fF]$|[fF][rR]$/.test(plain.slice(0, start))
      : !quote.startsWith("'");
    if (isPattern) own = withPlaces(own, plain.slice(start, end), { start, places: language.places });
  }
  return { code: plain, own, literals, language, held: new Map() };
}

const blanked = (text: string, start: number, end: number): string =>
  text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ") + text.slice(end);

/** Puts back what is program in a text, as in `${…}`. */
function withPlaces(
  own: string,
  literal: string,
  { start, places }: { readonly start: number; readonly places: RegExp },
): string {
  let text = own;
  for (const match of literal.matchAll(places)) {
    const inner = match[1] ?? "";
    const from = start + match.index + match[0].indexOf(inner);
    text = text.slice(0, from) + inner + text.slice(from + inner.length);
  }
  return text;
}

interface Scanned {
  readonly literals: readonly Literal[];
  readonly comments: readonly (readonly [number, number])[];
}

/** The quoted texts; a quote that is never closed opens none. */
function scan(code: string, language: Language): Scanned {
  const literals: Literal[] = [];
  const comments: [number, number][] = [];
  const unclosed = new Set<string>();
  for (let at = 0; at < code.length; at += 1) {
    const skipped = lengthAt(code, at, language.comment);
    if (skipped > 0) {
      comments.push([at, at + skipped]);
      at += skipped - 1;
      continue;
    }
    if (language.hasSlashPatterns && code[at] === "/") {
      at += Math.max(patternLength(code, at) - 1, 0);
      continue;
    }
    const quote = quoteAt(code, at, language);
    if (quote === "" || unclosed.has(quote)) continue;
    const end = closingOf(code, at + quote.length, quote);
    if (end === undefined) {
      unclosed.add(quote);
      continue;
    }
    const text = decodeEscapes(code.slice(at + quote.length, end).replaceAll(/\\(["'`/$])/g, "$1"));
    literals.push({ text, start: at, end: end + quote.length, quote });
    at = end + quote.length - 1;
  }
  return { literals, comments };
}

function lengthAt(code: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.exec(code)?.[0].length ?? 0;
}

const PATTERN = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,500}\]){1,500}\/[a-z]*/y;

/** A regular expression between slashes; a slash behind a value divides. */
const patternLength = (code: string, at: number): number =>
  /(^|[(,=:[!&|?{};+\n]|\breturn)\s*$/.test(code.slice(Math.max(0, at - 20), at))
    ? lengthAt(code, at, PATTERN)
    : 0;

function quoteAt(code: string, at: number, { hasTripleQuotes }: Language): string {
  const quote = code[at] ?? "";
  if (!/["'`]/.test(quote)) return "";
  return hasTripleQuotes && code.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
}

function closingOf(code: string, from: number, quote: string): number | undefined {
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === "\\") at += 1;
    else if (code.startsWith(quote, at)) return at;
  }
  return undefined;
}
