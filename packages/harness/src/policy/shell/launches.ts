/** Commands that run other commands: shells, interpreters, `source`, `xargs`, `find -exec`, files just written. */
import type { BuiltInRuleId } from "../command-rules.js";
import { parseArguments } from "./arguments.js";
import type { Auditor, Call, Scope } from "./auditor.js";
import { deletionRules } from "./effects.js";
import { contentOf, findRoots, isInterpreter, isShell } from "./prints.js";
import { shellOptions } from "./shell-options.js";
import { programFacts } from "./program-text.js";
import { isSecret, ruleAgainstWriting } from "./targets.js";
import {
  concatenate,
  decodeEscapes,
  EMPTY,
  HOLE,
  joinedFields,
  plain,
  UNKNOWN,
  type Field,
  type Origin,
  type Text,
} from "./values.js";

/** How a family of interpreters is given a program's text. */
const CODE_OPTIONS: readonly { readonly programs: RegExp; readonly option: RegExp }[] = [
  { programs: /^python/, option: /^-[a-zA-Z]*c$/ },
  { programs: /^(perl|ruby|lua|Rscript)/, option: /^-[a-zA-Z0-9]*[eE]$/ },
  { programs: /^(node|nodejs|tsx|ts-node|bun|deno)/, option: /^(-e|-p|-pe|--eval|--print|eval)$/ },
  { programs: /^php/, option: /^-r$/ },
  { programs: /^pwsh/, option: /^-c/i },
];

/** Words in front of the file. */
const SUBCOMMANDS = /^(run|eval|exec)$/;

const STDIN = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

/** Looks into what a command starts. */
export function launch(call: Call, auditor: Auditor): Text | undefined {
  const { name, fields, scope } = call;
  if (isShell(name)) return runShell(fields, scope, auditor);
  if (name === "source" || name === ".") return source(fields, scope, auditor);
  if (isInterpreter(name)) return runInterpreter(call, auditor);
  if (/^([gm]?awk)$/.test(name)) return runAwk(fields, scope, auditor);
  if (name === "xargs") return runXargs(fields, scope, auditor);
  if (name === "parallel") return runParallel(fields, scope, auditor);
  if (name === "find") return runFind(fields, scope, auditor);
  if (name === "env") return runSplit(fields, scope, auditor);
  if (readsCommands(call)) return input({ ...scope, state: scope.state.fork() }, auditor);
  return undefined;
}

/** The rule against running a text of this origin, unless it can be read beforehand. */
export const ruleAgainstRunning = (origin: Origin): BuiltInRuleId | undefined => {
  if (origin === "downloaded") return "run-download";
  return origin === "plain" ? undefined : "run-decoded";
};

function runShell(fields: readonly Field[], scope: Scope, auditor: Auditor): Text {
  const child = { ...scope, state: scope.state.fork() };
  const { isText, readsInput, runsNothing, startup, operands } = shellOptions(fields);
  if (runsNothing) return EMPTY;
  if (startup !== undefined) runFile(startup, child, auditor);
  const [first, ...rest] = operands;
  if (first === undefined || (!isText && (readsInput || STDIN.test(first.text)))) {
    child.state.positional = readsInput ? operands : rest;
    return input(child, auditor);
  }
  if (isText) {
    child.state.zero = rest[0] ?? child.state.zero;
    child.state.positional = rest.slice(1);
    return auditor.runText(first, child);
  }
  child.state.positional = rest;
  return runFile(first, child, auditor);
}

/** A shell that reads its commands from standard input. */
const input = (scope: Scope, auditor: Auditor): Text =>
  auditor.runText(scope.stdin, { ...scope, stdin: EMPTY, fromInput: true });

/** Programs that become a shell where they are given no command. */
function readsCommands({ name, fields, scope }: Call): boolean {
  if (scope.stdin.text === "") return false;
  const words = fields.map(({ text }) => text);
  if (/^(su|runuser)$/.test(name)) return !words.some((word) => /^(-[a-z]*c|--command)/.test(word));
  if (/^(sudo|doas)$/.test(name))
    return (
      words.length > 0 &&
      words.every((word) => word.startsWith("-")) &&
      words.some((word) => /^-[a-zA-Z]*[si]$/.test(word))
    );
  return false;
}

/** A script file: read when this line wrote it or it is a process substitution, left alone otherwise. */
function runFile(file: Field, scope: Scope, auditor: Auditor): Text {
  const content = contentOf(file, scope);
  const unread = content.text === HOLE && content.origin === "plain" && file.content === undefined;
  return unread ? plain(HOLE) : auditor.runText(content, scope);
}

function source([file]: readonly Field[], scope: Scope, auditor: Auditor): Text {
  if (file === undefined) return EMPTY;
  return STDIN.test(file.text) ? input(scope, auditor) : runFile(file, scope, auditor);
}

/** A program that is called by its path: judged when this very line wrote it. */
export function runByPath(path: Field, scope: Scope, auditor: Auditor): void {
  const content = contentOf(path, scope);
  if (content.text === HOLE && content.origin === "plain") return;
  const interpreter = /^#!.*?\b(python|node|perl|ruby|php|awk)/.exec(content.text);
  if (interpreter) judgeProgram(content, interpreter[1] ?? "", scope, auditor);
  else auditor.runText(content, { ...scope, state: scope.state.fork() });
}

function runInterpreter({ name, fields, scope }: Call, auditor: Auditor): Text {
  const printed: Text = { text: HOLE, origin: "computed" };
  const option = CODE_OPTIONS.find(({ programs }) => programs.test(name))?.option;
  const at = fields.findIndex(({ text }) => option?.test(text));
  const code = at < 0 ? undefined : fields[at + 1];
  if (code !== undefined) {
    judgeProgram(code, name, scope, auditor);
    return printed;
  }
  const attached = fields.find(({ text }) => text.startsWith("--eval="));
  if (attached !== undefined)
    judgeProgram({ ...attached, text: attached.text.slice(7) }, name, scope, auditor);
  const file = fields.find(
    ({ text }, index) => (text === "-" || !text.startsWith("-")) && !(index === 0 && SUBCOMMANDS.test(text)),
  );
  if (fields.some(({ text }) => text === "-m")) return printed;
  const readsInput = file === undefined || STDIN.test(file.text);
  judgeProgram(readsInput ? scope.stdin : contentOf(file, scope), name, scope, auditor);
  return printed;
}

/** A program's text in another language. */
function judgeProgram(code: Text, interpreter: string, scope: Scope, auditor: Auditor): void {
  const unreadable = code.text.trim().startsWith(HOLE) ? ruleAgainstRunning(code.origin) : undefined;
  if (unreadable !== undefined) auditor.report(unreadable, scope);
  auditor.spend(code.text.length);
  const facts = programFacts(code.text, interpreter);
  const guess = { ...scope, reading: "guess" as const, stdin: EMPTY };
  if (facts.runsHidden) auditor.report("run-decoded", scope);
  if (facts.runsInput) judgeInput(scope, auditor);
  if (facts.opensShell) auditor.report("network-shell", scope);
  if (facts.forks) auditor.report("fork-bomb", scope);
  for (const text of facts.commands) {
    auditor.runText({ text, origin: "plain" }, { ...guess, state: scope.state.fork() });
  }
  for (const text of facts.programs) judgeProgram({ ...code, text }, interpreter, scope, auditor);
  for (const rule of deletionRules(facts.removed.map(plain), scope)) auditor.report(rule, guess);
  if (facts.reads && facts.literals.some(isSecret)) auditor.report("read-secret", scope);
  for (const rule of facts.written.flatMap(
    (path) => ruleAgainstWriting(path.replace(/^\+?[<>]+\s*/, "")) ?? [],
  ))
    auditor.report(rule, scope);
}

/** A program that runs what it reads. */
function judgeInput(scope: Scope, auditor: Auditor): void {
  const rule = ruleAgainstRunning(scope.stdin.origin);
  if (rule !== undefined && rule !== "run-decoded") auditor.report(rule, scope);
  else if (rule === "run-decoded" && scope.stdin.origin === "decoded") auditor.report(rule, scope);
  else auditor.runText(scope.stdin, { ...scope, state: scope.state.fork(), reading: "guess", stdin: EMPTY });
}

function runAwk(fields: readonly Field[], scope: Scope, auditor: Auditor): Text | undefined {
  const { operands, values } = parseArguments(fields, ["-v", "-F", "-f", "--file", "-i", "--include", "-e"]);
  const file = values.get("-f") ?? values.get("--file");
  const given = file === undefined ? (values.get("-e") ?? operands[0]) : undefined;
  const content = file && (STDIN.test(file.text) ? scope.stdin : contentOf(file, scope));
  const program: Text = given ?? content ?? EMPTY;
  const piped = operands.slice(1).flatMap(({ content }) => content ?? []);
  const input = piped.length > 0 ? concatenate(piped) : scope.stdin;
  if (/\bsystem\s*\(\s*[^"\s)]|\|&?\s*"(\/\S*\/)?(ba|da|z|k)?sh\b/.test(program.text))
    judgeInput({ ...scope, stdin: input }, auditor);
  judgeProgram({ ...program, text: awkCalls(program.text) }, "awk", scope, auditor);
  // A pipe to a string is a command that reads what awk prints.
  for (const [, piped = ""] of program.text.matchAll(/\|&?\s*"((?:[^"\\]|\\.){0,500})"/g)) {
    const text = plain(decodeEscapes(piped.replaceAll(/\\(["/])/g, "$1")));
    const state = scope.state.fork();
    auditor.runText(text, {
      ...scope,
      state,
      stdin: UNKNOWN,
      reading: "guess",
      detached: true,
      fromInput: false,
    });
  }
  return undefined;
}

/** Makes what is special to awk look as it does elsewhere: commands in pipes, and files behind `>`. */
const awkCalls = (program: string): string =>
  program
    .replaceAll(/("(?:[^"\\]|\\.){0,500}")\s*\|/g, "system($1) |")
    .replaceAll(/(\bprintf?\b[^;}\n>]{0,500})>>?\s*("(?:[^"\\]|\\.){0,500}")/g, '$1; open(">", $2)');

const XARGS_VALUES = [
  "-a",
  "-d",
  "-E",
  "-I",
  "-L",
  "-n",
  "-P",
  "-s",
  "--max-args",
  "--max-procs",
  "--arg-file",
];
function runXargs(fields: readonly Field[], scope: Scope, auditor: Auditor): Text | undefined {
  let at = 0;
  let replaced: string | undefined;
  let separator: string | undefined;
  let { stdin } = scope;
  for (; fields[at]?.text.startsWith("-") === true; at += 1) {
    const option = fields[at]?.text ?? "";
    const next = fields[at + 1]?.text;
    if (option === "-I") replaced = next;
    else if (option === "-a" || option === "--arg-file") stdin = contentOf(fields[at + 1] ?? EMPTY, scope);
    else if (/^-I./.test(option)) replaced = option.slice(2);
    else if (/^(-i|--replace)$/.test(option)) replaced = "{}";
    else if (/^(-[a-z]*0|--null)$/.test(option)) separator = "\n";
    else if (/^(-d|--delimiter)$/.test(option)) separator = decodeEscapes(next ?? "");
    else if (/^-d./.test(option)) separator = decodeEscapes(option.slice(2));
    if (XARGS_VALUES.includes(option)) at += 1;
  }
  const command = fields.slice(at);
  if (command.length === 0) return undefined;
  const { text, origin } = stdin;
  const inner = { ...scope, stdin: EMPTY };
  const run = (added: readonly Text[]) => auditor.runFields([...command, ...added], inner);
  if (replaced === undefined) {
    // What separates entries may stand inside of one, too, so the whole is tried as well.
    if (separator !== undefined) run([{ text: text.replace(/\n$/, ""), origin }]);
    return run(entriesOf(text, separator).map((entry) => ({ text: entry, origin })));
  }
  for (const line of text.split(separator || "\n").filter((line) => line !== "")) {
    auditor.runFields(
      command.map((field) => replace(field, replaced, { text: line, origin })),
      inner,
    );
  }
  return { text: HOLE, origin };
}

/** The arguments that xargs reads: quotes hold one together, unless a separator is named. */
function entriesOf(text: string, separator: string | undefined): readonly string[] {
  if (separator !== undefined) return text.split(separator || "\n").filter((entry) => entry !== "");
  return [...text.matchAll(/"([^"\n]*)"|'([^'\n]*)'|((?:\\.|[^\s"'])+)/g)].map(
    (match) => match[1] ?? match[2] ?? (match[3] ?? "").replaceAll(/\\(.)/g, "$1"),
  );
}

const PARALLEL_VALUES =
  /^(-j|-n|-N|-L|-a|-I|-S|-P|--jobs|--delay|--timeout|--joblog|--results|--colsep|--max-args)$/;

/** Each entry makes a command line of its own: behind the command, in place of `{}`, or all by itself. */
function runParallel(fields: readonly Field[], scope: Scope, auditor: Auditor): Text | undefined {
  let at = 0;
  while (fields[at]?.text.startsWith("-") === true)
    at += PARALLEL_VALUES.test(fields[at]?.text ?? "") ? 2 : 1;
  const rest = fields.slice(at);
  const mark = rest.findIndex(({ text }) => /^:::\+?$/.test(text));
  const command = mark < 0 ? rest : rest.slice(0, mark);
  const { text, origin } = scope.stdin;
  const read = text.split("\n").flatMap((line) => (line === "" ? [] : { text: line, origin }));
  const entries = mark < 0 ? read : rest.slice(mark + 1).filter((field) => !/^:::\+?$/.test(field.text));
  const inner = { ...scope, state: scope.state.fork(), stdin: EMPTY };
  for (const entry of entries) {
    const hasPlace = command.some((field) => field.text.includes("{}"));
    const line = hasPlace ? command.map((field) => replace(field, "{}", entry)) : [...command, entry];
    auditor.runText(joinedFields(line), inner);
  }
  return { text: HOLE, origin };
}

const replace = (field: Field, mark: string, value: Text): Field =>
  field.text.includes(mark)
    ? { text: field.text.replaceAll(mark, () => value.text), origin: value.origin }
    : field;

function runFind(fields: readonly Field[], scope: Scope, auditor: Auditor): Text | undefined {
  const { roots, all } = findRoots(fields);
  const at = fields.findIndex(({ text }) => /^-(exec|execdir|ok|okdir)$/.test(text));
  if (at < 0) return undefined;
  const rest = fields.slice(at + 1);
  const end = rest.findIndex(({ text }) => text === ";" || text === "+");
  const command = rest.slice(0, end < 0 ? rest.length : end);
  for (const root of roots) {
    const value = { ...root, text: all ? root.text : `${root.text}/${HOLE}` };
    auditor.runFields(
      command.map((field) => replace(field, "{}", value)),
      scope,
    );
  }
  if (end >= 0) runFind([...roots, ...rest.slice(end + 1)], scope, auditor);
  return undefined;
}

/** `env -S "command line"`. */
function runSplit(fields: readonly Field[], scope: Scope, auditor: Auditor): Text | undefined {
  const at = fields.findIndex(({ text }) => /^(-[iv0]*S|--split-string)/.test(text));
  const option = fields[at];
  if (option === undefined) return undefined;
  const attached = { ...option, text: option.text.replace(/^(-[iv0]*S|--split-string)=?/, "") };
  return auditor.runText(joinedFields([attached, ...fields.slice(at + 1)]), scope);
}
