/** Runs a command line in mind, and reports what must not be run for real. */
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type CompoundList,
  type Function as FunctionNode,
  type Redirection,
  type Script,
  type Statement,
  type SyntaxNode,
} from "unbash";
import type { CommandRuleId } from "../command-rules.js";
import type { Auditor, Scope, Span } from "./auditor.js";
import { assign, assignFields, runBuiltin } from "./builtins.js";
import { effectsOf } from "./effects.js";
import { recordFiles } from "./recorded-files.js";
import { launch, ruleAgainstRunning, runByPath } from "./launches.js";
import { isEndlessSpawner, isForkBomb, startsItself } from "./loops.js";
import { contentOf, isInterpreter, isShell, printed } from "./prints.js";
import { ShellState } from "./state.js";
import { isNetworkPath, isSecret, ruleAgainstWriting } from "./targets.js";
import { absolute, concatenate, EMPTY, HOLE, plain, UNKNOWN, type Field, type Text } from "./values.js";
import { expandParts, expandText, expandWord } from "./words.js";
import { programName, unwrap } from "./wrappers.js";

/** Texts within texts (`sh -c "sh -c …"`) and calls within calls. */
const DEPTH = 16;
/** Syntax within syntax: brackets, substitutions, compound commands. */
const NESTING = 100;
/** Commands that are looked at, repetitions in loops included. */
const STEPS = 4000;
const WORLDS = 8;

/** What can stand where a statement's command stands. */
type Runnable = Statement["command"] | CompoundList;

/** Called with every rule that a command breaks and the place where it does. */
export type Report = (rule: CommandRuleId, scope: Scope) => void;

export class CommandEvaluator implements Auditor {
  readonly #report: Report;
  /** Functions that are being run: a recursive call is not followed. */
  readonly #active = new Set<FunctionNode>();
  #depth = 0;
  #nesting = 0;
  #steps = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  report(rule: CommandRuleId, scope: Scope): void {
    this.#report(rule, scope);
  }

  /** A whole command line, in a fresh shell. */
  runCommandLine(command: string): void {
    const span: Span = { start: 0, end: command.length };
    const scope: Scope = {
      state: new ShellState(),
      span,
      detached: false,
      stdin: EMPTY,
      holeOrigin: "plain",
      fromInput: false,
      guess: false,
    };
    this.#runParsed(command, scope);
  }

  runScript(script: Script, scope: Scope): Text {
    const only = script.commands[0]?.command;
    if (script.commands.length === 1 && only?.type === "Command" && only.name === undefined) {
      const [redirect] = only.redirects;
      if (redirect?.type === "Redirect" && redirect.operator === "<")
        return this.#redirected(only.redirects, scope).stdin;
    }
    return this.#statements(script.commands, scope);
  }

  runText(text: Text, scope: Scope): Text {
    if (text.text.trim() === "") return EMPTY;
    return this.#deeper(scope, () => {
      const inner = {
        ...scope,
        detached: true,
        holeOrigin: text.origin,
        stdin: scope.fromInput ? EMPTY : scope.stdin,
      };
      return this.#runParsed(text.text, inner);
    });
  }

  runFields(fields: readonly Field[], scope: Scope): Text {
    const [program, ...rest] = fields;
    if (program === undefined || program.text === "") return EMPTY;
    return this.#deeper(scope, () => this.#runProgram(program, rest, scope));
  }

  #runParsed(source: string, scope: Scope): Text {
    const script = parse(source);
    if (script.errors !== undefined && script.errors.length > 0) this.report("syntax-unclear", scope);
    return this.#statements(script.commands, scope);
  }

  /** Keeps the analysis finite; what lies deeper is not judged but blocked. */
  #deeper(scope: Scope, work: () => Text): Text {
    this.#steps += 1;
    if (this.#depth >= DEPTH || this.#steps > STEPS) {
      this.report("command-too-deep", scope);
      return UNKNOWN;
    }
    this.#depth += 1;
    try {
      return work();
    } finally {
      this.#depth -= 1;
    }
  }

  #statements(statements: readonly Statement[], scope: Scope): Text {
    return concatenate(statements.map((statement) => this.#statement(statement, scope)));
  }

  #statement(statement: Statement, scope: Scope): Text {
    const here = at(statement, scope);
    if (startsItself(statement)) this.report("fork-bomb", here);
    return this.#run(statement.command, scope);
  }

  #run(node: Runnable, scope: Scope): Text {
    if (this.#nesting >= NESTING || this.#steps > STEPS) {
      this.report("command-too-deep", scope);
      return UNKNOWN;
    }
    this.#nesting += 1;
    try {
      return this.#node(node, scope);
    } finally {
      this.#nesting -= 1;
    }
  }

  #node(node: Runnable, scope: Scope): Text {
    switch (node.type) {
      case "Command":
        return this.#command(node, at(node, scope));
      case "Pipeline":
        return node.commands.reduce<Text>(
          (stdin, command, index) =>
            this.#run(command, {
              ...scope,
              state: scope.state.fork(),
              stdin: index === 0 ? scope.stdin : stdin,
            }),
          EMPTY,
        );
      case "AndOr":
        return concatenate(
          node.commands.map((command, index) =>
            node.operators[index - 1] === "||"
              ? this.#maybe(scope, () => this.#run(command, scope))
              : this.#run(command, scope),
          ),
        );
      case "CompoundList":
        return this.#statements(node.commands, scope);
      case "BraceGroup":
        return this.#run(node.body, scope);
      case "Subshell":
        return this.#run(node.body, { ...scope, state: scope.state.fork() });
      case "Redirected": {
        const redirected = this.#redirected(node.redirects, at(node, scope));
        return this.#written(
          redirected,
          this.#run(node.command, { ...scope, stdin: redirected.stdin }),
          scope,
        );
      }
      default:
        return this.#compound(node, scope);
    }
  }

  #compound(node: Exclude<Runnable, { type: HandledAbove }>, scope: Scope): Text {
    switch (node.type) {
      case "If": {
        const branches = [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then]), node.else];
        return concatenate([
          this.#run(node.clause, scope),
          ...branches.map((branch) => (branch ? this.#maybe(scope, () => this.#run(branch, scope)) : EMPTY)),
        ]);
      }
      case "For":
      case "Select":
        scope.state.assignAll(
          node.name.value,
          node.wordlist?.flatMap((word) => expandWord(word, this, scope)) ?? scope.state.positional,
        );
        return this.#maybe(scope, () => this.#run(node.body, scope));
      case "While":
      case "ArithmeticFor":
        if (isEndlessSpawner(node)) this.report("fork-bomb", at(node, scope));
        if (node.type === "While") this.#run(node.clause, scope);
        else this.runInside(node, scope);
        return this.#maybe(scope, () => this.#run(node.body, scope));
      case "Case":
        expandText(node.word, this, scope);
        for (const word of node.items.flatMap(({ pattern }) => pattern)) expandText(word, this, scope);
        return concatenate(node.items.map(({ body }) => this.#maybe(scope, () => this.#run(body, scope))));
      case "Function":
        if (isForkBomb(node)) this.report("fork-bomb", at(node, scope));
        scope.state.functions.set(node.name.value, node);
        return EMPTY;
      case "Coproc":
        return this.#run(node.body, { ...scope, state: scope.state.fork() });
      case "TestCommand":
      case "ArithmeticCommand":
        this.runInside(node, scope);
        return EMPTY;
    }
  }

  /** For what may run or not: its assignments add to what variables may hold. */
  #maybe(scope: Scope, work: () => Text): Text {
    scope.state.conditional += 1;
    try {
      return work();
    } finally {
      scope.state.conditional -= 1;
    }
  }

  runInside(node: SyntaxNode, scope: Scope): void {
    forEachChild(node, (child) => {
      if (child.type === "Word") expandText(child, this, scope);
      else if (child.type === "Script") this.runScript(child, { ...scope, state: scope.state.fork() });
      else if (child.type !== "CompoundList") this.runInside(child, scope);
    });
  }

  /** A simple command, once in every world that its variables make. */
  #command(node: Command, scope: Scope): Text {
    const { state } = scope;
    const worlds = state.worlds > 1 ? Math.min(state.worlds, WORLDS) : 1;
    const before = state.world;
    let output: Text = EMPTY;
    for (let world = 0; world < worlds; world += 1) {
      state.world = worlds === 1 ? before : world;
      output = this.#commandOnce(node, scope);
    }
    state.world = before;
    return output;
  }

  #commandOnce(node: Command, scope: Scope): Text {
    const assignments = node.prefix.filter((item) => item.type === "Assignment");
    const own =
      node.name === undefined
        ? scope
        : { ...scope, state: assignments.length > 0 ? scope.state.fork() : scope.state };
    for (const assignment of assignments) this.#assign(assignment, own);
    const redirected = this.#redirected(node.redirects, own);
    if (node.name === undefined) return this.#written(redirected, EMPTY, own);
    const name = expandWord(node.name, this, own);
    const rest = node.args.flatMap((arg) =>
      arg.type === "Assignment" ? [this.#assignmentField(arg, own)] : expandWord(arg, this, own),
    );
    const output = this.runFields([...name, ...rest], { ...own, stdin: redirected.stdin });
    return this.#written(redirected, output, own);
  }

  #assign(node: Assignment, scope: Scope): void {
    if (node.index !== undefined) expandText(node.index, this, scope);
    assign(node.name, this.#valueOf(node, scope), scope, { auditor: this, append: node.append === true });
  }

  #assignmentField(node: Assignment, scope: Scope): Field {
    const value = this.#valueOf(node, scope);
    return { ...value, text: `${node.name}${node.append === true ? "+" : ""}=${value.text}` };
  }

  #valueOf({ value }: Assignment, scope: Scope): Text {
    if (value.type === "Word") return expandText(value, this, scope);
    const elements = value.elements.flatMap((word) => expandWord(word, this, scope));
    return concatenate(
      elements.flatMap((element, index) => (index === 0 ? [element] : [plain(" "), element])),
    );
  }

  #redirected(redirections: readonly Redirection[], scope: Scope): Redirected {
    let stdin = scope.stdin;
    const outputs: string[] = [];
    for (const redirection of redirections) {
      const target = this.#redirect(redirection, scope);
      if (target === undefined) continue;
      if ("input" in target) stdin = target.input;
      else outputs.push(target.output);
    }
    return { stdin, outputs };
  }

  /** What a redirection reads or which file it writes; undefined for a duplicated descriptor. */
  #redirect(node: Redirection, scope: Scope): { input: Text } | { output: string } | undefined {
    if (node.type === "HereDoc") {
      const { parts, text } = node.body;
      return { input: parts === undefined ? plain(text) : expandParts(parts, this, scope) };
    }
    if (node.target === undefined) return undefined;
    const target = expandText(node.target, this, scope);
    if (node.type === "HereString") return { input: { ...target, text: `${target.text}\n` } };
    if (/^[<>]&$/.test(node.operator) && /^(\d+-?|-|\0)$/.test(target.text)) return undefined;
    const path = absolute(target.text, scope.state.folder);
    if (isNetworkPath(path)) this.report("network-shell", scope);
    if (node.operator === "<") {
      if (isSecret(path)) this.report("read-secret", scope);
      return { input: contentOf(target, scope) };
    }
    const rule = ruleAgainstWriting(path);
    if (rule !== undefined) this.report(rule, scope);
    const descriptor = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : 1;
    return descriptor === 1 ? { output: path } : undefined;
  }

  /** Remembers what went into files; what is left goes on to the next command. */
  #written({ outputs }: Redirected, output: Text, { state }: Scope): Text {
    for (const path of outputs) state.files.set(path, output);
    return outputs.length === 0 ? output : EMPTY;
  }

  #runProgram(program: Field, fields: readonly Field[], scope: Scope): Text {
    this.#judgeName(program, scope);
    const name = programName(program.text);
    const call = { name, fields, scope };
    const own = scope.state.functions.get(program.text);
    if (own !== undefined && !this.#active.has(own)) return this.#callFunction(own, fields, scope);
    for (const rule of effectsOf(call)) this.report(rule, scope);
    recordFiles(call);
    if (runBuiltin(call, this)) return EMPTY;
    const inner = unwrap(name, fields);
    if (inner !== undefined) {
      const child = inner.assignments.length > 0 ? { ...scope, state: scope.state.fork() } : scope;
      assignFields(inner.assignments, child, this);
      if (inner.command.length > 0) return this.runFields(inner.command, child);
    }
    if (program.text.includes("/")) runByPath(program, scope, this);
    const launched = launch(call, this);
    return launched !== undefined && (isShell(name) || isInterpreter(name))
      ? launched
      : printed(name, fields, scope);
  }

  /** The program's name itself must be known. */
  #judgeName({ text, origin }: Field, scope: Scope): void {
    if (/[*?]|\[.+\]/.test(text)) this.report("command-unresolved", scope);
    if (!text.includes(HOLE)) return;
    const known = !programName(text).includes(HOLE);
    const rule = ruleAgainstRunning(origin) ?? (scope.fromInput ? "run-unknown-input" : "command-unresolved");
    if (!known || origin !== "plain") this.report(rule, scope);
  }

  #callFunction(definition: FunctionNode, fields: readonly Field[], scope: Scope): Text {
    const before = scope.state.positional;
    this.#active.add(definition);
    scope.state.positional = fields;
    try {
      return this.#run(definition.body, scope);
    } finally {
      scope.state.positional = before;
      this.#active.delete(definition);
    }
  }
}

interface Redirected {
  readonly stdin: Text;
  /** Files that standard output goes to. */
  readonly outputs: readonly string[];
}

type HandledAbove =
  | "Command"
  | "Pipeline"
  | "AndOr"
  | "CompoundList"
  | "BraceGroup"
  | "Subshell"
  | "Redirected";

/** The scope at a node's own place, unless the node's text is not part of the command itself. */
const at = (node: { readonly pos: number; readonly end: number }, scope: Scope): Scope =>
  scope.detached ? scope : { ...scope, span: { start: node.pos, end: node.end } };
