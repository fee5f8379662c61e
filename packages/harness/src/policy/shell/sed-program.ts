/** Programs for `sed`, as far as they run commands and touch files. */

export interface SedFacts {
  /** What `e` runs. */
  readonly commands: readonly string[];
  /** Files that `w` writes. */
  readonly written: readonly string[];
  /** Files that `r` reads. */
  readonly read: readonly string[];
  /** Whether the text that sed works on is run: `e` alone, or the flag of `s`. */
  readonly runsInput: boolean;
}

/** A longer list in brackets is none. */
const BRACKET_CHARACTERS = 100;

/** Where a part that ends at `delimiter` ends; behind the program when it does not. */
function endOf(program: string, from: number, delimiter: string): number {
  let opened: number | undefined;
  for (let at = from; at < program.length; at += 1) {
    const character = program[at];
    if (character === "\\") at += 1;
    else if (character === "[") opened ??= at;
    else if (character === "]" || character === "\n") opened = undefined;
    else if (character === delimiter && opened === undefined) return at;
    if (opened !== undefined && at - opened > BRACKET_CHARACTERS) break;
  }
  // An open bracket is an ordinary character in a replacement, so the end is looked for once more without them.
  for (let at = from; at < program.length; at += 1) {
    if (program[at] === "\\") at += 1;
    else if (program[at] === delimiter) return at;
  }
  return program.length;
}

const ADDRESS = /[\s\d$,!~+;{}]/;

/** Skips addresses, blanks and brackets before a command. */
function commandAt(program: string, from: number): number {
  let at = from;
  while (at < program.length) {
    const character = program[at] ?? "";
    if (character === "/") at = endOf(program, at + 1, "/") + 1;
    else if (character === "\\") at = endOf(program, at + 2, program[at + 1] ?? "") + 1;
    else if (ADDRESS.test(character)) at += 1;
    else if (/[IM]/.test(character)) at += 1;
    else break;
  }
  return at;
}

/** Reads a program; what is no valid one gives what was found up to there. */
export function sedFacts(program: string): SedFacts {
  const commands: string[] = [];
  const written: string[] = [];
  const read: string[] = [];
  let runsInput = false;
  let at = commandAt(program, 0);
  while (at < program.length) {
    const letter = program[at] ?? "";
    const line = program.indexOf("\n", at);
    const end = line < 0 ? program.length : line;
    const rest = program.slice(at + 1, end).trim();
    if (letter === "s" || letter === "y") {
      const delimiter = program[at + 1] ?? "";
      const last = endOf(program, endOf(program, at + 2, delimiter) + 1, delimiter);
      const [, flags = ""] = /^([a-zA-Z0-9]*)/.exec(program.slice(last + 1)) ?? [];
      if (letter === "s" && flags.includes("e")) runsInput = true;
      if (flags.endsWith("w"))
        written.push(program.slice(last + 1 + flags.length, endOfLine(program, last)).trim());
      at = flags.endsWith("w") ? endOfLine(program, last) : last + 1 + flags.length;
    } else if (letter === "e") {
      if (rest === "" || rest === "}") runsInput = true;
      else commands.push(rest.replace(/^\\/, ""));
      at = end;
    } else if (/[wWrR]/.test(letter)) {
      (/[wW]/.test(letter) ? written : read).push(rest);
      at = end;
    } else if (/[aic:#]/.test(letter)) {
      at = end;
    } else {
      at += 1;
      // Labels and numbers behind a command.
      while (at < end && !/[;}]/.test(program[at] ?? "")) at += 1;
    }
    at = commandAt(program, at);
  }
  return { commands, written, read, runsInput };
}

const endOfLine = (program: string, from: number): number => {
  const end = program.indexOf("\n", from);
  return end < 0 ? program.length : end;
};
