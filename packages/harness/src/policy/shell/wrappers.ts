/** Programs that run another program given in their arguments. */
import { parseArguments } from "./arguments.js";
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
  catchsegv: wrapper(0),
  chroot: wrapper(1),
  chrt: wrapper(1),
  command: wrapper(0),
  doas: wrapper(0, "-u", "-C"),
  env: wrapper(0, "-u", "--unset", "-C", "--chdir"),
  exec: wrapper(0, "-a"),
  "dbus-run-session": wrapper(0),
  faketime: wrapper(1),
  fakeroot: wrapper(0),
  cpulimit: wrapper(0, "-l", "-p", "-e"),
  flock: wrapper(1, "-w", "--timeout", "-E", "--wait"),
  firejail: wrapper(0),
  gosu: wrapper(1),
  linux32: wrapper(0),
  linux64: wrapper(0),
  ltrace: wrapper(0, "-o", "-e", "-p"),
  nsenter: wrapper(0, "-t", "--target", "-S", "-G"),
  ionice: wrapper(0, "-c", "-n", "--class", "--classdata"),
  nice: wrapper(0, "-n", "--adjustment"),
  nohup: wrapper(0),
  numactl: wrapper(0, "-N", "-m", "-C", "-i", "-p"),
  pkexec: wrapper(0, "--user"),
  prlimit: wrapper(0),
  proot: wrapper(0, "-r", "-b", "-w"),
  rlwrap: wrapper(0, "-C", "-D", "-H", "-P", "-S"),
  runcon: wrapper(1),
  runuser: wrapper(0, "-u", "-g", "-G"),
  screen: wrapper(
    0,
    "-S",
    "-dmS",
    "-t",
    "-c",
    "-r",
    "-R",
    "-x",
    "-d",
    "-D",
    "-X",
    "-e",
    "-h",
    "-p",
    "-s",
    "-T",
  ),
  setpriv: wrapper(0),
  setsid: wrapper(0),
  stdbuf: wrapper(0, "-i", "-o", "-e"),
  setarch: wrapper(1),
  strace: wrapper(0, "-o", "-e", "-p", "-s", "-E", "-u"),
  sudo: wrapper(0, "-u", "-g", "-h", "-p", "-C", "-D", "-U", "--user", "--group", "--chdir"),
  "su-exec": wrapper(1),
  "systemd-run": wrapper(0, "-p", "-u", "--unit", "-E"),
  taskset: wrapper(1),
  time: wrapper(0, "-f", "-o"),
  timeout: wrapper(1, "-s", "-k", "--signal", "--kill-after"),
  toybox: wrapper(0),
  unbuffer: wrapper(0),
  unshare: wrapper(0, "-R", "--root", "-w", "-S", "-G"),
  valgrind: wrapper(0),
  "xvfb-run": wrapper(0, "-s", "-n", "-e", "-f"),
};

/** The dynamic loader runs the program that it is given. */
const LOADER = /^ld(-linux[\w.-]*|-musl[\w.-]*|)\.so(\.\d+)?$/;
const LOADER_WRAPPER = wrapper(0, "--library-path", "--preload", "--argv0", "--audit", "--inhibit-rpath");

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

export interface Unwrapped {
  /** `NAME=value` words before the command (`env A=b cmd`, `sudo A=b cmd`). */
  readonly assignments: readonly Field[];
  readonly command: readonly Field[];
  /** Where the command runs, where an option says so. */
  readonly folder: Field | undefined;
  /** What it runs instead if an option that is not known here takes a value. */
  readonly otherwise: readonly Field[];
}

const SPLIT_OPTION = /^(-[iv0]*S|--split-string)/;
/** `command -v ls` only says where it is; `flock file -c text` takes a text. */
const RUNS_NOTHING = /^-[vV]$/;

/** `env -S` takes a whole command line as one word: that is a text to read, not a wrapped command. */
const splitsText = (name: string, fields: readonly Field[]): boolean =>
  name === "env" && fields.some(({ text }) => SPLIT_OPTION.test(text));

function wrapperOf(name: string, fields: readonly Field[]): Wrapper | undefined {
  if (LOADER.test(name)) return LOADER_WRAPPER;
  if (!Object.hasOwn(WRAPPERS, name) || splitsText(name, fields)) return undefined;
  if (name === "command" && RUNS_NOTHING.test(fields[0]?.text ?? "")) return undefined;
  return WRAPPERS[name];
}

/** Options with the folder that the command runs in. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  env: ["-C", "--chdir"],
  sudo: ["-D", "--chdir"],
  unshare: ["--wd"],
};

function folderOf(name: string, fields: readonly Field[]): Field | undefined {
  const options = Object.hasOwn(FOLDERS, name) ? FOLDERS[name] : undefined;
  const { values } = parseArguments(fields, options);
  return options?.flatMap((option) => values.get(option) ?? [])[0];
}

/** What a wrapper runs; undefined when `name` is no wrapper. `command` is empty when it runs nothing. */
export function unwrap(name: string, fields: readonly Field[]): Unwrapped | undefined {
  const found = wrapperOf(name, fields);
  if (found === undefined) return undefined;
  let at = 0;
  let isClear = true;
  while (at < fields.length && /^-./.test(fields[at]?.text ?? "")) {
    const option = fields[at]?.text ?? "";
    at += 1;
    if (option === "--") break;
    if (found.withValue.includes(option)) at += 1;
    else if (/^--[^=]+$/.test(option)) isClear = false;
  }
  at += found.operands;
  const rest = fields.slice(at);
  const first = rest.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const count = first < 0 ? rest.length : first;
  const command = rest.slice(count);
  // Options behind the operand, as in `flock file -c text`, are no program.
  const isCommand = !command[0]?.text.startsWith("-");
  return {
    assignments: rest.slice(0, count),
    command: isCommand ? command : [],
    folder: folderOf(name, fields.slice(0, at)),
    otherwise: isClear ? [] : command.slice(1),
  };
}

/** Whether it runs another program, which its arguments name. */
export const wraps = (name: string, fields: readonly Field[]): boolean =>
  (unwrap(name, fields)?.command.length ?? 0) > 0;

/** The name of a program without its folder: `/bin/rm` is `rm`. */
export const programName = (text: string): string => text.slice(text.lastIndexOf("/") + 1);
