/** What the parts of the analysis need of each other. */
import type { Script, SyntaxNode } from "unbash";
import type { BuiltInRuleId } from "../command-rules.js";
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
  /**
   * How the text is read. `again`: it was read already, and might have been understood in part. `guess`: it may never
   * be run at all. In both only what must be blocked is reported.
   */
  readonly reading: Reading;
  /** In a container or on another machine: the rules of a person hold there, those of the audit are for this one. */
  readonly isElsewhere?: boolean;
}

export type Reading = "sure" | "again" | "guess";

/** A program with its arguments. */
export interface Call {
  /** Without folder. */
  readonly name: string;
  /** The arguments, without the program itself. */
  readonly fields: readonly Field[];
  readonly scope: Scope;
}

/** A simple command, as the command rules of a person are held against it. */
export interface CommandPart {
  /** The words after expansion, without quotes, joined by one blank; holes where something is not known. */
  readonly words: string;
  /** The same without the program's folder. */
  readonly byName: string;
  /** The same without the program's folder, where that is one of the system. */
  readonly bySystemName: string;
  /** Whether it is certain which program runs. */
  readonly isKnown: boolean;
  /** Whether a rule must allow it; false for what only runs other parts, and for what may be mere text. */
  readonly isRequired: boolean;
  readonly span: Span;
}

/** Runs things in mind. Every method gives what would be printed. */
export interface Auditor {
  report(rule: BuiltInRuleId, scope: Scope): void;
  /** A simple command is about to run. */
  note(part: CommandPart): void;
  /** Counts work; what is more than the analysis may do ends it. */
  spend(work: number): void;
  /** A parsed script, in the state of the scope. */
  runScript(script: Script, scope: Scope): Text;
  /** Every substitution inside a node whose own value does not matter. */
  runInside(node: SyntaxNode, scope: Scope): void;
  /** A text that a shell will read as commands. */
  runText(text: Text, scope: Scope): Text;
  /** A command whose words are expanded. */
  runFields(fields: readonly Field[], scope: Scope): Text;
}
