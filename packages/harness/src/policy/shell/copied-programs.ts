/** Programs under another name: copied, linked, or put into the table of the shell. */
import { parseArguments } from "./arguments.js";
import type { Call } from "./auditor.js";
import type { ShellState } from "./state.js";
import type { Field } from "./values.js";

export const SYSTEM_PROGRAM = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

/** Remembers which program a copy or a name stands for. */
export function recordPrograms({ name, fields, scope: { state } }: Call): void {
  const { programs } = state.shared;
  if (name === "hash") {
    const { values, operands } = parseArguments(fields, ["-p"]);
    const path = values.get("-p");
    for (const { text } of path === undefined ? [] : operands) programs.set(text, path?.text ?? "");
  }
  if (!/^(cp|install|mv|ln)$/.test(name)) return;
  const { operands } = parseArguments(fields, ["-m", "-o", "-g"]);
  const destination = operands.at(-1)?.text ?? "";
  for (const { text } of operands.slice(0, -1)) {
    const source = programs.get(state.absolute(text)) ?? state.absolute(text);
    if (!SYSTEM_PROGRAM.test(source)) continue;
    const copy = state.absolute(destination, false);
    if (SYSTEM_PROGRAM.test(copy)) continue;
    programs.set(copy, source);
    programs.set(`${copy}/${text.slice(text.lastIndexOf("/") + 1)}`, source);
  }
}

/** The program that is meant; undefined when it is the one that is named. */
export function realProgram(program: Field, state: ShellState): Field | undefined {
  const { programs } = state.shared;
  if (programs.size === 0) return undefined;
  const path = program.text.includes("/") ? state.absolute(program.text, false) : program.text;
  const real = programs.get(path);
  return real === undefined || real === program.text ? undefined : { ...program, text: real };
}
