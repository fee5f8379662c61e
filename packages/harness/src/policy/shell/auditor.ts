/** What the parts of the analysis need of each other. */
import type { Script, SyntaxNode } from "unbash";
import type { CommandRuleId } from "../command-rules.js";
import type { ShellState } from "./state.js";
import type { Field, Origin, Text } from "./values.js";

/** Half-open range in the command, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where in the command the analysis is, and in which state. */
export interface Scope {
  readonly state: ShellState;
  /** The place that findings name. */
  readonly span: Span;
  /** True below a text of its own (a string given to a shell): its positions mean nothing outside. */
  readonly detached: boolean;
  /** Empty where nothing is fed: standard input is closed. */
  readonly stdin: Text;
  /** Where a hole in the text that is being read came from. */
  readonly holeOrigin: Origin;
  /** The text that is being read came through standard input. */
  readonly fromInput: boolean;
  /** Only what must be blocked is reported: the text may never be run at all. */
  readonly guess: boolean;
}

/** A program with its arguments. */
export interface Call {
  /** Without folder. */
  readonly name: string;
  /** The arguments, without the program itself. */
  readonly fields: readonly Field[];
  readonly scope: Scope;
}

/** Runs things in mind. Every method gives what would be printed. */
export interface Auditor {
  report(rule: CommandRuleId, scope: Scope): void;
  /** A parsed script, in the state of the scope. */
  runScript(script: Script, scope: Scope): Text;
  /** Every substitution inside a node whose own value does not matter. */
  runInside(node: SyntaxNode, scope: Scope): void;
  /** A text that a shell will read as commands. */
  runText(text: Text, scope: Scope): Text;
  /** A command whose words are expanded. */
  runFields(fields: readonly Field[], scope: Scope): Text;
}
