/** Command-line options, as far as the audit must tell them from operands. */
import type { Field } from "./values.js";

export interface Arguments {
  /** Every option as it stands, up to `--`. */
  readonly options: readonly string[];
  readonly operands: readonly Field[];
  /** Values of options that take one, by option. */
  readonly values: ReadonlyMap<string, Field>;
}

/**
 * Splits as GNU programs do: options may come after operands, `--` ends them.
 *
 * @param withValue options that take the next word as their value (`-o`, `--output`); a value that is attached
 * (`-ofile`, `--output=file`) is found too
 */
export function parseArguments(fields: readonly Field[], withValue: readonly string[] = []): Arguments {
  const options: string[] = [];
  const operands: Field[] = [];
  const values = new Map<string, Field>();
  const short = withValue.filter((option) => !option.startsWith("--")).map((option) => option.slice(1));
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at];
    if (field === undefined) break;
    if (field.text === "--") {
      operands.push(...fields.slice(at + 1));
      break;
    }
    if (!/^-./.test(field.text)) {
      operands.push(field);
      continue;
    }
    options.push(field.text);
    const taken = valueOf(field, fields[at + 1], { withValue, short });
    if (taken !== undefined) values.set(taken.option, taken.value);
    if (taken?.next === true) at += 1;
  }
  return { options, operands, values };
}

interface Taken {
  readonly option: string;
  readonly value: Field;
  readonly next: boolean;
}

function valueOf(
  field: Field,
  following: Field | undefined,
  { withValue, short }: { withValue: readonly string[]; short: readonly string[] },
): Taken | undefined {
  const [, long, attached] = /^(--[^=]+)=([^]*)$/.exec(field.text) ?? [];
  if (long !== undefined && attached !== undefined) {
    return { option: long, value: { ...field, text: attached }, next: false };
  }
  if (withValue.includes(field.text)) {
    return following && { option: field.text, value: following, next: true };
  }
  if (field.text.startsWith("--")) return undefined;
  const letters = field.text.slice(1);
  const at = [...letters].findIndex((letter) => short.includes(letter));
  if (at < 0) return undefined;
  const rest = letters.slice(at + 1);
  const option = `-${letters[at]}`;
  if (rest !== "") return { option, value: { ...field, text: rest }, next: false };
  return following && { option, value: following, next: true };
}

/** Whether a short option stands somewhere, alone or in a cluster like `-rf`. */
export const hasShort = ({ options }: Arguments, letters: string): boolean =>
  options.some(
    (option) => /^-[^-]/.test(option) && [...letters].some((letter) => option.slice(1).includes(letter)),
  );

/** Whether a long option stands somewhere, in full or shortened as GNU allows. */
export const hasLong = ({ options }: Arguments, name: string): boolean =>
  options.some((option) => option.length > 3 && name.startsWith(option.split("=")[0] ?? option));
