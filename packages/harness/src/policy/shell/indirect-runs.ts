/** Runs in mind what a program runs that is no shell: in its options, behind a word of its own, or by a pattern. */
import type { Auditor, Call, Scope } from "./auditor.js";
import { openPart } from "./command-parts.js";
import { gitCommands, gitOpenings } from "./git-openings.js";
import { hiddenCommands, sedPrograms } from "./hidden-commands.js";
import { runnerCommands } from "./runners.js";
import { sedFacts } from "./sed-program.js";
import { fitsPattern } from "./shell-patterns.js";
import { EMPTY, HOLE, plain, type Field } from "./values.js";

const HARMFUL_PROGRAMS = [
  "rm",
  "dd",
  "sh",
  "bash",
  "chmod",
  "chown",
  "cp",
  "mv",
  "tee",
  "find",
  "cat",
  "env",
  "sudo",
  "mkfs",
];

/** Commands in the options of programs that are no shells. */
export function runHidden(call: Call, auditor: Auditor): void {
  const { name, scope } = call;
  // What a shell on another machine is fed, it reads as commands, too.
  const stdin = name === "ssh" ? scope.stdin : EMPTY;
  for (const words of gitOpenings(call)) auditor.note(openPart(words, scope));
  for (const text of [...hiddenCommands(call), ...gitCommands(call)])
    auditor.runText(text, { ...scope, state: scope.state.fork(), stdin });
  if (/^g?sed$/.test(call.name) && sedPrograms(call).some(({ text }) => sedFacts(text).runsInput))
    auditor.report("run-unknown-input", scope);
}

/** Commands behind a word of the program: `docker exec`, `npm exec`. */
export function runBehind({ name, fields, scope }: Call, auditor: Auditor): void {
  for (const { command, isElsewhere, isGuess } of runnerCommands(name, fields)) {
    const reading = isGuess ? ("guess" as const) : scope.reading;
    const state = scope.state.fork();
    auditor.runFields(command, { ...scope, state, reading, ...(isElsewhere ? { isElsewhere } : {}) });
  }
}

/** A pattern in place of a program's name may mean one of these. */
export function runFitting(pattern: string, fields: readonly Field[], scope: Scope, auditor: Auditor): void {
  if (pattern.includes(HOLE) || pattern.length > 20) return;
  for (const name of HARMFUL_PROGRAMS.filter((program) => fitsPattern(pattern, program)))
    auditor.runFields([plain(name), ...fields], { ...scope, state: scope.state.fork(), reading: "guess" });
}
