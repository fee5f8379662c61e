/** Keeps path rules around the commands of one sandbox. */
import { DeerflowError } from "../../base/errors.js";
import type { PathRules, SandboxMount } from "../contract.js";
import { type CompiledRules, compileRules } from "./compile-rules.js";
import type { Alias, CommandStarts, HeldLink, PathPlan, StartedCommand, StartRequest } from "./contract.js";
import { FOLDER_TURNS, type FolderTurns } from "./folder-turns.js";
import { HostFolder } from "./host-folder.js";
import { linkWays } from "./link-ways.js";
import { PathAccess } from "./path-access.js";
import { planMounts } from "./plan-mounts.js";
import { putBack } from "./put-back.js";
import { hasRefuge, REFUSED } from "./refuge.js";
import { tooWide, WALK_LIMITS, WalkBudget, type WalkLimits } from "./walk-budget.js";

/** How often the tree is looked at when something in it is changed meanwhile. */
const LOOKS = 3;

export interface PathKeeperOptions {
  readonly rules: PathRules;
  /** Resolved, outer ones first. */
  readonly mounts: readonly SandboxMount[];
  readonly turns?: FolderTurns;
  readonly limits?: WalkLimits;
}

export class PathKeeper implements CommandStarts {
  readonly #mounts: readonly SandboxMount[];
  readonly #rules: PathRules;
  readonly #turns: FolderTurns;
  readonly #limits: WalkLimits;
  /** What the check after a command goes by. */
  readonly #compiled: CompiledRules;

  /** @throws DeerflowError `permissions_invalid`, `permissions_unenforceable` */
  constructor({ rules, mounts, turns = FOLDER_TURNS, limits = WALK_LIMITS }: PathKeeperOptions) {
    this.#mounts = mounts;
    this.#rules = rules;
    this.#turns = turns;
    this.#limits = limits;
    this.#compiled = compileRules(rules, mounts);
  }

  /** @throws DeerflowError `permissions_too_wide`; the signal's reason */
  async begin({ signal, onWait }: StartRequest): Promise<StartedCommand> {
    const { plan, end } = await this.#turns.ruled({ mounts: this.#mounts, signal, onWait }, (beside) =>
      this.#settledPlan(beside, signal),
    );
    const { rules, restrictsWriting } = this.#compiled;
    const access = new PathAccess(rules, plan.aliases);
    const request = { plan, access, mounts: this.#mounts, restrictsWriting };
    return { options: plan.options, end: (masked) => putBack({ ...request, masked }).finally(end) };
  }

  /** Nobody is told the system's own words: they may hold a path of the host. */
  async #settledPlan(beside: readonly PathPlan[], signal: AbortSignal | undefined): Promise<PathPlan> {
    for (let look = 1; ; look += 1) {
      try {
        return await this.#plan(beside, signal);
      } catch (error) {
        if (DeerflowError.is(error) || error === signal?.reason) throw error;
        if (look === LOOKS) throw tooWide("a folder could not be looked at, or changed meanwhile");
      }
    }
  }

  async #plan(beside: readonly PathPlan[], signal: AbortSignal | undefined): Promise<PathPlan> {
    const open = (hostPath: string) => HostFolder.open(hostPath);
    const found = linkWays(this.#compiled.places, this.#mounts, open);
    // A command beside this one may just have taken a link away, which is put back after it.
    const aliases = unique<Alias>([...found.aliases, ...beside.flatMap((plan) => plan.aliases)]);
    const links = unique<HeldLink>([...found.links, ...beside.flatMap((plan) => plan.links)]);
    return planMounts({
      access: new PathAccess(this.#guarding().rules, aliases),
      aliases,
      links,
      mounts: this.#mounts,
      open,
      budget: new WalkBudget(this.#limits, this.#compiled.wide),
      signal,
    });
  }

  /** What is mounted before a command: what was moved aside earlier stays as it is, too. */
  #guarding(): CompiledRules {
    if (!this.#compiled.restrictsWriting) return this.#compiled;
    const paths = this.#mounts
      .filter((mount) => mount.mode === "read-write" && hasRefugeAt(mount))
      .map(({ virtualPath }) => `${asPattern(virtualPath)}/${REFUSED}/**`);
    if (paths.length === 0) return this.#compiled;
    const rules: PathRules["rules"] = [{ operations: ["write"], paths, mode: "deny" }, ...this.#rules.rules];
    return compileRules({ ...this.#rules, rules }, this.#mounts);
  }
}

function hasRefugeAt({ hostPath }: SandboxMount): boolean {
  const root = HostFolder.open(hostPath);
  try {
    return root !== undefined && hasRefuge(root);
  } finally {
    root?.close();
  }
}

const unique = <T>(values: readonly T[]): readonly T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** A path as a pattern that means only itself. */
const asPattern = (path: string): string =>
  path.replaceAll(/[\\*?[\]{}!~]/g, (character) => `\\${character}`);
