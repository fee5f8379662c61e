/** Runs a command line in mind, and reports what must not be run for real. */
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type CompoundList,
  type Function as FunctionNode,
  type Script,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";
import type { BuiltInRuleId } from "../command-rules.js";
import type { Auditor, CommandPart, Scope, Span } from "./auditor.js";
import { assign, assignAll, assignArray, assignFields, judgeVariable, runBuiltin } from "./builtins.js";
import { partOf } from "./command-parts.js";
import { realProgram, recordPrograms } from "./copied-programs.js";
import { effectsOf } from "./effects.js";
import { launch, ruleAgainstRunning, runByPath } from "./launches.js";
import { countIn } from "./counts.js";
import { runBehind, runFitting, runHidden } from "./indirect-runs.js";
import { isEndlessSpawner, isForkBomb, startsItself } from "./loops.js";
import { isInterpreter, isShell, printed } from "./prints.js";
import { recordFiles } from "./recorded-files.js";
import { redirect, written } from "./redirections.js";
import { isPattern } from "./shell-patterns.js";
import { ShellState } from "./state.js";
import { concatenate, EMPTY, HOLE, joinedFields, plain, UNKNOWN, type Field, type Text } from "./values.js";
import { count, runNames } from "./subscripts.js";
import { expandText, expandWord } from "./words.js";
import { programName, unwrap } from "./wrappers.js";

/** Texts within texts (`sh -c "sh -c …"`) and calls within calls. */
const DEPTH = 16;
/** Syntax within syntax: brackets, substitutions, compound commands. */
const NESTING = 100;
/** What the analysis may do, about one for a character that is looked at; more is more than a person would write. */
const WORK = 200_000;
const COMMAND_WORK = 100;
/** Openings of expansions in one text; the time to read them grows with their square. */
const OPENINGS = 1000;

/** What can stand where a statement's command stands. */
type Runnable = Statement["command"] | CompoundList;

/** Called with every rule that a command breaks and the place where it does. */
export type Report = (rule: BuiltInRuleId, scope: Scope) => void;
/** Called with every simple command. */
export type Note = (part: CommandPart) => void;

/** Ends the analysis of a command that takes too much of it. */
class WorkIsUp extends Error {}

export class CommandEvaluator implements Auditor {
  readonly #report: Report;
  readonly #note: Note;
  /** Functions that are being run: a recursive call is not followed. */
  readonly #active = new Set<FunctionNode>();
  readonly #defined = new Set<FunctionNode>();
  readonly #called = new Set<FunctionNode>();
  /** Texts are often read again: in loops, and for every value of a variable. */
  readonly #parsed = new Map<string, ReturnType<typeof parse>>();
  #depth = 0;
  #nesting = 0;
  #work = 0;

  constructor(report: Report, note: Note) {
    this.#report = report;
    this.#note = note;
  }

  report(rule: BuiltInRuleId, scope: Scope): void {
    if (scope.isElsewhere !== true) this.#report(rule, scope);
  }

  note(part: CommandPart): void {
    this.#note(part);
  }

  spend(work: number): void {
    this.#work += work;
    if (this.#work > WORK) throw new WorkIsUp();
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
      reading: "sure",
    };
    try {
      this.#runParsed(command, scope);
      this.#runUncalled(scope);
    } catch (error) {
      // A stack that is full is nesting, too.
      if (!(error instanceof WorkIsUp || error instanceof RangeError)) throw error;
      this.report("command-too-deep", scope);
    }
  }

  /** Functions that nobody called here may be called in a way that is not seen. */
  #runUncalled(scope: Scope): void {
    const own = { ...scope, reading: "again" as const };
    for (const definition of this.#defined) {
      if (this.#called.has(definition)) continue;
      own.state.positional = [UNKNOWN, UNKNOWN, UNKNOWN];
      this.#callFunction(definition, own.state.positional, own);
    }
  }

  runScript(script: Script, scope: Scope): Text {
    const only = script.commands[0]?.command;
    if (script.commands.length === 1 && only?.type === "Command" && only.name === undefined) {
      const [first] = only.redirects;
      if (first?.type === "Redirect" && first.operator === "<")
        return redirect(only.redirects, this, scope).stdin;
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
      };
      return this.#runParsed(text.text, inner);
    });
  }

  runFields(fields: readonly Field[], scope: Scope): Text {
    const [program, ...rest] = fields;
    if (program === undefined || program.text === "") return EMPTY;
    this.spend(fields.reduce((sum, { text }) => sum + text.length + 1, COMMAND_WORK));
    return this.#deeper(scope, () => this.#runProgram(program, rest, scope));
  }

  #runParsed(source: string, scope: Scope): Text {
    this.spend(source.length + COMMAND_WORK);
    const script = this.#parsed.get(source) ?? this.#parse(source);
    if (script.errors !== undefined && script.errors.length > 0) this.report("syntax-unclear", scope);
    return this.#statements(script.commands, scope);
  }

  #parse(source: string): ReturnType<typeof parse> {
    if ((source.match(/[$<>]\(|`|\$\{/g) ?? []).length > OPENINGS) throw new WorkIsUp();
    const script = parse(source);
    this.#parsed.set(source, script);
    return script;
  }

  /** Keeps the analysis finite; what lies deeper is not judged but blocked. */
  #deeper(scope: Scope, work: () => Text): Text {
    if (this.#depth >= DEPTH) {
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
    this.spend(5);
    if (this.#nesting >= NESTING) {
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
        const redirected = redirect(node.redirects, this, at(node, scope));
        return written(redirected, this.#run(node.command, { ...scope, stdin: redirected.stdin }), scope);
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
        assignAll(
          node.name.value,
          node.wordlist?.flatMap((word) => expandWord(word, this, scope)) ?? scope.state.positional,
          scope,
          this,
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
        scope.state.define(node.name.value, node);
        this.#defined.add(node);
        return EMPTY;
      case "Coproc":
        if (node.name !== undefined) judgeVariable(node.name.value, UNKNOWN, scope, this);
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
    countIn(node, this, scope);
    forEachChild(node, (child) => {
      if (child.type === "Word") expandText(child, this, scope);
      else if (child.type === "Script") this.runScript(child, { ...scope, state: scope.state.fork() });
      else if (child.type !== "CompoundList") this.runInside(child, scope);
    });
  }

  /** A simple command, once for every value of the variables that it looks up. */
  #command(node: Command, scope: Scope): Text {
    const { state } = scope;
    const { world, shared } = state;
    const lookedBefore = shared.looked;
    shared.looked = 1;
    const outputs: Text[] = [];
    for (let index = 0; index < shared.looked || index === 0; index += 1) {
      state.world = index;
      outputs.push(this.#commandOnce(node, scope));
    }
    state.world = world;
    shared.looked = Math.max(lookedBefore, shared.looked);
    return outputs.length === 1 ? (outputs[0] ?? EMPTY) : concatenate(outputs);
  }

  #commandOnce(node: Command, scope: Scope): Text {
    const assignments = node.prefix.filter((item) => item.type === "Assignment");
    const before = node.name === undefined ? [] : scope.state.valuesOf(assignments.map(({ name }) => name));
    for (const assignment of assignments) this.#assign(assignment, scope);
    const redirected = redirect(node.redirects, this, scope);
    if (node.name === undefined) return written(redirected, EMPTY, scope);
    const output = this.#words(node, { ...scope, stdin: redirected.stdin });
    // `exec` with nothing but redirections changes what all that follow read.
    if (node.name.value === "exec" && node.args.length === 0)
      scope.state.input = { instead: scope.stdin, read: redirected.stdin };
    scope.state.putBack(before);
    return written(redirected, output, scope);
  }

  #words(node: Command, scope: Scope): Text {
    if (node.name === undefined) return EMPTY;
    const name = expandWord(node.name, this, scope);
    const rest = node.args.flatMap((arg) =>
      arg.type === "Assignment" ? [this.#assignmentField(arg, scope)] : expandWord(arg, this, scope),
    );
    return this.runFields([...name, ...rest], scope);
  }

  #assign(node: Assignment, scope: Scope): void {
    if (node.index !== undefined) this.#assignElement(node, node.index, scope);
    const options = { auditor: this, append: node.append === true };
    if (node.value.type === "Word") assign(node.name, this.#valueOf(node, scope), scope, options);
    else
      assignArray(
        node.name,
        node.value.elements.flatMap((word) => expandWord(word, this, scope)),
        scope,
        options,
      );
  }

  #assignElement(node: Assignment, index: Word, scope: Scope): void {
    const key = expandText(index, this, scope);
    count(plain(index.text), this, scope);
    scope.state.assign(`${node.name}[${key.text}]`, this.#valueOf(node, scope));
  }

  #assignmentField(node: Assignment, scope: Scope): Field {
    const value = this.#valueOf(node, scope);
    const text = `${node.name}${node.append === true ? "+" : ""}=${value.text}`;
    if (node.value.type === "Word") return { ...value, text };
    return { ...value, text, elements: node.value.elements.flatMap((word) => expandWord(word, this, scope)) };
  }

  #valueOf({ value }: Assignment, scope: Scope): Text {
    if (value.type === "Word") return expandText(value, this, scope);
    return joinedFields(value.elements.flatMap((word) => expandWord(word, this, scope)));
  }

  #runProgram(program: Field, fields: readonly Field[], scope: Scope): Text {
    this.#judgeName(program, fields, scope);
    const name = programName(program.text);
    const call = { name, fields, scope };
    const own = scope.state.functionNamed(program.text);
    const isOwn = own !== undefined && !this.#active.has(own);
    const part = partOf([program, ...fields], scope, isOwn);
    if (part !== undefined) this.note(part);
    if (isOwn) return this.#callFunction(own, fields, scope);
    for (const rule of effectsOf(call)) this.report(rule, scope);
    recordFiles(call);
    recordPrograms(call);
    runNames(call, this);
    const real = realProgram(program, scope.state);
    if (real !== undefined) return this.runFields([real, ...fields], scope);
    if (runBuiltin(call, this)) return EMPTY;
    runHidden(call, this);
    const inner = unwrap(name, fields);
    if (inner !== undefined) {
      const isApart = inner.assignments.length > 0 || inner.folder !== undefined;
      const child = isApart ? { ...scope, state: scope.state.fork() } : scope;
      if (inner.folder !== undefined) child.state.folder = scope.state.absolute(inner.folder.text);
      assignFields(inner.assignments, child, this);
      this.runFields(inner.otherwise, { ...child, state: child.state.fork(), reading: "guess" });
      if (inner.command.length > 0) return this.runFields(inner.command, child);
    }
    runBehind(call, this);
    if (program.text.includes("/")) runByPath(program, scope, this);
    const launched = launch(call, this);
    return launched !== undefined && (isShell(name) || isInterpreter(name))
      ? launched
      : printed(name, fields, scope);
  }

  /** The program's name itself must be known. */
  #judgeName({ text, origin }: Field, fields: readonly Field[], scope: Scope): void {
    if (isPattern(text)) {
      this.report("command-unresolved", scope);
      runFitting(programName(text), fields, scope, this);
    }
    if (!text.includes(HOLE)) return;
    const known = !programName(text).includes(HOLE);
    const rule = ruleAgainstRunning(origin) ?? (scope.fromInput ? "run-unknown-input" : "command-unresolved");
    if (!known || origin !== "plain") this.report(rule, scope);
  }

  #callFunction(definition: FunctionNode, fields: readonly Field[], scope: Scope): Text {
    const before = scope.state.positional;
    this.#active.add(definition);
    this.#called.add(definition);
    scope.state.positional = fields;
    try {
      return this.#run(definition.body, scope);
    } finally {
      scope.state.positional = before;
      this.#active.delete(definition);
    }
  }
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
