/** What a shell is told by its options. */
import type { Field } from "./values.js";

export interface ShellOptions {
  /** `-c`: the first operand is the text of a program. */
  readonly isText: boolean;
  /** `-s`: the program comes through standard input, and operands are its arguments. */
  readonly readsInput: boolean;
  /** `-n`: the program is read and not run. An interactive shell does not heed it. */
  readonly runsNothing: boolean;
  /** A file that an interactive shell reads first. */
  readonly startup: Field | undefined;
  readonly operands: readonly Field[];
}

/** Letters may stand together, and each `o` among them takes a word of its own: `-euo pipefail -c`. Pure. */
export function shellOptions(fields: readonly Field[]): ShellOptions {
  let letters = "";
  let startup: Field | undefined;
  let at = 0;
  while (/^[-+]./.test(fields[at]?.text ?? "")) {
    const option = fields[at]?.text ?? "";
    at += 1;
    if (option === "--") break;
    if (/^--(rcfile|init-file)$/.test(option)) {
      startup = fields[at];
      at += 1;
    } else if (!option.startsWith("--")) {
      at += option.replaceAll(/[^oO]/g, "").length;
      if (option.startsWith("-")) letters += option;
    }
  }
  return {
    isText: letters.includes("c"),
    readsInput: letters.includes("s"),
    runsNothing: letters.includes("n") && !letters.includes("i"),
    startup,
    operands: fields.slice(at),
  };
}
