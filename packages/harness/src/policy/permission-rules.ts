/** Path rules at work: the first rule that matches decides; trees are judged by all that lies in them. */
import { DeerflowError } from "../base/errors.js";
import { isRecord } from "../base/json.js";
import { childOf, fromSegments, shownPath } from "../base/virtual-path.js";
import type { FilesystemPermission, PermissionMode, PermissionOperation } from "./file-permission.js";
import { meetingOf, reachesInto } from "./permission-overlap.js";
import { anchorOf, PathPattern, PatternError } from "./permission-pattern.js";
import { type Spelling, spellingOf } from "./permission-spelling.js";

export interface PermissionRulesOptions {
  /** What a leading `~` stands for, as a virtual path. Without it such a rule is an error. */
  readonly home?: string | undefined;
  /** True where names that differ only in case are one file: deny and interrupt rules then catch every case. */
  readonly foldsCase?: boolean | undefined;
}

const OPERATIONS: ReadonlySet<unknown> = new Set<PermissionOperation>(["read", "write"]);
const MODES: ReadonlySet<unknown> = new Set<PermissionMode>(["allow", "deny", "interrupt"]);
const KEYS: ReadonlySet<unknown> = new Set<keyof FilesystemPermission>(["operations", "paths", "mode"]);

/** Why a rule is refused, in the order in which the reasons are looked for. It may come from plain JavaScript. */
const REFUSALS: readonly {
  readonly applies: (rule: Readonly<Record<string, unknown>>) => boolean;
  readonly reason: string | ((rule: Readonly<Record<string, unknown>>) => string);
}[] = [
  // A rule whose mode is misspelled would allow what it is to deny.
  {
    applies: (rule) => unknownKey(rule) !== undefined,
    reason: (rule) =>
      `it has the unknown key ${JSON.stringify(unknownKey(rule))}; the keys are ${[...KEYS].join(", ")}`,
  },
  {
    applies: ({ operations }) => !isFilledArray(operations),
    reason: "operations must name read, write or both",
  },
  {
    applies: ({ operations }) => isFilledArray(operations) && !operations.every((one) => OPERATIONS.has(one)),
    reason: "an operation is read or write",
  },
  {
    applies: ({ mode }) => mode !== undefined && !MODES.has(mode),
    reason: "mode is allow, deny or interrupt",
  },
  { applies: ({ paths }) => !isFilledArray(paths), reason: "paths must hold at least one path" },
  {
    applies: ({ paths }) => isFilledArray(paths) && !paths.every((path) => typeof path === "string"),
    reason: "a path is a text",
  },
];

interface Rule {
  readonly operations: readonly PermissionOperation[];
  readonly mode: PermissionMode;
  readonly patterns: readonly PathPattern[];
}

/** A rule that denies or interrupts, and the folders and files in which everything lies that it means. */
export interface Restriction {
  readonly mode: Exclude<PermissionMode, "allow">;
  readonly operations: readonly PermissionOperation[];
  readonly paths: readonly string[];
  /** Virtual paths without a glob. */
  readonly places: readonly string[];
}

/**
 * Rules, checked and compiled; pure decisions about virtual paths. Links are the caller's matter: ask for the path as
 * it is spelled and for the path where it really lies.
 */
export class PermissionRules {
  readonly foldsCase: boolean;
  readonly #given: readonly FilesystemPermission[];
  readonly #options: PermissionRulesOptions;
  readonly #rules: readonly Rule[];

  /** @throws DeerflowError `permissions_invalid` */
  constructor(rules: readonly FilesystemPermission[], options: PermissionRulesOptions = {}) {
    // Plain JavaScript may give anything.
    if (!Array.isArray(rules)) {
      const reason = "the rules must be a list of {operations, paths, mode}";
      throw new DeerflowError("permissions_invalid", { rule: "table", reason });
    }
    this.foldsCase = options.foldsCase ?? false;
    this.#given = rules;
    this.#options = options;
    this.#rules = rules.map((rule, index) => compileRule(rule, index, options.home));
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** The rules that are more than leave. */
  get restrictions(): readonly Restriction[] {
    return this.#rules.flatMap(({ mode, operations, patterns }) => {
      if (mode === "allow") return [];
      const places = patterns.flatMap((pattern) => pattern.places.map(fromSegments));
      return [{ mode, operations, paths: patterns.map(({ text }) => text), places }];
    });
  }

  /** The same rules for files whose names fold case, or do not. */
  withFolding(foldsCase: boolean): PermissionRules {
    if (foldsCase === this.foldsCase) return this;
    return new PermissionRules(this.#given, { ...this.#options, foldsCase });
  }

  /** Whether a person is to be asked about some path. */
  hasInterrupt(operation: PermissionOperation): boolean {
    return this.#of(operation).some(({ mode }) => mode === "interrupt");
  }

  /** What the first rule that matches says; `allow` without one, and `deny` for a path that is not absolute or climbs. */
  decide(operation: PermissionOperation, path: string): PermissionMode {
    const spelling = spellingOf(path);
    return spelling === undefined ? "deny" : (this.#first(operation, spelling)?.mode ?? "allow");
  }

  /** As {@link decide}, but undefined for a path that no rule names. */
  ruling(operation: PermissionOperation, path: string): PermissionMode | undefined {
    const spelling = spellingOf(path);
    return spelling === undefined ? "deny" : this.#first(operation, spelling)?.mode;
  }

  /** {@link ruling} for names in one folder, when many are asked about. */
  rulingsIn(operation: PermissionOperation, folder: string): (name: string) => PermissionMode | undefined {
    const spelling = spellingOf(folder);
    if (spelling === undefined) return () => "deny";
    const tests = this.#of(operation).flatMap(({ mode, patterns }) =>
      patterns.flatMap((pattern) => {
        const test =
          mode === "allow" ? pattern.allowsIn(spelling) : pattern.catchesIn(spelling, this.foldsCase);
        return test === undefined ? [] : [{ mode, test }];
      }),
    );
    return (name) =>
      name.includes("\\")
        ? this.ruling(operation, childOf(folder, name))
        : tests.find(({ test }) => test(name))?.mode;
  }

  /**
   * What holds for everything below `folder`: one mode, undefined where no rule names anything there, `mixed` where
   * each name must be asked about.
   */
  rulingBelow(operation: PermissionOperation, folder: string): PermissionMode | "mixed" | undefined {
    const spelling = spellingOf(folder);
    if (spelling === undefined) return "deny";
    const first = this.#of(operation).find(
      (rule) => this.#settlesBelow(rule, spelling) || this.#speaksBelow(rule, spelling),
    );
    return first === undefined || this.#settlesBelow(first, spelling) ? first?.mode : "mixed";
  }

  /** What holds for all below `folder` that no rule before names; undefined where that is nobody's matter. */
  prevailingBelow(operation: PermissionOperation, folder: string): PermissionMode | undefined {
    const spelling = spellingOf(folder);
    if (spelling === undefined) return "deny";
    return this.#of(operation).find((rule) => this.#settlesBelow(rule, spelling))?.mode;
  }

  #settlesBelow({ mode, patterns }: Rule, folder: Spelling): boolean {
    return patterns.some((pattern) =>
      mode === "allow" ? pattern.allowsBelow(folder) : pattern.catchesBelow(folder, this.foldsCase),
    );
  }

  #speaksBelow({ mode, patterns }: Rule, folder: Spelling): boolean {
    return patterns.some((pattern) =>
      mode === "allow" ? pattern.mayAllowBelow(folder) : pattern.mayCatchBelow(folder, this.foldsCase),
    );
  }

  /**
   * The patterns that forbid removing `path`. A plain file is judged by the first rule that matches. What may have
   * something below it is blocked by each pattern of a deny rule that may reach a file there, whatever the order.
   */
  removalBlockers(path: string, target: { readonly isLeaf?: boolean } = {}): readonly string[] {
    const spelling = spellingOf(path);
    if (spelling === undefined) return [path];
    const patterns = target.isLeaf === true ? this.#denying(spelling) : this.#reaching(spelling);
    return [...new Set(patterns.map(({ text }) => text))];
  }

  /** Whether a person must allow this operation on this one file. False for what is no path, which the tool refuses. */
  pausesExact(operation: PermissionOperation, path: unknown): boolean {
    const target = typeof path === "string" ? askedPath(path) : undefined;
    return target !== undefined && this.#first(operation, target)?.mode === "interrupt";
  }

  /**
   * Whether a person must allow an operation on a whole tree: a listing, a search, a removal. No path is the root.
   * @param globPattern the pattern of a glob, which may lead elsewhere than `path`
   */
  pausesBulk(operation: PermissionOperation, path: unknown, globPattern?: unknown): boolean {
    const isTreeInterrupted = (text: string): boolean => {
      const target = askedPath(text);
      return target !== undefined && this.#interrupts(operation, target);
    };
    if (path === undefined || path === null) return isTreeInterrupted("/");
    if (typeof path !== "string") return false;
    if (isTreeInterrupted(path)) return true;
    if (typeof globPattern !== "string") return false;
    const pattern = globPattern.replaceAll("\\", "/");
    if (pattern.split("/").includes("..")) return this.hasInterrupt(operation);
    return pattern.startsWith("/") && isTreeInterrupted(fromSegments(anchorOf(pattern)));
  }

  #of(operation: PermissionOperation): readonly Rule[] {
    return this.#rules.filter(({ operations }) => operations.includes(operation));
  }

  #first(operation: PermissionOperation, path: Spelling): Rule | undefined {
    return this.#of(operation).find((rule) =>
      rule.patterns.some((pattern) => this.#means(rule, pattern, path)),
    );
  }

  #means(rule: Rule, pattern: PathPattern, path: Spelling): boolean {
    return rule.mode === "allow" ? pattern.allows(path) : pattern.catches(path, this.foldsCase);
  }

  #denying(leaf: Spelling): readonly PathPattern[] {
    const rule = this.#first("write", leaf);
    if (rule?.mode !== "deny") return [];
    return rule.patterns.filter((pattern) => this.#means(rule, pattern, leaf));
  }

  #reaching(tree: Spelling): readonly PathPattern[] {
    return this.#of("write")
      .filter(({ mode }) => mode === "deny")
      .flatMap(({ patterns }) => patterns)
      .filter((pattern) => reachesInto(pattern, tree, this.foldsCase));
  }

  #interrupts(operation: PermissionOperation, target: Spelling): boolean {
    const rules = this.#of(operation);
    const first = (path: Spelling): PermissionMode | undefined => this.#first(operation, path)?.mode;
    return rules.some(({ mode, patterns }, index) => {
      if (mode !== "interrupt") return false;
      const earlier = rules.slice(0, index);
      return patterns.some((pattern) => this.#isLeftOver(pattern, target, { earlier, first }));
    });
  }

  /** Whether something below `target` that `pattern` means may be left to it by the rules before it. When unsure: yes. */
  #isLeftOver(pattern: PathPattern, target: Spelling, order: Order): boolean {
    const meeting = meetingOf(pattern, target, this.foldsCase);
    if (meeting === undefined) return false;
    const { root, isAsAsked } = meeting;
    const settling = order.earlier.filter(({ mode }) => mode === "deny" || (mode === "allow" && isAsAsked));
    if (
      settling.some((rule) => rule.mode === "deny" && rule.patterns.some(({ text }) => text === pattern.text))
    )
      return false;
    const mode = order.first(root);
    if (mode === "interrupt" || (mode === "allow" && !isAsAsked)) return true;
    if (pattern.isLiteral && root.exact.length === pattern.anchor.length) return false;
    return !settling.some((rule) =>
      rule.patterns.some((earlier) =>
        rule.mode === "allow" ? earlier.allowsBelow(root) : earlier.catchesBelow(root, this.foldsCase),
      ),
    );
  }
}

/** What stands before a rule, and what the whole table says of one path. */
interface Order {
  readonly earlier: readonly Rule[];
  readonly first: (path: Spelling) => PermissionMode | undefined;
}

function compileRule(rule: FilesystemPermission, index: number, home: string | undefined): Rule {
  const refuse = (reason: string, path?: string) => {
    const rule = path === undefined ? `number ${index + 1}` : `number ${index + 1} (${shownPath(path)})`;
    return new DeerflowError("permissions_invalid", { rule, reason });
  };
  if (!isRecord(rule)) throw refuse("it is no object of {operations, paths, mode}");
  const refusal = REFUSALS.find((row) => row.applies(rule));
  if (refusal !== undefined) {
    throw refuse(typeof refusal.reason === "string" ? refusal.reason : refusal.reason(rule));
  }
  const patterns = rule.paths.map((path) => {
    try {
      return new PathPattern(path, home);
    } catch (error) {
      if (error instanceof PatternError) throw refuse(error.message, path);
      throw error;
    }
  });
  return { operations: [...rule.operations], mode: rule.mode ?? "allow", patterns };
}

const unknownKey = (rule: object): string | undefined => Object.keys(rule).find((key) => !KEYS.has(key));

const isFilledArray = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0;

/** A path as a model wrote it; a relative one counts from the root. Undefined for what every tool refuses. */
function askedPath(given: string): Spelling | undefined {
  if (/\p{Cc}/u.test(given) || given.startsWith("~") || /^[A-Za-z]:[/\\]/.test(given)) return undefined;
  return spellingOf(given.startsWith("/") ? given : `/${given}`);
}
