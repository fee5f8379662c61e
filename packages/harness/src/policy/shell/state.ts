/** What a shell has in mind at one point of a command line. */
import type { Function as FunctionNode } from "unbash";
import { concatenate, EMPTY, HOLE, plain, UNKNOWN, type Field, type Text } from "./values.js";

/** Stands for the home folder, wherever it is. */
export const HOME = "/home/me";
const WORKSPACE = "/mnt/user-data/workspace";
/** More values of one variable are not told apart. */
const ALTERNATIVES = 8;

export class ShellState {
  /** Every value that a variable may have here. */
  readonly #variables: Map<string, readonly Text[]>;
  readonly functions: Map<string, FunctionNode>;
  /** Content of files written earlier in the line, by absolute path. Shared: there is one file system. */
  readonly files: Map<string, Text>;
  positional: readonly Field[];
  /** What `$0` says. */
  zero: Text;
  /** The working directory; undefined when it is not known. */
  folder: string | undefined;
  /** Which of its values each variable has at the moment. */
  world = 0;
  /** Above zero where a command may or may not run, so that an assignment adds a value instead of replacing. */
  conditional = 0;

  constructor(parent?: ShellState) {
    this.#variables = new Map(parent ? parent.#variables : []);
    this.functions = new Map(parent?.functions);
    this.files = parent?.files ?? new Map();
    this.positional = parent?.positional ?? [];
    this.zero = parent?.zero ?? plain("bash");
    this.folder = parent === undefined ? WORKSPACE : parent.folder;
    this.world = parent?.world ?? 0;
  }

  /** A subshell: what happens there does not come back, save for files. */
  fork(): ShellState {
    return new ShellState(this);
  }

  /** How many worlds there are to look at. */
  get worlds(): number {
    return Math.max(1, ...[...this.#variables.values()].map((values) => values.length));
  }

  /** The value here; undefined for a variable that the line has not set and that is not known by nature. */
  lookup(name: string): Text | undefined {
    const values = this.#variables.get(name);
    if (values !== undefined) return values[this.world % values.length] ?? EMPTY;
    return this.#natural(name);
  }

  assign(name: string, value: Text, append = false): void {
    const before = this.#variables.get(name) ?? [];
    const whole = append ? concatenate([this.lookup(name) ?? UNKNOWN, value]) : value;
    this.assignAll(name, this.conditional > 0 ? [...before, whole] : [whole]);
  }

  /** Every value that a loop gives to its variable. */
  assignAll(name: string, values: readonly Text[]): void {
    const different = values.filter(
      (value, index) => values.findIndex((v) => v.text === value.text) === index,
    );
    this.#variables.set(name, different.length === 0 ? [EMPTY] : different.slice(0, ALTERNATIVES));
  }

  unset(name: string): void {
    this.assign(name, EMPTY);
  }

  #natural(name: string): Text | undefined {
    if (/^\d+$/.test(name)) return name === "0" ? this.zero : (this.positional[Number(name) - 1] ?? EMPTY);
    switch (name) {
      case "HOME":
        return plain(HOME);
      case "PWD":
        return plain(this.folder ?? HOLE);
      case "IFS":
        return plain(" \t\n");
      case "PATH":
        return plain("/usr/local/bin:/usr/bin:/bin");
      case "SHELL":
      case "BASH":
        return plain("/bin/bash");
      case "@":
      case "*":
        return plain(this.positional.map(({ text }) => text).join(" "));
      default:
        return undefined;
    }
  }
}
