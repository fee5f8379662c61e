/** Calls of the file tools that aim at forbidden files, and what their answers tell. */
import type { ToolMessage } from "@langchain/core/messages";
import { fromSegments, parentOf, segmentsOf, shownPath } from "../base/virtual-path.js";
import { fullTextOf } from "../tools/define-tool.js";
import { type Dialect, DIALECTS } from "../tools/dialects.js";
import type { ToolKind } from "../tools/face.js";
import { HUSH } from "./hidden-world.js";
import { picked, type Random, spelledAlike, spelledAnew } from "./path-spellings.js";

/** What is tried, one after the other. */
export const LOOKS = ["list", "read", "glob", "grep"] as const;
export const CHANGES = ["write", "append", "edit", "delete"] as const;
export type Attempt = (typeof LOOKS)[number] | (typeof CHANGES)[number];

export interface AimedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The names of a path, in every dialect and as models make them up. */
const PATH_NAMES = ["path", "file_path", "filepath", "filename", "filePath", "absolute_path", "target_file"];

/** A call of the dialect's tool for what is attempted, somehow aimed at one of the targets. */
export function aimedCall(attempt: Attempt, dialect: Dialect, targets: readonly string[], random: Random) {
  const kind: ToolKind = attempt === "append" ? "write" : attempt;
  const args = ARGUMENTS[attempt](picked(targets, random), random);
  return { name: DIALECTS[dialect].faces[kind].name, args } satisfies AimedCall;
}

const isLikely = (random: Random, share: number): boolean => random() < share;

/** The path under some name; sometimes under two, one of which is harmless, and sometimes not as text. */
function pathArguments(path: string, random: Random): Arguments {
  const given = isLikely(random, 0.05) ? [path] : path;
  const aimed = { [picked(PATH_NAMES, random)]: given };
  if (!isLikely(random, 0.1)) return aimed;
  const harmless = { [picked(PATH_NAMES, random)]: "/w/open/plain.txt" };
  return isLikely(random, 0.5) ? { ...harmless, ...aimed } : { ...aimed, ...harmless };
}

/** Every other path leads there for certain. */
const spelled = (path: string, random: Random): string =>
  isLikely(random, 0.5) ? spelledAlike(path, random) : spelledAnew(path, random);

/** Now and then a new file below, also where a file, or a link to one, is no folder. */
const changedPath = (target: string, random: Random): string =>
  spelled(isLikely(random, 0.3) ? `${target}/new` : target, random);

const ARGUMENTS: Readonly<Record<Attempt, (target: string, random: Random) => Arguments>> = {
  // The folder of a file tells more than the file.
  list: (target, random) =>
    pathArguments(spelled(isLikely(random, 0.5) ? parentOf(target) : target, random), random),
  read: (target, random) => ({
    ...pathArguments(spelled(target, random), random),
    ...(isLikely(random, 0.2) ? { line_offset: 3 } : {}),
  }),
  write: (target, random) => ({ ...pathArguments(changedPath(target, random), random), content: "changed" }),
  append: (target, random) => ({
    ...pathArguments(changedPath(target, random), random),
    content: "changed",
    append: true,
  }),
  // Some texts are not in the file as they stand, for a look at what the answer then says of it.
  edit: (target, random) => ({
    ...pathArguments(changedPath(target, random), random),
    old_string: isLikely(random, 0.7)
      ? "needle in"
      : picked(["Needle in", "needle  in", "needle iin", "in "], random),
    new_string: "thread",
    replace_all: isLikely(random, 0.3),
  }),
  delete: (target, random) => pathArguments(changedPath(target, random), random),
  glob: (target, random) => ({ ...globArguments(target, random), include_dirs: isLikely(random, 0.5) }),
  grep: (target, random) => ({
    ...(isLikely(random, 0.5)
      ? globArguments(target, random, "glob")
      : pathArguments(spelled(target, random), random)),
    pattern: "needle",
    literal: isLikely(random, 0.5),
    output_mode: picked(["content", "files_with_matches", "count"], random),
  }),
};

/** A pattern for the target below some folder on the way to it, or an absolute one with or without a folder. */
function globArguments(target: string, random: Random, name = "pattern"): Arguments {
  const names = segmentsOf(target);
  const above = Math.floor(random() * names.length);
  const below = names.slice(above).map((each) => wildName(each, random));
  const folder = spelled(fromSegments(names.slice(0, above)), random);
  if (isLikely(random, 0.5)) {
    return { [name]: wildPattern(below.join("/"), random), ...pathArguments(folder, random) };
  }
  const absolute = wildPattern(fromSegments([...names.slice(0, above), ...below]), random);
  return { [name]: absolute, ...(isLikely(random, 0.3) ? pathArguments(folder, random) : {}) };
}

const WILD_NAMES: readonly ((name: string, random: Random) => string)[] = [
  (name) => name,
  (name) => name,
  () => "*",
  () => "**",
  (name) => `{${name},plain.txt}`,
  (name) => `{no-such,{other,${name}}}`,
  (name) => `${name.slice(0, 2)}*`,
  (name) => `${name.startsWith(".") ? "." : ""}*${name.slice(-1)}`,
  (name) => `\\${name}`,
  (name) => name.replace(/[a-z]/, (character) => `[${character}]`),
  (name) => name.replace(/[a-z]/, (character) => `[!${character === "q" ? "x" : "q"}]`),
  (name) => name.replace(/[a-z]/, "[a-z]"),
  (name) => name.replace(/[a-z]/, "?"),
  (name) => name.replace(/[a-z](?=[^.]*$)/, (character) => `{a..${character}}`),
];

const wildName = (name: string, random: Random): string => picked(WILD_NAMES, random)(name, random);

const WILD_PATTERNS: readonly ((pattern: string) => string)[] = [
  (pattern) => pattern,
  (pattern) => pattern,
  (pattern) => `{${pattern},/w/open/*}`,
  (pattern) => `**/${pattern}`,
  (pattern) => `${pattern}/**`,
  (pattern) => `${pattern}/*`,
  (pattern) => pattern.replace("/", "/{.,..}/"),
  (pattern) => pattern.replace("/", "{/,//}"),
];

function wildPattern(pattern: string, random: Random): string {
  const wild = picked(WILD_PATTERNS, random)(pattern);
  return isLikely(random, 0.2) ? spelledAnew(wild, random) : wild;
}

/** Whether the answer to a call tells more of a forbidden file than the call itself did. */
export function tellsHidden(call: AimedCall, answer: ToolMessage): boolean {
  const text = [answer.text, fullTextOf(answer) ?? "", JSON.stringify(answer.artifact ?? {})].join("\n");
  const told = text.toLowerCase();
  // What is found stands at the beginning of its line, and also tells when it is just what was asked for.
  const isFound = told.split("\n").some((line) => line.startsWith("/") && line.includes(HUSH));
  return isFound || told.includes(`in ${HUSH}`) || withoutAsked(text, call).toLowerCase().includes(HUSH);
}

/** Names are taken out one by one: a message may tell the path without its links, or put another in front. */
function withoutAsked(text: string, { args }: AimedCall): string {
  const given = Object.values(args)
    .flat()
    .filter((value) => typeof value === "string");
  const names = [...given, ...given.flatMap(segmentsOf)].filter((name) => name.toLowerCase().includes(HUSH));
  const forms = names.flatMap((name) => {
    // A message shows what cannot be seen, and a list sent for a path as JSON.
    return [name, shownPath(name)].flatMap((shown) => {
      const inMessage = escaped(shown);
      return [shown, inMessage, escaped(inMessage), escaped(escaped(inMessage))];
    });
  });
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((left, form) => left.replaceAll(form, ""), text);
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
