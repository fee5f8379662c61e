/** Which files a program writes, by its arguments; redirections are another matter. */
import { hasShort, parseArguments, type Arguments } from "./arguments.js";
import type { Call } from "./auditor.js";
import { gitOutputs } from "./git-openings.js";
import { sedPrograms } from "./hidden-commands.js";
import { rowsByProgram } from "./program-table.js";
import { sedFacts } from "./sed-program.js";
import type { Field } from "./values.js";

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

/** The words behind an option. */
const after = (fields: readonly Field[], option: RegExp): readonly string[] =>
  fields.flatMap((_field, index) =>
    option.test(fields[index - 1]?.text ?? "") ? [fields[index]?.text ?? ""] : [],
  );

const GIT_WRITES =
  /^(checkout|restore|reset|clean|pull|merge|rebase|apply|am|init|stash|switch|submodule|worktree)$/;

/** What git writes outside of the folder that it is called in. */
function gitPaths({ operands }: Arguments, fields: readonly Field[]): readonly string[] {
  const words = texts(operands);
  const clone = words.indexOf("clone");
  const outputs = gitOutputs(fields);
  if (clone >= 0) return [...outputs, ...words.slice(clone + 2, clone + 3)];
  const trees = [
    ...after(fields, /^(-C|--work-tree)$/),
    ...texts(fields).flatMap((text) => (text.startsWith("--work-tree=") ? text.slice(12) : [])),
  ];
  return words.some((word) => GIT_WRITES.test(word)) ? [...outputs, ...trees] : outputs;
}

const WRITERS: readonly Writer[] = [
  {
    programs: /^(vi|vim|nvim|view|ex)$/,
    paths: (_parsed, fields) =>
      texts(fields).flatMap((text) => /^\+?:?\s*(?:w|wq|write|sav|saveas|x)!?\s+(\S+)/.exec(text)?.[1] ?? []),
  },
  {
    programs: /^g?awk$/,
    withValue: ["-i", "-v", "-F", "-f"],
    paths: (parsed) => (values(parsed, "-i")[0] === "inplace" ? texts(parsed.operands.slice(1)) : []),
  },
  {
    programs: /^(fallocate|sponge)$/,
    withValue: ["-l", "-o"],
    paths: ({ operands }) => texts(operands),
  },
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
    programs: /^(tar|bsdtar|gtar)$/,
    withValue: ["-C", "--directory", "-f", "--file"],
    paths: (parsed, fields) => {
      const words = texts(fields);
      const isMode = (letters: string) =>
        words.some(
          (word, index) =>
            new RegExp(`^-[a-zA-Z]*[${letters}]`).test(word) ||
            (index === 0 && new RegExp(`^\\w*[${letters}]`).test(word)),
        );
      return [
        ...(isMode("x") || words.includes("--extract") ? values(parsed, "-C", "--directory") : []),
        ...(isMode("cru") || words.includes("--create") ? values(parsed, "-f", "--file") : []),
      ];
    },
  },
  {
    programs:
      /^(sort|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|as|rustc|go|javac|pandoc|dot|nasm|tcc|mcs|zig|objcopy|ditaa|xz|asciidoctor|esbuild|ar)$/,
    withValue: ["-o", "--output"],
    paths: (parsed) => values(parsed, "-o", "--output"),
  },
  {
    programs: /^(gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|lz4|compress|dos2unix|unix2dos)$/,
    paths: (parsed) => (hasShort(parsed, "clt") ? [] : texts(parsed.operands)),
  },
  { programs: /^qemu-img$/, paths: ({ operands }) => texts(operands.slice(-1)) },
  { programs: /^openssl$/, paths: (_parsed, fields) => after(fields, /^-out$/) },
  {
    programs: /^(convert|magick|ffmpeg|ed|ex|vi|vim|nano|emacs|strip)$/,
    paths: ({ operands }) => texts(operands.slice(-1)),
  },
  {
    programs: /^(uniq|split)$/,
    withValue: ["-a", "-b", "-C", "-l", "-n", "-f", "-s", "-w"],
    paths: ({ operands }) => texts(operands.slice(1)),
  },
  {
    programs: /^patch$/,
    withValue: ["-o", "-d", "-i"],
    paths: (parsed) => [...texts(parsed.operands), ...values(parsed, "-o", "-d")],
  },
  {
    programs: /^csplit$/,
    withValue: ["-f", "--prefix"],
    paths: (parsed) => values(parsed, "-f", "--prefix"),
  },
  {
    programs: /^cpio$/,
    withValue: ["-D", "--directory"],
    paths: (parsed) => values(parsed, "-D", "--directory"),
  },
  {
    programs: /^find$/,
    paths: (_parsed, fields) => after(fields, /^-f(print0?|printf|ls)$/),
  },
  { programs: /^git$/, paths: gitPaths },
  {
    programs: /^(make|gmake)$/,
    paths: (_parsed, fields) =>
      texts(fields).flatMap((text) =>
        /^(DESTDIR|PREFIX|prefix)=/.test(text) ? text.slice(text.indexOf("=") + 1) : [],
      ),
  },
  {
    programs: /^(pip[\d.]*|npm)$/,
    withValue: ["--target", "-t", "--prefix", "--root"],
    paths: (parsed) => values(parsed, "--target", "-t", "--prefix", "--root"),
  },
  { programs: /^unzip$/, withValue: ["-d"], paths: (parsed) => values(parsed, "-d") },
  { programs: /^(chmod|chown|chgrp)$/, paths: ({ operands }) => texts(operands).slice(1) },
  { programs: /^chattr$/, paths: ({ operands }) => texts(operands).filter((text) => !/^[-+=]/.test(text)) },
];

const writersFor = rowsByProgram(WRITERS);

/** Does away with a name, not with what a link of that name leads to. */
const REMOVERS = /^(rm|rmdir|unlink|mv)$/;

/** Absolute paths of what is written. Pure. */
export const writtenPaths = (call: Call): readonly string[] => [
  ...writersFor(call.name)
    .flatMap((writer) => writer.paths(parseArguments(call.fields, writer.withValue), call.fields))
    .map((path) => call.scope.state.absolute(path, !REMOVERS.test(call.name))),
  ...(/^g?sed$/.test(call.name) ? sedPrograms(call).flatMap(({ text }) => sedFacts(text).written) : []).map(
    (path) => call.scope.state.absolute(path),
  ),
];
