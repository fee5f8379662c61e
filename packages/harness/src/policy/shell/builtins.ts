/** Builtins that change what the shell has in mind. */
import { parseArguments } from "./arguments.js";
import type { Auditor, Call, Scope } from "./auditor.js";
import { openPart } from "./command-parts.js";
import { OPEN_VARIABLES, TRACES } from "./git-openings.js";
import { printed } from "./prints.js";
import { HOME } from "./state.js";
import { ruleAgainstWriting } from "./targets.js";
import {
  concatenate,
  EMPTY,
  HOLE,
  joinedFields,
  plain,
  quotedFields,
  UNKNOWN,
  type Field,
  type Text,
} from "./values.js";

type Builtin = (call: Call, auditor: Auditor) => void;

const LOADERS =
  /^(LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|BASH_ENV|PROMPT_COMMAND|GCONV_PATH|PERL5DB|BASH_FUNC_.*)$/;
/** Variables with options for an interpreter, of which some load code. */
const LOADING_OPTIONS: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS: /(^|\s)(-r|--require|--import|--loader|--experimental-loader)\b/,
  PERL5OPT: /-[Mm]/,
  RUBYOPT: /-r/,
  JAVA_TOOL_OPTIONS: /-(javaagent|agentpath|agentlib)/,
  _JAVA_OPTIONS: /-(javaagent|agentpath|agentlib)/,
};
/** Variables that say which program a name means. */
const TABLES = /^(PATH|BASH_CMDS|BASH_ALIASES)$/;
/** Variables that programs take a command from. */
const COMMANDS =
  /^((GIT_|MAN|SYSTEMD_)?PAGER|LESSOPEN|LESSCLOSE|(GIT_|SUDO_)?EDITOR|VISUAL|BROWSER|GIT_(SEQUENCE_EDITOR|SSH|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|SSH_ASKPASS|SUDO_ASKPASS|RSYNC_RSH|CVS_RSH|PS4|FCEDIT)$/;

/** Judges what a variable is set to, however that is done. */
export function judgeVariable(name: string, value: Text, scope: Scope, auditor: Auditor): void {
  const loading = Object.hasOwn(LOADING_OPTIONS, name) ? LOADING_OPTIONS[name] : undefined;
  if (LOADERS.test(name) || loading?.test(value.text)) auditor.report("loader-variable", scope);
  if (OPEN_VARIABLES.test(name)) auditor.note(openPart(`${name}=${value.text}`, scope));
  const traced = TRACES.test(name) ? ruleAgainstWriting(scope.state.absolute(value.text)) : undefined;
  if (traced !== undefined) auditor.report(traced, scope);
  if (TABLES.test(name)) {
    auditor.report("path-variable", scope);
    scope.state.isPathChanged = true;
  }
  if (!COMMANDS.test(name)) return;
  // A prompt is a text with commands in it, the others are commands.
  const text = name === "PS4" ? `: "${value.text}"` : value.text.replace(/^[|-]+/, "");
  const reading = scope.reading === "guess" ? "guess" : "again";
  auditor.runText({ ...value, text }, { ...scope, state: scope.state.fork(), reading });
}

/** Judges an assignment and remembers it. */
export function assign(
  name: string,
  value: Text,
  scope: Scope,
  { auditor, append = false }: AssignOptions,
): void {
  judgeVariable(name, value, scope, auditor);
  auditor.spend(1 + scope.state.countOf(name));
  scope.state.assign(name, value, append);
}

/** The same for an array. */
export function assignArray(
  name: string,
  elements: readonly Field[],
  scope: Scope,
  { auditor, append = false }: AssignOptions,
): void {
  judgeVariable(name, elements[0] ?? EMPTY, scope, auditor);
  const before = append ? scope.state.countOf(name) : 0;
  auditor.spend(elements.reduce((sum, { text }) => sum + text.length + 1, before));
  const plainElements = elements.map((element) => ({
    ...element,
    text: element.text.replace(/^\[[^\]]*\]=/, ""),
  }));
  elements.forEach(({ text }, index) => {
    const [, key] = /^\[([^\]]*)\]=/.exec(text) ?? [];
    const value = plainElements[index];
    if (key !== undefined && value !== undefined) scope.state.assign(`${name}[${key}]`, value);
  });
  scope.state.assignArray(name, plainElements, append);
}

/** The same for a variable that takes one value after the other. */
export function assignAll(name: string, values: readonly Text[], scope: Scope, auditor: Auditor): void {
  for (const value of values.length > 0 && isJudged(name) ? values : [])
    judgeVariable(name, value, scope, auditor);
  scope.state.assignAll(name, values);
}

const isJudged = (name: string): boolean =>
  TABLES.test(name) ||
  OPEN_VARIABLES.test(name) ||
  TRACES.test(name) ||
  LOADERS.test(name) ||
  COMMANDS.test(name) ||
  Object.hasOwn(LOADING_OPTIONS, name);

interface AssignOptions {
  readonly auditor: Auditor;
  readonly append?: boolean;
}

/** `NAME=value` and `NAME+=value`; other words are left alone. */
export function assignFields(fields: readonly Field[], scope: Scope, auditor: Auditor): void {
  for (const field of fields) {
    const [, name, plus, value] = /^([A-Za-z_]\w*)(\+?)=([^]*)$/.exec(field.text) ?? [];
    if (name === undefined || value === undefined) continue;
    if (field.elements !== undefined) {
      assignArray(name, field.elements, scope, { auditor, append: plus === "+" });
      continue;
    }
    assign(name, { ...field, text: value }, scope, { auditor, append: plus === "+" });
  }
}

const changeFolder: Builtin = ({ fields, scope }) => {
  const target = parseArguments(fields).operands[0]?.text ?? HOME;
  const isElsewhere = target === "-" || (scope.state.lookup("CDPATH") !== undefined && !/^[./]/.test(target));
  const path = isElsewhere ? HOLE : scope.state.absolute(target);
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

/** A line, divided as `IFS` says. */
function wordsOf(line: string, { state }: Scope): readonly string[] {
  const separators = state.lookup("IFS")?.text.replaceAll(HOLE, "") ?? " \t\n";
  if (/^\s+$/.test(separators)) return line.split(/\s+/);
  const words = [""];
  for (const character of line) {
    if (separators.includes(character)) words.push("");
    else words[words.length - 1] += character;
  }
  return words;
}

/** Every line of the input is a value that the variables may have. */
const read: Builtin = ({ fields, scope }, auditor) => {
  const { operands, values: options } = parseArguments(fields, [
    "-d",
    "-n",
    "-N",
    "-p",
    "-t",
    "-u",
    "-i",
    "-a",
  ]);
  const array = options.get("-a")?.text;
  if (array !== undefined) {
    const words = wordsOf(scope.stdin.text, scope).filter((word) => word !== "");
    const elements = words.map((text) => ({ text, origin: scope.stdin.origin }));
    assignArray(array, elements, scope, { auditor });
    return;
  }
  const names = operands.length === 0 ? ["REPLY"] : operands.map(({ text }) => text);
  const { text, origin } = scope.stdin;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  names.forEach((name, index) => {
    const last = index === names.length - 1;
    const values = lines.map((line) => {
      const words = wordsOf(line.trim(), scope);
      return { text: (last ? words.slice(index).join(" ") : words[index]) ?? "", origin };
    });
    assignAll(name, values.length === 0 ? [UNKNOWN] : values, scope, auditor);
  });
};

/** Every line is an element. */
const mapfile: Builtin = ({ fields, scope }, auditor) => {
  const { operands, values } = parseArguments(fields, ["-d", "-n", "-O", "-s", "-u", "-C", "-c"]);
  const callback = values.get("-C");
  const { text, origin } = scope.stdin;
  const lines = text.split("\n").filter((line) => line !== "");
  const elements = lines.map((line) => ({ text: line, origin }));
  if (callback !== undefined)
    auditor.runText(concatenate([callback, plain(" 0 "), quotedFields(elements)]), scope);
  assignArray(operands[0]?.text ?? "MAPFILE", elements, scope, { auditor });
};

/** A name for a command: whether and when it is called cannot be known. */
const alias: Builtin = ({ fields, scope }, auditor) => {
  for (const field of fields) {
    const [, text] = /^[^=]+=([^]*)$/.exec(field.text) ?? [];
    if (text !== undefined) auditor.runText({ ...field, text }, { ...scope, state: scope.state.fork() });
  }
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
  auditor.runText(joinedFields(fields), scope);
};

const BUILTINS: Readonly<Record<string, Builtin>> = {
  alias,
  cd: changeFolder,
  declare,
  eval: evaluate,
  export: declare,
  local: declare,
  mapfile,
  popd: ({ scope }) => {
    scope.state.folder = undefined;
  },
  pushd: changeFolder,
  read,
  readarray: mapfile,
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
    const { text, origin } = printed("printf", rest, call.scope);
    const value = { text, origin };
    if (name !== undefined) assign(name.text, value, call.scope, { auditor });
    return true;
  }
  const builtin = Object.hasOwn(BUILTINS, call.name) ? BUILTINS[call.name] : undefined;
  builtin?.(call, auditor);
  return builtin !== undefined;
}
