/** Calls in a program of another language, and the texts that their arguments may be. */
import type { Literal, Program } from "./program-literals.js";

/** Half-open, in the program's text. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

export interface ProgramCall {
  readonly name: string;
  /** Where the name begins. */
  readonly at: number;
  /** All arguments, without their brackets. */
  readonly region: Region;
}

/** More calls than these are not looked at one by one. */
const CALLS = 30;
/** More names than these are not looked up in a program; the rest may hold any of its texts. */
const HELD_NAMES = 60;
/** More places than these where a name is set are not looked at. */
const PLACES = 20;
/** How much of the line is looked at in front of a method. */
const CHAIN_CHARACTERS = 150;
/** More names than these in the arguments of one call are not looked up. */
const NAMES = 30;
const VALUES = 50;

/**
 * Calls of the functions whose name fits; `others` counts names that stand there without being called, as
 * `run = os.system`, except where they are only imported.
 * @param names without anchors and without the flag `g`
 */
export function callsOf(program: Program, names: RegExp): { calls: readonly ProgramCall[]; others: number } {
  const calls: ProgramCall[] = [];
  let others = 0;
  for (const match of program.own.matchAll(new RegExp(`(?<![\\w])(?:${names.source})(?![\\w])`, "g"))) {
    const [name] = match;
    if (calls.length >= CALLS) return { calls, others: others + 1 };
    const region = argumentsAt(program, match.index + name.length);
    if (region !== undefined) calls.push({ name, at: match.index, region });
    else if (!isImport(program.own, match.index, name.length)) others += 1;
  }
  return { calls, others };
}

function argumentsAt(program: Program, at: number): Region | undefined {
  const { own, language } = program;
  const [gap = ""] = /^\s*(?:\?\.)?\s*/.exec(own.slice(at, at + 50)) ?? [];
  const next = own[at + gap.length] ?? "";
  const start = at + gap.length;
  if (next === "(") return { start: start + 1, end: endOf(program, start + 1, ")") };
  if (next === "`" && language.backticks === "template") return { start, end: endOf(program, start, ";\n") };
  const isBare =
    language.hasBareCalls && /["'<`$@\w[%/{-]/.test(next) && (gap !== "" || /["'<[{]/.test(next));
  return isBare ? { start, end: endOf(program, start, ";\n") } : undefined;
}

const isImport = (own: string, at: number, length: number): boolean =>
  /(\bimport\s[\w\s,(]{0,200}|\{[\w\s,]{0,200})$/.test(own.slice(Math.max(0, at - 250), at)) &&
  /^\s*([,})\n;]|$)/.test(own.slice(at + length, at + length + 50));

/** Where a part ends: at one of the marks outside of all brackets, or at the bracket around it. */
function endOf({ own, literals }: Program, from: number, marks: string): number {
  let depth = 0;
  let next = literals.findIndex(({ end }) => end > from);
  for (let at = from; at < own.length; at += 1) {
    while (next >= 0 && next < literals.length && (literals[next]?.end ?? 0) <= at) next += 1;
    const literal = literals[next];
    if (literal !== undefined && literal.start === at) {
      at = literal.end - 1;
      continue;
    }
    const character = own[at] ?? "";
    if (depth === 0 && marks.includes(character)) return at;
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    if (depth < 0) return at;
  }
  return own.length;
}

/** The arguments one by one. */
export function argumentsOf(program: Program, { start, end }: Region): readonly Region[] {
  const parts: Region[] = [];
  for (let at = start; at < end; ) {
    const stop = Math.min(endOf(program, at, ","), end);
    parts.push({ start: at, end: stop });
    at = stop + 1;
  }
  return parts;
}

/** The texts in a part of a program: literals, and what its variables were set to, in their places. */
export function textsIn(program: Program, region: Region): readonly Literal[] {
  const { literals, own } = program;
  const given = literals.filter(({ start, end }) => start >= region.start && end <= region.end);
  const names = [...own.slice(region.start, region.end).matchAll(/[A-Za-z_]\w*/g)];
  const held = names.slice(0, NAMES).flatMap((match) => {
    const [name] = match;
    const start = region.start + match.index;
    return valuesOf(program, name).map((text) => ({ text, start, end: start + name.length, quote: "" }));
  });
  // What stands at its place in a text is put into it as well.
  const filled = given.flatMap((literal) => {
    const inside = held.filter(({ start, end }) => start > literal.start && end < literal.end);
    if (inside.length === 0) return [];
    const put = (text: string, { start, end, text: value }: Literal) => {
      const name = own.slice(start, end);
      return text.replaceAll(
        new RegExp(`[$#]?\\{[$@]?${name}[^{}]{0,50}\\}|[$@]${name}(?!\\w)`, "g"),
        () => value,
      );
    };
    const texts = [inside.reduce(put, literal.text), ...inside.map((value) => put(literal.text, value))];
    return [...new Set(texts)].map((text) => ({ ...literal, text }));
  });
  return [...given, ...held, ...filled].toSorted((a, b) => a.start - b.start);
}

/** What a name was set to somewhere in the program, as far as that is written out. */
function valuesOf(program: Program, name: string): readonly string[] {
  const { held, literals } = program;
  const known = held.get(name);
  if (known !== undefined) return known;
  if (held.size >= HELD_NAMES) return literals.map(({ text }) => text);
  // While it is looked up, it holds nothing: names may be set from each other.
  held.set(name, []);
  const regions = [...assignedTo(program, name), ...passedTo(program, name), ...listsFor(program, name)];
  const texts = regions.flatMap((region) => textsIn(program, region).map(({ text }) => text));
  const values = [...new Set(texts)].slice(0, VALUES);
  held.set(name, values);
  return values;
}

function assignedTo(program: Program, name: string): readonly Region[] {
  const set = new RegExp(
    `(?<![\\w])${name}(?:\\s*,\\s*[$@]?\\w+){0,10}\\s*\\)?\\s*(?::\\s*\\w+\\s*)?(?:[+.|]{0,2}=(?![=>~])|:=|\\b(?:in|of)\\b)`,
    "g",
  );
  return [...program.own.matchAll(set)].slice(0, PLACES).map((match) => {
    const start = match.index + match[0].length;
    return { start, end: endOf(program, start, ";\n") };
  });
}

/** The name as a parameter of a function of the program: the arguments of all its calls. */
function passedTo(program: Program, name: string): readonly Region[] {
  const definitions = [
    new RegExp(`\\b(?:def|function)\\s+(\\w+)\\s*\\([^)]{0,200}(?<!\\w)${name}(?!\\w)`, "g"),
    new RegExp(
      `(?<!\\w)(\\w{1,100})\\s*=\\s*(?:async\\s*)?(?:lambda|\\(?)[^)=:]{0,200}(?<!\\w)${name}\\b[^=;\\n]{0,50}(?:=>|:)`,
      "g",
    ),
  ];
  const functions = definitions.flatMap((pattern) =>
    [...program.own.matchAll(pattern)].map((match) => match[1] ?? ""),
  );
  return [...new Set(functions)].flatMap((each) =>
    callsOf(program, new RegExp(each)).calls.map(({ region }) => region),
  );
}

/** The name as what a block is given for each element: the list in front of it. */
function listsFor({ own }: Program, name: string): readonly Region[] {
  const block = new RegExp(
    `\\.\\s*(?:forEach|map|flatMap|filter|some|every|each\\w*)\\s*[({]?\\s*(?:do\\b|async\\b|function\\b)?\\s*[({|]{0,2}\\s*${name}(?!\\w)`,
    "g",
  );
  return [...own.matchAll(block)].slice(0, PLACES).map(({ index }) => ({
    start: Math.max(own.lastIndexOf(";", index), own.lastIndexOf("\n", index)) + 1,
    end: index,
  }));
}

/** What a method is called on: the brackets in front of it, or a variable. */
export function receiverOf({ own }: Program, { at }: ProgramCall): Region | undefined {
  if (!/[.>]\s*$/.test(own.slice(Math.max(0, at - 5), at))) return undefined;
  const start = Math.max(own.lastIndexOf(";", at), own.lastIndexOf("\n", at)) + 1;
  const [chain = ""] =
    /[\w$.]*\s*(?:\([^;\n]*\)\s*)?(?:\.|->)\s*$/.exec(
      own.slice(Math.max(start, at - CHAIN_CHARACTERS), at),
    ) ?? [];
  return { start: at - chain.length, end: at };
}
