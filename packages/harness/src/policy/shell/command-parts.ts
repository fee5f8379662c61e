/** The simple commands of a command line, as the rules of a person are held against them. */
import type { CommandPart, Scope } from "./auditor.js";
import { SYSTEM_PROGRAM } from "./copied-programs.js";
import { isPattern } from "./shell-patterns.js";
import { HOLE, type Field } from "./values.js";
import { programName, wraps } from "./wrappers.js";

/** The words of a part are cut here; longer ones are no longer known for certain. */
const PART_CHARACTERS = 4000;

/** @param isOwn whether the program is a function of the command line itself */
export function partOf(
  [program, ...rest]: readonly Field[],
  scope: Scope,
  isOwn: boolean,
): CommandPart | undefined {
  if (program === undefined) return undefined;
  const name = programName(program.text);
  const whole = [program, ...rest].map(({ text }) => text).join(" ");
  const words = whole.length > PART_CHARACTERS ? whole.slice(0, PART_CHARACTERS) + HOLE : whole;
  const byName = name + words.slice(program.text.length);
  return {
    words,
    byName,
    bySystemName: SYSTEM_PROGRAM.test(program.text) ? byName : words,
    isKnown:
      // A blank in the name is none between words: `'git /x'` is not `git`.
      !/[\s\0]/.test(program.text) &&
      !isPattern(program.text) &&
      program.origin === "plain" &&
      !scope.state.isPathChanged,
    isRequired: !isOwn && scope.reading !== "guess" && !runsOnlyOthers(name, rest),
    span: scope.span,
  };
}

/** What opens a program to others, as `name=value`: a rule that allows the program does not allow this. */
export const openPart = (words: string, scope: Scope): CommandPart => ({
  words,
  byName: words,
  bySystemName: words,
  isKnown: true,
  isRequired: scope.reading !== "guess",
  span: scope.span,
});

/** Whose effect is that of what they run, which is a part itself. */
const TRANSPARENT = new Set([
  "builtin",
  "command",
  "env",
  "eval",
  "exec",
  "ionice",
  "nice",
  "nohup",
  "setsid",
  "stdbuf",
  "time",
  "timeout",
]);
const SHELL_TEXT = /^(sh|bash|dash)$/;

function runsOnlyOthers(name: string, fields: readonly Field[]): boolean {
  if (SHELL_TEXT.test(name)) return /^-c [^-+]/.test(`${fields[0]?.text} ${fields[1]?.text ?? "-"}`);
  if (name === "eval") return fields.length > 0;
  return TRANSPARENT.has(name) && wraps(name, fields);
}
