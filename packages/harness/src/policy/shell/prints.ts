/** What a command prints, as far as it can be known beforehand. */
import { hasLong, hasShort, parseArguments } from "./arguments.js";
import type { Scope } from "./auditor.js";
import { concatenate, cut, decodeEscapes, derivedFrom, EMPTY, HOLE, plain, UNKNOWN } from "./values.js";
import type { Field, Text } from "./values.js";

const FETCHERS = new Set([
  "curl",
  "wget",
  "fetch",
  "http",
  "https",
  "aria2c",
  "lynx",
  "w3m",
  "nc",
  "ncat",
  "netcat",
  "ftp",
]);
const UNPACKERS = new Set([
  "zcat",
  "bzcat",
  "xzcat",
  "gunzip",
  "bunzip2",
  "unxz",
  "uudecode",
  "uncompress",
  "funzip",
]);
/** Print some or all lines of their input as they are. */
const LINE_FILTERS = /^(sort|uniq|head|tail|nl|column|fmt|pv|sponge|grep|egrep|fgrep|rg|shuf|unbuffer|ts)$/;
const INTERPRETERS = /^(python|node|nodejs|tsx|ts-node|perl|ruby|php|lua|deno|bun|pwsh|Rscript)[\d.]*$/;
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "csh", "tcsh"]);

export const isFetcher = (name: string): boolean => FETCHERS.has(name);
export const isShell = (name: string): boolean => SHELLS.has(name);
export const isInterpreter = (name: string): boolean => INTERPRETERS.test(name);

/** What the file at a path holds: what this very line wrote there, or something unknown. */
export const contentOf = (field: Field, { state }: Scope): Text =>
  field.content ?? state.shared.files.get(state.absolute(field.text)) ?? UNKNOWN;

/** Standard output of a simple command that is no shell, group or function. */
export function printed(name: string, fields: readonly Field[], scope: Scope): Text {
  if (name === "echo") return echo(fields);
  if (name === "printf") return printf(fields);
  if (name === "cat" || name === "tac") return cat(fields, scope);
  if (name === "tee") return scope.stdin;
  if (name === "pwd") return plain(`${scope.state.folder ?? HOLE}\n`);
  if (name === "find") return found(fields);
  const path = printedPath(name, fields, scope);
  if (path !== undefined) return path;
  if (name === "tr") return translated(fields, scope);
  if (LINE_FILTERS.test(name) && isKnown(scope.stdin)) return scope.stdin;
  if (isFetcher(name)) return { text: HOLE, origin: "downloaded" };
  if (decodes(name, fields))
    return { text: HOLE, origin: scope.stdin.origin === "downloaded" ? "downloaded" : "decoded" };
  if (isInterpreter(name)) return { text: HOLE, origin: "computed" };
  return derivedFrom(concatenate([scope.stdin, ...fields.flatMap(({ content }) => content ?? [])]));
}

function echo(fields: readonly Field[]): Text {
  const options = fields.findIndex(({ text }) => !/^-[neE]+$/.test(text));
  const words = options < 0 ? [] : fields.slice(options);
  const flags = fields.slice(0, options < 0 ? fields.length : options).map(({ text }) => text);
  const joined = concatenate(words.flatMap((word, index) => (index === 0 ? [word] : [plain(" "), word])));
  const text = flags.some((flag) => flag.includes("e")) ? decodeEscapes(joined.text) : joined.text;
  return { ...joined, text: flags.some((flag) => flag.includes("n")) ? text : `${text}\n` };
}

/** Knows `%s` and `%b`; another directive leaves a hole. */
function printf([format = EMPTY, ...values]: readonly Field[]): Text {
  const { origin } = concatenate([format, ...values]);
  const waiting = values.map(({ text }) => text);
  const pass = () =>
    decodeEscapes(format.text).replaceAll(/%(%|[-+ #0-9.]*[a-zA-Z])/g, (_whole, directive: string) => {
      if (directive === "%") return "%";
      const value = waiting.shift() ?? "";
      if (directive === "b") return decodeEscapes(value);
      return directive === "s" ? value : HOLE;
    });
  let text = pass();
  let before = values.length;
  // The format is used again for what is left, as long as it takes something.
  while (waiting.length > 0 && waiting.length < before) {
    before = waiting.length;
    text += pass();
  }
  return { text: cut(text), origin };
}

function cat(fields: readonly Field[], scope: Scope): Text {
  const { operands } = parseArguments(fields);
  if (operands.length === 0) return scope.stdin;
  return concatenate(operands.map((file) => (file.text === "-" ? scope.stdin : contentOf(file, scope))));
}

/** Tests of `find` that leave its starting points out of what it finds. */
const FILTERS =
  /^-(i?name|i?path|i?regex|i?wholename|size|[acm]?min|[acm]time|newer.*|empty|mindepth|user|perm)$/;

/** The starting points and whether everything below them is found. */
export function findRoots(fields: readonly Field[]): {
  readonly roots: readonly Field[];
  readonly all: boolean;
} {
  const tests = fields.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-([HLP]|O\d)$/.test(text));
  const before = fields.slice(0, tests < 0 ? fields.length : tests);
  const roots = before.filter(({ text }) => !text.startsWith("-"));
  const all = !fields.some(({ text }) => FILTERS.test(text));
  return { roots: roots.length === 0 ? [plain(".")] : roots, all };
}

function found(fields: readonly Field[]): Text {
  const { roots, all } = findRoots(fields);
  return concatenate(
    roots.map(({ text, origin }) => ({ text: all ? `${text}\n` : `${text}/${HOLE}\n`, origin })),
  );
}

const isKnown = ({ text }: { readonly text: string }): boolean => text !== "" && !text.includes(HOLE);

/** Programs that print the paths that they are given, or a part of them. */
function printedPath(name: string, fields: readonly Field[], { state }: Scope): Text | undefined {
  const paths = parseArguments(fields).operands;
  if (/^(which|type|command|hash)$/.test(name))
    return concatenate(paths.map((field) => ({ ...field, text: `/usr/bin/${field.text}\n` })));
  if (name === "ls") {
    const isList = hasShort(parseArguments(fields), "d");
    return isList
      ? concatenate(paths.map((field) => ({ ...field, text: `${field.text}\n` })))
      : plain(`${HOLE}\n`);
  }
  if (!/^(realpath|readlink|dirname|basename)$/.test(name)) return undefined;
  const lines = (name === "basename" ? paths.slice(0, 1) : paths).map((field): Text => {
    const { text } = field;
    if (name === "dirname") return { ...field, text: `${/^(\/?.*?)\/+[^/]*\/*$/s.exec(text)?.[1] || "."}\n` };
    if (name === "basename")
      return { ...field, text: `${text.replace(/\/+$/, "").split("/").at(-1) || "/"}\n` };
    return { ...field, text: `${state.absolute(text)}\n` };
  });
  return concatenate(lines);
}

/** `tr`, as far as its characters are written out: removed, or each replaced by another. */
function translated(fields: readonly Field[], { stdin }: Scope): Text {
  const { operands, options } = parseArguments(fields);
  const [set = "", other] = operands.map(({ text }) => decodeEscapes(text));
  const isPlain = ![set, other ?? ""].some((each) => /[[\]]|.-./.test(each));
  if (!isKnown(stdin) || !isPlain || options.some((option) => /^-[cC]/.test(option)))
    return derivedFrom(stdin);
  const removes = options.some((option) => /^-[a-z]*d/.test(option));
  const replaced = (character: string): string => {
    const at = set.indexOf(character);
    if (at < 0) return character;
    if (removes) return "";
    return other === undefined ? character : (other[Math.min(at, other.length - 1)] ?? "");
  };
  return { ...stdin, text: [...stdin.text].map(replaced).join("") };
}

function decodes(name: string, fields: readonly Field[]): boolean {
  const options = parseArguments(fields);
  if (UNPACKERS.has(name)) return true;
  if (/^base(32|64|nc)?$/.test(name)) return hasShort(options, "dD") || hasLong(options, "--decode");
  if (name === "xxd") return hasShort(options, "r") || options.options.includes("-revert");
  if (name === "openssl") return fields.some(({ text }) => text === "-d");
  if (/^gpg2?$/.test(name)) return hasShort(options, "d") || hasLong(options, "--decrypt");
  if (name === "unzip") return hasShort(options, "p");
  if (/^(gzip|bzip2|xz|zstd|lz4)$/.test(name))
    return hasShort(options, "d") || hasLong(options, "--decompress");
  return false;
}
