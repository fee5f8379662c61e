/** Programs that run another program given in their arguments. */
import type { Field } from "./values.js";

interface Wrapper {
  /** Options that take the next word. */
  readonly withValue: readonly string[];
  /** Operands before the command itself. */
  readonly operands: number;
}

const wrapper = (operands: number, ...withValue: readonly string[]): Wrapper => ({ operands, withValue });

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: wrapper(0),
  busybox: wrapper(0),
  chronic: wrapper(0),
  chroot: wrapper(1),
  command: wrapper(0),
  doas: wrapper(0, "-u", "-C"),
  env: wrapper(0, "-u", "--unset", "-C", "--chdir"),
  exec: wrapper(0, "-a"),
  fakeroot: wrapper(0),
  flock: wrapper(1, "-w", "--timeout", "-E"),
  ionice: wrapper(0, "-c", "-n", "--class", "--classdata"),
  nice: wrapper(0, "-n", "--adjustment"),
  nohup: wrapper(0),
  pkexec: wrapper(0, "--user"),
  prlimit: wrapper(0),
  setpriv: wrapper(0),
  setsid: wrapper(0),
  stdbuf: wrapper(0, "-i", "-o", "-e"),
  strace: wrapper(0, "-o", "-e", "-p"),
  sudo: wrapper(0, "-u", "-g", "-h", "-p", "-C", "-D", "-U", "--user", "--group"),
  taskset: wrapper(1),
  time: wrapper(0, "-f", "-o"),
  timeout: wrapper(1, "-s", "-k", "--signal", "--kill-after"),
  toybox: wrapper(0),
  unbuffer: wrapper(0),
  unshare: wrapper(0),
};

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

export interface Unwrapped {
  /** `NAME=value` words before the command (`env A=b cmd`, `sudo A=b cmd`). */
  readonly assignments: readonly Field[];
  readonly command: readonly Field[];
}

const SPLIT_OPTION = /^(-[iv0]*S|--split-string)/;

/** `env -S` takes a whole command line as one word: that is a text to read, not a wrapped command. */
export const splitsText = (name: string, fields: readonly Field[]): boolean =>
  name === "env" && fields.some(({ text }) => SPLIT_OPTION.test(text));

/** What a wrapper runs; undefined when `name` is no wrapper. `command` is empty when it runs nothing. */
export function unwrap(name: string, fields: readonly Field[]): Unwrapped | undefined {
  const found = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (found === undefined || splitsText(name, fields)) return undefined;
  let at = 0;
  while (at < fields.length && /^-./.test(fields[at]?.text ?? "")) {
    const option = fields[at]?.text ?? "";
    at += 1;
    if (option === "--") break;
    if (found.withValue.includes(option)) at += 1;
  }
  at += found.operands;
  const rest = fields.slice(at);
  const first = rest.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const count = first < 0 ? rest.length : first;
  return { assignments: rest.slice(0, count), command: rest.slice(count) };
}

/** The name of a program without its folder: `/bin/rm` is `rm`. */
export const programName = (text: string): string => text.slice(text.lastIndexOf("/") + 1);
