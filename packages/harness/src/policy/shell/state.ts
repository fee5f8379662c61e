/** What a shell has in mind at one point of a command line. */
import type { Function as FunctionNode } from "unbash";
import { absolute, concatenate, EMPTY, HOLE, plain, UNKNOWN, type Field, type Text } from "./values.js";

/** Stands for the home folder, wherever it is. */
export const HOME = "/home/me";
const WORKSPACE = "/mnt/user-data/workspace";
/** Links that are followed from one path; more are a circle. */
const LINKS = 8;
/** No system opens a longer path. */
const PATH_CHARACTERS = 4096;
/** Values of one variable that are kept apart; loops in loops multiply them. */
const VALUES = 64;
/** Stands for the values that are no longer kept: it can be an argument, but nobody has seen what it would run. */
const DROPPED: Text = { text: HOLE, origin: "computed" };

/** What a shell shares with all its subshells. */
interface Shared {
  /** Content of files written earlier in the line, by absolute path. There is one file system. */
  readonly files: Map<string, Text>;
  /** Where links lead that the line made itself, by absolute path. */
  readonly links: Map<string, string>;
  /** The lengths of their paths, so that not every link is compared with every path. */
  readonly linkLengths: Set<number>;
  /** Programs of the system under other names, by path or by the name itself. */
  readonly programs: Map<string, string>;
  /** The most values of one variable that was looked up; set back by who wants to know. */
  looked: number;
}

export class ShellState {
  /** Every value that a variable may have here. */
  #variables: Map<string, readonly Text[]>;
  /** The elements of arrays. */
  #arrays: Map<string, readonly Field[]>;
  #functions: Map<string, FunctionNode>;
  /** Whether the maps are those of the parent, which stands still as long as this one is at work. */
  #isBorrowed: boolean;
  readonly shared: Shared;
  positional: readonly Field[];
  /** What `$0` says. */
  zero: Text;
  /** The working directory; undefined when it is not known. */
  folder: string | undefined;
  /** Which of its values each variable has at the moment. */
  world = 0;
  /** What commands read instead of what they would: `exec < file` sets it. */
  input: { readonly instead: Text; readonly read: Text } | undefined;
  /** Above zero where a command may or may not run, so that an assignment adds a value instead of replacing. */
  conditional = 0;
  /** Whether a name may no longer mean the program of the system. */
  isPathChanged: boolean;

  constructor(parent?: ShellState) {
    this.#variables = parent ? parent.#variables : new Map();
    this.#arrays = parent ? parent.#arrays : new Map();
    this.#functions = parent ? parent.#functions : new Map();
    this.#isBorrowed = parent !== undefined;
    this.shared = parent?.shared ?? {
      files: new Map(),
      links: new Map(),
      linkLengths: new Set(),
      programs: new Map(),
      looked: 1,
    };
    this.positional = parent?.positional ?? [];
    this.zero = parent?.zero ?? plain("bash");
    this.folder = parent === undefined ? WORKSPACE : parent.folder;
    this.world = parent?.world ?? 0;
    this.input = parent?.input;
    this.isPathChanged = parent?.isPathChanged ?? false;
  }

  /** A subshell: what happens there does not come back, save for files. */
  fork(): ShellState {
    return new ShellState(this);
  }

  /** The value here; undefined for a variable that the line has not set and that is not known by nature. */
  lookup(name: string): Text | undefined {
    const values = this.#variables.get(name);
    if (values === undefined) return this.#natural(name);
    if (values.length > this.shared.looked) this.shared.looked = values.length;
    return values[this.world % values.length] ?? EMPTY;
  }

  functionNamed(name: string): FunctionNode | undefined {
    return this.#functions.get(name);
  }

  define(name: string, definition: FunctionNode): void {
    this.#own();
    this.#functions.set(name, definition);
  }

  #own(): void {
    if (!this.#isBorrowed) return;
    this.#variables = new Map(this.#variables);
    this.#arrays = new Map(this.#arrays);
    this.#functions = new Map(this.#functions);
    this.#isBorrowed = false;
  }

  /** The elements of an array that the line has set. */
  elements(name: string): readonly Field[] | undefined {
    return this.#arrays.get(name);
  }

  assignArray(name: string, elements: readonly Field[], append = false): void {
    const before = append ? (this.#arrays.get(name) ?? []) : [];
    const all = [...before, ...elements];
    this.#own();
    this.#variables.set(name, [all[0] ?? EMPTY]);
    this.#arrays.set(name, all);
  }

  /** What has to be put back after a command that had the variables for itself. */
  valuesOf(names: readonly string[]): readonly (readonly [string, readonly Text[] | undefined])[] {
    return names.map((name) => [name, this.#variables.get(name)] as const);
  }

  putBack(values: readonly (readonly [string, readonly Text[] | undefined])[]): void {
    for (const [name, before] of values) {
      this.#own();
      if (before === undefined) this.#variables.delete(name);
      else this.#variables.set(name, before);
    }
  }

  assign(name: string, value: Text, append = false): void {
    const before = this.#variables.get(name) ?? [];
    const whole = append ? concatenate([this.lookup(name) ?? UNKNOWN, value]) : value;
    this.assignAll(name, this.conditional > 0 ? fewer([...before, whole]) : [whole]);
  }

  /** Every value that a loop gives to its variable. */
  assignAll(name: string, values: readonly Text[]): void {
    const different = [...new Map(values.map((value) => [`${value.origin} ${value.text}`, value])).values()];
    this.#own();
    this.#arrays.delete(name);
    this.#variables.set(name, different.length === 0 ? [EMPTY] : different);
  }

  /** How many values an assignment has to go through. */
  countOf(name: string): number {
    return (this.#variables.get(name)?.length ?? 0) + (this.#arrays.get(name)?.length ?? 0);
  }

  unset(name: string): void {
    this.assign(name, EMPTY);
  }

  /**
   * The absolute form of a path, with the links resolved that the line itself made.
   * @param isLast whether a link that the path itself names is followed, too
   */
  absolute(path: string, isLast = true): string {
    let found = absolute(path, this.folder);
    if (this.shared.links.size === 0) return found;
    const follow = isLast || path.endsWith("/");
    for (let turn = 0; turn < LINKS; turn += 1) {
      const next = this.#followed(found, follow);
      if (next === found) break;
      found = next;
    }
    return found;
  }

  /** Remembers a link that the line makes. */
  link(path: string, target: string): void {
    this.shared.links.set(path, target);
    this.shared.linkLengths.add(path.length);
  }

  #followed(path: string, isLast: boolean): string {
    const { links } = this.shared;
    const whole = isLast ? links.get(path) : undefined;
    if (whole !== undefined || path.length > PATH_CHARACTERS) return whole ?? path;
    for (const length of this.shared.linkLengths) {
      const target = path[length] === "/" ? links.get(path.slice(0, length)) : undefined;
      if (target !== undefined) return absolute(target + path.slice(length), undefined);
    }
    return path;
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

/** The newest values, and one for all that are left out. Pure. */
function fewer(values: readonly Text[]): readonly Text[] {
  if (values.length <= VALUES) return values;
  return [DROPPED, ...values.filter((value) => value !== DROPPED).slice(1 - VALUES)];
}
