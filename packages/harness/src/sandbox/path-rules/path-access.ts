/** What rules leave of each path of a tree. Pure. */
import { childOf, isWithin } from "../../base/virtual-path.js";
import type { PermissionMode, PermissionOperation } from "../../policy/file-permission.js";
import type { PermissionRules } from "../../policy/permission-rules.js";
import type { Access, Alias } from "./contract.js";

/** Whether an operation is denied; undefined where no rule says anything. */
type Ruling = "allow" | "deny" | undefined;

/** What holds at one path. */
export interface Stand {
  readonly read: "allow" | "deny";
  readonly write: "allow" | "deny";
}

export const ALL_ALLOWED: Stand = { read: "allow", write: "allow" };

/** What cannot be read is hidden, and so cannot be written to either. */
export const accessOf = ({ read, write }: Stand): Access =>
  read === "deny" ? "hidden" : write === "deny" ? "read-only" : "open";

/**
 * Rules held against a tree of files. A rule that names a folder means all that is in it, save what an allow rule
 * before it names: unlike a file tool, a command reaches everything in a folder that it has.
 */
export class PathAccess {
  readonly #rules: PermissionRules;
  readonly #aliases: readonly Alias[];

  /** @param aliases a place that a rule reaches through a link is judged under that spelling, too */
  constructor(rules: PermissionRules, aliases: readonly Alias[] = []) {
    this.#rules = rules;
    this.#aliases = aliases;
  }

  /** What holds at `path`, where `above` holds for its folder. */
  at(path: string, above: Stand): Stand {
    return {
      read: this.ruling("read", path) ?? above.read,
      write: this.ruling("write", path) ?? above.write,
    };
  }

  /** {@link at} for names in one folder, when many are asked about. */
  namesIn(folder: string): (name: string, above: Stand) => Stand {
    const read = this.rulingsIn("read", folder);
    const write = this.rulingsIn("write", folder);
    return (name, above) => ({ read: read(name) ?? above.read, write: write(name) ?? above.write });
  }

  /** What holds for everything below the folder `path`, where `own` holds for itself; `mixed` where that differs. */
  below(path: string, own: Stand): Stand | "mixed" {
    const read = this.rulingBelow("read", path);
    const write = this.rulingBelow("write", path);
    if (read === "mixed" || write === "mixed") return "mixed";
    return { read: read ?? own.read, write: write ?? own.write };
  }

  /** What holds inside the folder `path` for what has no say of its own; a new name may be none of those. */
  inside(path: string, own: Stand): Stand {
    return {
      read: this.prevailing("read", path) ?? own.read,
      write: this.prevailing("write", path) ?? own.write,
    };
  }

  /** For a folder that cannot be looked into: what differs below is denied. */
  strictBelow(path: string, own: Stand): Stand {
    const strict = (ruling: Ruling | "mixed", otherwise: "allow" | "deny") =>
      ruling === "mixed" ? "deny" : (ruling ?? otherwise);
    return {
      read: strict(this.rulingBelow("read", path), own.read),
      write: strict(this.rulingBelow("write", path), own.write),
    };
  }

  ruling(operation: PermissionOperation, path: string): Ruling {
    return strictest(
      this.#spellings(path).map((spelling) => narrowed(this.#rules.ruling(operation, spelling))),
    );
  }

  /** {@link ruling} for names in one folder, when many are asked about. */
  rulingsIn(operation: PermissionOperation, folder: string): (name: string) => Ruling {
    const asked = this.#spellings(folder).map((spelling) => this.#rules.rulingsIn(operation, spelling));
    const aliased = new Set(this.#aliases.map(({ real }) => real));
    return (name) => {
      const path = childOf(folder, name);
      if (aliased.has(path)) return this.ruling(operation, path);
      return strictest(asked.map((rulingOf) => narrowed(rulingOf(name))));
    };
  }

  rulingBelow(operation: PermissionOperation, path: string): Ruling | "mixed" {
    const isAbove = this.#aliases.some(({ real }) => real !== path && isWithin(real, path));
    const rulings = this.#spellings(path).map((spelling) => this.#rules.rulingBelow(operation, spelling));
    if (isAbove || rulings.includes("mixed")) return "mixed";
    // The cast is sound: "mixed" was looked for in the line above.
    return strictest(rulings.map((ruling) => narrowed(ruling as PermissionMode | undefined)));
  }

  prevailing(operation: PermissionOperation, path: string): Ruling {
    return strictest(
      this.#spellings(path).map((spelling) => narrowed(this.#rules.prevailingBelow(operation, spelling))),
    );
  }

  #spellings(path: string): readonly string[] {
    const others = this.#aliases
      .filter(({ real }) => isWithin(path, real))
      .map(({ spelled, real }) => `${spelled}${real === "/" ? path : path.slice(real.length)}`);
    return [path, ...others];
  }
}

const narrowed = (mode: PermissionMode | undefined): Ruling =>
  mode === undefined || mode === "allow" ? mode : "deny";

const strictest = (rulings: readonly Ruling[]): Ruling =>
  rulings.includes("deny") ? "deny" : rulings.find((ruling) => ruling !== undefined);
