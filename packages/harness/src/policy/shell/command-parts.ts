/** The simple commands of a command line, as the rules of a person are held against them. */
import type { CommandPart, Scope } from "./auditor.js";
import { isPattern } from "./shell-patterns.js";
import { HOLE, type Field } from "./values.js";
import { programName, wraps } from "./wrappers.js";

const SYSTEM_FOLDER = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

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
    bySystemName: SYSTEM_FOLDER.test(program.text) ? byName : words,
    isKnown:
      !program.text.includes(HOLE) &&
      !isPattern(program.text) &&
      program.origin === "plain" &&
      !scope.state.isPathChanged,
    isRequired: !isOwn && scope.reading !== "guess" && !runsOnlyOthers(name, rest),
    span: scope.span,
  };
}

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
  if (SHELL_TEXT.test(name)) return fields[0]?.text === "-c" && fields[1] !== undefined;
  if (name === "eval") return fields.length > 0;
  return TRANSPARENT.has(name) && wraps(name, fields);
}
