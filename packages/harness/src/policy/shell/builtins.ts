/** Builtins that change what the shell has in mind. */
import { parseArguments } from "./arguments.js";
import type { Auditor, Call, Scope } from "./auditor.js";
import { HOME } from "./state.js";
import { absolute, HOLE, plain, UNKNOWN, type Field, type Text } from "./values.js";

type Builtin = (call: Call, auditor: Auditor) => void;

const LOADERS = /^(LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|BASH_ENV|PROMPT_COMMAND)$/;

/** Judges an assignment and remembers it. */
export function assign(
  name: string,
  value: Text,
  scope: Scope,
  { auditor, append = false }: AssignOptions,
): void {
  if (LOADERS.test(name)) auditor.report("loader-variable", scope);
  if (name === "PATH") auditor.report("path-variable", scope);
  scope.state.assign(name, value, append);
}

interface AssignOptions {
  readonly auditor: Auditor;
  readonly append?: boolean;
}

/** `NAME=value` and `NAME+=value`; other words are left alone. */
export function assignFields(fields: readonly Field[], scope: Scope, auditor: Auditor): void {
  for (const field of fields) {
    const [, name, plus, value] = /^([A-Za-z_]\w*)(\+?)=([^]*)$/.exec(field.text) ?? [];
    if (name === undefined || value === undefined) continue;
    assign(name, { ...field, text: value }, scope, { auditor, append: plus === "+" });
  }
}

const changeFolder: Builtin = ({ fields, scope }) => {
  const target = parseArguments(fields).operands[0]?.text ?? HOME;
  const path = target === "-" ? HOLE : absolute(target, scope.state.folder);
  scope.state.folder = path.includes(HOLE) ? undefined : path;
};

const declare: Builtin = ({ fields, scope }, auditor) => assignFields(fields, scope, auditor);

const set: Builtin = ({ fields, scope }) => {
  const end = fields.findIndex(({ text }) => text === "--");
  const optionsOnly = /^[-+]/.test(fields[0]?.text ?? "-");
  if (end >= 0) scope.state.positional = fields.slice(end + 1);
  else if (!optionsOnly) scope.state.positional = fields;
};

const shift: Builtin = ({ fields, scope }) => {
  scope.state.positional = scope.state.positional.slice(Number(fields[0]?.text ?? 1) || 1);
};

/** Every line of the input is a value that the variables may have. */
const read: Builtin = ({ fields, scope }) => {
  const { operands } = parseArguments(fields, ["-d", "-n", "-N", "-p", "-t", "-u", "-i", "-a"]);
  const names = operands.length === 0 ? ["REPLY"] : operands.map(({ text }) => text);
  const { text, origin } = scope.stdin;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  names.forEach((name, index) => {
    const last = index === names.length - 1;
    const values = lines.map((line) => {
      const words = line.trim().split(/\s+/);
      return { text: (last ? words.slice(index).join(" ") : words[index]) ?? "", origin };
    });
    scope.state.assignAll(name, values.length === 0 ? [UNKNOWN] : values);
  });
};

const unset: Builtin = ({ fields, scope }) => {
  for (const { text } of parseArguments(fields).operands) scope.state.unset(text);
};

/** The command runs when the shell ends or gets a signal. */
const trap: Builtin = ({ fields, scope }, auditor) => {
  const action = parseArguments(fields).operands[0];
  if (action !== undefined && action.text !== "-") auditor.runText(action, scope);
};

const evaluate: Builtin = ({ fields, scope }, auditor) => {
  auditor.runText(joined(fields), scope);
};

/** What `eval` reads: its words with blanks between them. */
const joined = (fields: readonly Field[]): Text => {
  const bad = fields.find(({ origin }) => origin !== "plain");
  return { text: fields.map(({ text }) => text).join(" "), origin: bad?.origin ?? "plain" };
};

const BUILTINS: Readonly<Record<string, Builtin>> = {
  cd: changeFolder,
  declare,
  eval: evaluate,
  export: declare,
  local: declare,
  popd: ({ scope }) => {
    scope.state.folder = undefined;
  },
  pushd: changeFolder,
  read,
  readonly: declare,
  set,
  shift,
  trap,
  typeset: declare,
  unset,
};

/** Does what a builtin does to the state; false when `name` is none of these. */
export function runBuiltin(call: Call, auditor: Auditor): boolean {
  if (call.name === "printf" && call.fields[0]?.text === "-v") {
    const [, name, ...rest] = call.fields;
    const value = rest.some(({ text }) => text.includes("%"))
      ? UNKNOWN
      : plain(rest.map(({ text }) => text).join(""));
    if (name !== undefined) assign(name.text, value, call.scope, { auditor });
    return true;
  }
  const builtin = Object.hasOwn(BUILTINS, call.name) ? BUILTINS[call.name] : undefined;
  builtin?.(call, auditor);
  return builtin !== undefined;
}
