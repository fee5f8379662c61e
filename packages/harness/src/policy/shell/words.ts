/** Expansion: from the words of the syntax tree to the words that a program gets. */
import { type DoubleQuotedChild, parse, type ParameterExpansionPart, type Word, type WordPart } from "unbash";
import type { Auditor, Scope } from "./auditor.js";
import { assign } from "./builtins.js";
import { fitsPattern } from "./shell-patterns.js";
import { HOME } from "./state.js";
import { count, runExpansions } from "./subscripts.js";
import {
  concatenate,
  cut,
  decodeEscapes,
  EMPTY,
  HOLE,
  joinedFields,
  plain,
  UNKNOWN,
  type Field,
  type Text,
} from "./values.js";

/** A piece of a word. `split` pieces came from an unquoted expansion and fall apart at white space. */
interface Piece extends Text {
  readonly split: boolean;
  readonly content?: Text;
}

/** Braces multiply words; beyond this many, further braces stay unknown. */
const BRACE_WORDS = 64;
/** A word of more parts than a person writes is not multiplied at all. */
const BRACE_PARTS = 100;

const whole = (text: Text): Piece => ({ ...text, split: false });
const splittable = (text: Text): Piece => ({ ...text, split: true });

/** The words that one word becomes. Command substitutions inside are run in mind. */
export function expandWord(word: Word, auditor: Auditor, scope: Scope): readonly Field[] {
  if (word.parts === undefined) {
    const text = expandTilde(word.value, word.text);
    auditor.spend(text.length + 1);
    return [{ text, origin: text.includes(HOLE) ? scope.holeOrigin : "plain" }];
  }
  const values = allPositional(word, scope);
  if (values !== undefined) {
    auditor.spend(values.length);
    return values;
  }
  const fields = alternativesOf(word, auditor, scope).flatMap((pieces) => split(pieces, scope));
  auditor.spend(fields.reduce((sum, { text }) => sum + text.length, 1));
  return fields;
}

/** The one text that a word becomes where it does not fall apart: in assignments and redirections. */
export function expandText(word: Word, auditor: Auditor, scope: Scope): Field {
  const field = glue(alternativesOf(word, auditor, scope)[0] ?? []);
  auditor.spend(field.text.length + 1);
  return field;
}

/** The text of a here-document whose delimiter is not quoted. */
export const expandParts = (parts: readonly WordPart[], auditor: Auditor, scope: Scope): Text =>
  concatenate(parts.map((part) => pieceOf(part, auditor, scope)));

const ALL_ELEMENTS = /^"\$\{(\w+)\[@\]\}"$/;

/** `"$@"` alone is every argument as it came, and `"${list[@]}"` every element. */
function allPositional({ text }: Word, { state }: Scope): readonly Field[] | undefined {
  if (/^"?\$(@|\{@\})"?$/.test(text)) return state.positional;
  const [, name] = ALL_ELEMENTS.exec(text) ?? [];
  return name === undefined ? undefined : state.elements(name);
}

function alternativesOf(word: Word, auditor: Auditor, scope: Scope): readonly (readonly Piece[])[] {
  if (word.parts === undefined) return [[literal(expandTilde(word.value, word.text), scope)]];
  const multiplies = word.parts.length <= BRACE_PARTS;
  let alternatives: Piece[][] = [[]];
  word.parts.forEach((part, index) => {
    const options = optionsOf(part, index === 0, auditor, scope);
    const [only] = options;
    if (options.length === 1 && only !== undefined) {
      for (const pieces of alternatives) pieces.push(only);
    } else if (multiplies && alternatives.length * options.length <= BRACE_WORDS) {
      alternatives = alternatives.flatMap((before) => options.map((option) => [...before, option]));
    } else {
      for (const pieces of alternatives) pieces.push(whole(UNKNOWN));
    }
  });
  return alternatives;
}

function optionsOf(part: WordPart, first: boolean, auditor: Auditor, scope: Scope): readonly Piece[] {
  if (part.type === "BraceExpansion") {
    auditor.runInside(part, scope);
    return braceOptions(part.text);
  }
  return first && part.type === "Literal"
    ? [literal(expandTilde(part.value, part.text), scope)]
    : [pieceOf(part, auditor, scope)];
}

/** A written-out piece; a hole in it stands for something of the text's own origin. */
const literal = (text: string, scope: Scope): Piece => ({
  text,
  origin: text.includes(HOLE) ? scope.holeOrigin : "plain",
  split: false,
});

/** `~` and `~name` in front of a word, where not quoted. */
function expandTilde(value: string, text: string): string {
  if (!text.startsWith("~")) return value;
  const [name = ""] = value.slice(1).split("/");
  const rest = value.slice(1 + name.length);
  if (name === "root") return `/root${rest}`;
  if (name === "+") return `.${rest}`;
  return (name === "" ? HOME : `/home/${name}`) + rest;
}

/** `{a..e}` and `{1..9}`, as far as they are short. */
function sequenceOf(inner: string): readonly Piece[] | undefined {
  const [, first = "", last = ""] = /^(-?\d{1,6}|[a-zA-Z])\.\.(-?\d{1,6}|[a-zA-Z])$/.exec(inner) ?? [];
  if (first === "") return undefined;
  const isLetters = /[a-zA-Z]/.test(first) && /[a-zA-Z]/.test(last);
  const numbers = isLetters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  const [from = Number.NaN, to = Number.NaN] = numbers;
  const count = Math.abs(to - from) + 1;
  if (!(count <= BRACE_WORDS)) return undefined;
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const number = from + step * index;
    return whole(plain(isLetters ? String.fromCharCode(number) : String(number)));
  });
}

/** `{a,b}`; a long sequence stays a hole. */
function braceOptions(text: string): readonly Piece[] {
  const inner = text.slice(1, -1);
  const sequence = sequenceOf(inner);
  if (sequence !== undefined) return sequence;
  if (!inner.includes(",") || inner.includes("{")) return [whole(UNKNOWN)];
  return inner
    .split(",")
    .map((option) => whole(option.includes("$") ? UNKNOWN : plain(option.replaceAll(/["'\\]/g, ""))));
}

function pieceOf(part: WordPart, auditor: Auditor, scope: Scope): Piece {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return literal(part.value, scope);
    case "DoubleQuoted":
    case "LocaleString":
      return whole(concatenate(part.parts.map((child) => pieceOf(child, auditor, scope))));
    case "ExtendedGlob":
      auditor.runInside(part, scope);
      return whole(plain("*"));
    case "BraceExpansion":
      auditor.runInside(part, scope);
      return whole(UNKNOWN);
    case "ProcessSubstitution":
      return processSubstitution(part, auditor, scope);
    default:
      return expansion(part, auditor, scope);
  }
}

function processSubstitution(
  part: Extract<WordPart, { type: "ProcessSubstitution" }>,
  auditor: Auditor,
  scope: Scope,
): Piece {
  if (part.script === undefined) return whole(UNKNOWN);
  const own = within(part, scope);
  // What a command writes into it is not known before the command has run.
  const stdin = part.operator === ">" ? concatenate([scope.stdin, UNKNOWN]) : own.stdin;
  const printed = auditor.runScript(part.script, { ...own, stdin });
  return { ...plain("/dev/fd/63"), split: false, content: part.operator === "<" ? printed : EMPTY };
}

type Expansion = Exclude<DoubleQuotedChild, { type: "Literal" }>;

function expansion(part: Expansion, auditor: Auditor, scope: Scope): Piece {
  switch (part.type) {
    case "SimpleExpansion":
      return splittable(scope.state.lookup(part.text.slice(1)) ?? UNKNOWN);
    case "ParameterExpansion":
      runOperation(part, auditor, scope);
      return splittable(parameter(part, auditor, scope));
    case "CommandExpansion": {
      if (part.script === undefined) return splittable(UNKNOWN);
      const { text, origin } = auditor.runScript(part.script, within(part, scope));
      return splittable({ text: text.replace(/\n+$/, ""), origin });
    }
    case "ArithmeticExpansion":
      auditor.runInside(part, scope);
      return splittable(UNKNOWN);
  }
}

/** A substitution's own scope: a subshell with no input, at the place of the substitution. */
const within = (
  part: { pos: number; end: number; script?: { source?: string } | undefined },
  scope: Scope,
): Scope => ({
  ...scope,
  state: scope.state.fork(),
  span: scope.detached ? scope.span : { start: part.pos, end: part.end },
  // The text of escaped backticks is decoded first; its positions count in the decoded text.
  detached: scope.detached || part.script?.source !== undefined,
  fromInput: false,
});

/**
 * Runs the substitutions inside `${…}`. Where the parser cuts an operation at a slash inside of one
 * (`${x/$(cat a/b)/c}`), reading the inside once more as a quoted text finds it whole.
 */
function runOperation(part: ParameterExpansionPart, auditor: Auditor, scope: Scope): void {
  auditor.runInside(part, scope);
  countIn(part, auditor, scope);
  if (!/\$\(|`/.test(part.text)) return;
  const inside = `"${part.text.slice(2, -1)}"`;
  auditor.spend(inside.length);
  const [statement] = parse(inside).commands;
  const word = statement?.command.type === "Command" ? statement.command.name : undefined;
  if (word === undefined) return;
  const reading = scope.reading === "guess" ? "guess" : "again";
  expandText(word, auditor, { ...scope, state: scope.state.fork(), detached: true, reading });
}

/** Subscripts, places and lengths are numbers; `${x@P}` is expanded as a prompt is. */
function countIn(part: ParameterExpansionPart, auditor: Auditor, scope: Scope): void {
  const { operation, index } = part;
  const numbers = operation?.type === "Slice" ? [operation.offset, operation.length, index] : [index];
  for (const word of numbers) if (word !== undefined) count(plain(word.text), auditor, scope);
  if (operation?.type !== "Transform" || operation.operand.value !== "P") return;
  const value = valueOf(part, scope) ?? UNKNOWN;
  if (value.text.includes(HOLE)) auditor.runFields([{ ...value, text: HOLE }], scope);
  else if (/[$`]/.test(value.text)) runExpansions(value, auditor, scope);
}

function parameter(part: ParameterExpansionPart, auditor: Auditor, scope: Scope): Text {
  const value = valueOf(part, scope);
  const { operation } = part;
  if (operation === undefined) return value ?? UNKNOWN;
  switch (operation.type) {
    case "Default": {
      const other = expandText(operation.operand, auditor, scope);
      if (operation.operator.endsWith("+")) return value === undefined ? UNKNOWN : other;
      if (operation.operator.endsWith("?")) return value ?? plain(`${HOLE}x`);
      const isUnset = value === undefined || value.text === "";
      if (isUnset && operation.operator.endsWith("=")) assign(part.parameter, other, scope, { auditor });
      return isUnset ? other : value;
    }
    case "Replace": {
      const pattern = expandText(operation.pattern, auditor, scope).text;
      const replacement = expandText(operation.replacement, auditor, scope).text;
      if (value === undefined || /[*?[\0]/.test(pattern) || pattern === "")
        return { ...(value ?? UNKNOWN), text: HOLE };
      const text =
        operation.operator === "//"
          ? cut(value.text.replaceAll(pattern, () => replacement))
          : value.text.replace(pattern, () => replacement);
      return { ...value, text };
    }
    case "Remove": {
      const pattern = expandText(operation.operand, auditor, scope).text;
      if (value === undefined || value.text.includes(HOLE)) return { ...(value ?? UNKNOWN), text: HOLE };
      return { ...value, text: removed(value.text, pattern, operation.operator) };
    }
    case "Slice": {
      const [from, length] = [operation.offset, operation.length].map((word) =>
        Number(word?.text ?? Number.NaN),
      );
      if (value === undefined || from === undefined || Number.isNaN(from))
        return { ...(value ?? UNKNOWN), text: HOLE };
      const end = length === undefined || Number.isNaN(length) ? undefined : from + length;
      return { ...value, text: value.text.slice(from, end) };
    }
    case "CaseModification": {
      if (value === undefined) return UNKNOWN;
      const lower = operation.operator.startsWith(",");
      return { ...value, text: lower ? value.text.toLowerCase() : value.text.toUpperCase() };
    }
    default:
      if (value === undefined) return UNKNOWN;
      // Quoting and the like may change a value; a prompt and its escapes leave most of it.
      return operation.type === "Transform" && /^[PE]$/.test(operation.operand.value)
        ? { ...value, text: decodeEscapes(value.text) }
        : { ...value, text: HOLE };
  }
}

/** A variable, one element of an array or all of them, or the variable that another one names. */
function valueOf(part: ParameterExpansionPart, { state }: Scope): Text | undefined {
  const { parameter: name, prefix, index } = part;
  if (prefix === "!") {
    const target = state.lookup(name)?.text ?? HOLE;
    return target.includes(HOLE) || index !== undefined ? UNKNOWN : (state.lookup(target) ?? UNKNOWN);
  }
  if (prefix !== undefined) return UNKNOWN;
  if (index === undefined) return state.lookup(name);
  const keyed = state.lookup(`${name}[${index.value}]`);
  if (keyed !== undefined) return keyed;
  const elements = state.elements(name);
  if (elements === undefined) return UNKNOWN;
  const place = index.text;
  if (place === "@") return joinedFields(elements);
  if (place === "*") return joinedBy(state.lookup("IFS")?.text.charAt(0) ?? " ", elements);
  return /^\d+$/.test(place) ? (elements[Number(place)] ?? EMPTY) : { ...joinedFields(elements), text: HOLE };
}

const joinedBy = (separator: string, elements: readonly Field[]): Text =>
  concatenate(elements.flatMap((field, index) => (index === 0 ? [field] : [plain(separator), field])));

/** Longer texts are not cut by a pattern: what is left of them is not known. */
const REMOVED_CHARACTERS = 1000;

/** `${x#pattern}` and its kin. */
function removed(text: string, pattern: string, operator: "#" | "##" | "%" | "%%"): string {
  if (pattern.includes(HOLE) || text.length > REMOVED_CHARACTERS || pattern.length > 100) return HOLE;
  const cuts = Array.from({ length: text.length + 1 }, (_, index) => index);
  const fromFront = operator.startsWith("#");
  const isShort = operator.length === 1;
  const ordered = fromFront === isShort ? cuts : cuts.toReversed();
  const cut = ordered.find((at) => fitsPattern(pattern, fromFront ? text.slice(0, at) : text.slice(at)));
  if (cut === undefined) return text;
  return fromFront ? text.slice(cut) : text.slice(0, cut);
}

const glue = (pieces: readonly Piece[]): Field => {
  const content = pieces.find((piece) => piece.content !== undefined)?.content;
  return content === undefined ? concatenate(pieces) : { ...concatenate(pieces), content };
};

/** Falls apart at the field separators, as unquoted expansions do. */
function split(pieces: readonly Piece[], scope: Scope): readonly Field[] {
  const separators = scope.state.lookup("IFS")?.text.replaceAll(HOLE, "") ?? " \t\n";
  const fields: Piece[][] = [];
  let open: Piece[] | undefined;
  for (const piece of pieces) {
    const chunks = piece.split && separators !== "" ? divide(piece.text, separators) : [piece.text];
    chunks.forEach((chunk, index) => {
      if (index > 0) open = undefined;
      if (chunk === "" && piece.split) return;
      if (open === undefined) {
        open = [];
        fields.push(open);
      }
      open.push({ ...piece, text: chunk });
    });
  }
  return fields.map(glue);
}

const divide = (text: string, separators: string): readonly string[] => {
  const chunks: string[] = [""];
  for (const character of text) {
    if (separators.includes(character)) chunks.push("");
    else chunks[chunks.length - 1] += character;
  }
  return chunks;
};
