/** Which files a program writes, by its arguments; redirections are another matter. */
import { hasShort, parseArguments, type Arguments } from "./arguments.js";
import type { Call } from "./auditor.js";
import { absolute, type Field } from "./values.js";

interface Writer {
  readonly programs: RegExp;
  readonly withValue?: readonly string[];
  paths(parsed: Arguments, fields: readonly Field[]): readonly string[];
}

const texts = (fields: readonly Field[]): readonly string[] => fields.map(({ text }) => text);
const values = ({ values }: Arguments, ...options: readonly string[]): readonly string[] =>
  options.flatMap((option) => values.get(option)?.text ?? []);
const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const TARGET_FOLDER = ["-t", "--target-directory"] as const;

/** The destination, and each source's name below it, for the destination may be a folder. */
function copied(parsed: Arguments): readonly string[] {
  const folder = values(parsed, ...TARGET_FOLDER)[0];
  const operands = texts(parsed.operands);
  const sources = folder === undefined ? operands.slice(0, -1) : operands;
  const destination = folder ?? operands.at(-1);
  if (destination === undefined) return [];
  return [destination, ...sources.map((source) => `${destination}/${baseName(source)}`)];
}

const WRITERS: readonly Writer[] = [
  {
    programs: /^(tee|touch|truncate|shred|unlink|mkfifo|rm|rmdir|mkdir)$/,
    withValue: ["-s", "-r", "-m", "-d"],
    paths: ({ operands }) => texts(operands),
  },
  {
    programs: /^(cp|mv|install|ln|scp|rsync)$/,
    withValue: [...TARGET_FOLDER, "-m", "-o", "-g", "-S", "-e", "-P"],
    paths: copied,
  },
  {
    programs: /^dd$/,
    paths: ({ operands }) => texts(operands).flatMap((text) => (text.startsWith("of=") ? text.slice(3) : [])),
  },
  {
    programs: /^(sed|perl|ruby)$/,
    withValue: ["-e", "-f", "--expression", "--file"],
    paths: (parsed) =>
      hasShort(parsed, "i") || parsed.options.some((option) => option.startsWith("--in-place"))
        ? texts(parsed.operands)
        : [],
  },
  {
    programs: /^curl$/,
    withValue: ["-o", "--output", "--output-dir"],
    paths: (parsed) => values(parsed, "-o", "--output", "--output-dir"),
  },
  {
    programs: /^wget$/,
    withValue: ["-O", "--output-document", "-P", "--directory-prefix", "-o"],
    paths: (parsed) => values(parsed, "-O", "--output-document", "-P", "--directory-prefix"),
  },
  {
    programs: /^tar$/,
    withValue: ["-C", "--directory", "-f", "--file"],
    paths: (parsed) => values(parsed, "-C", "--directory"),
  },
  { programs: /^unzip$/, withValue: ["-d"], paths: (parsed) => values(parsed, "-d") },
  { programs: /^(chmod|chown|chgrp|chattr)$/, paths: ({ operands }) => texts(operands).slice(1) },
];

/** Absolute paths of what is written. Pure. */
export const writtenPaths = ({ name, fields, scope }: Call): readonly string[] =>
  WRITERS.filter(({ programs }) => programs.test(name))
    .flatMap((writer) => writer.paths(parseArguments(fields, writer.withValue), fields))
    .map((path) => absolute(path, scope.state.folder));
