/** Keeps path rules around the commands of one sandbox. */
import { orAborted } from "../../base/abort.js";
import { KeyedLock } from "../../base/keyed-lock.js";
import type { PathRules, SandboxMount } from "../contract.js";
import { type CompiledRules, compileRules } from "./compile-rules.js";
import type { Alias, HeldLink, MountOption, PathPlan } from "./contract.js";
import { HostFolder } from "./host-folder.js";
import { linkWays } from "./link-ways.js";
import { PathAccess } from "./path-access.js";
import { planMounts } from "./plan-mounts.js";
import { putBack } from "./put-back.js";
import { REFUSED } from "./refuge.js";
import type { RunningPlans } from "./running-plans.js";
import { WALK_LIMITS, WalkBudget, type WalkLimits } from "./walk-budget.js";

/** One command, for which the rules hold from the moment that it starts. */
export interface KeptCommand {
  /** For bubblewrap, after the mounts. */
  readonly options: readonly MountOption[];
  /** To be called once when everything of the command is dead. @returns sentences for the model */
  end(): Promise<readonly string[]>;
}

export interface PathKeeperOptions {
  readonly rules: PathRules;
  /** Resolved, outer ones first. */
  readonly mounts: readonly SandboxMount[];
  /** Shared by all sandboxes of a provider. */
  readonly running: RunningPlans;
  readonly limits?: WalkLimits;
}

/** Who starts beside one another in the same folders. */
const STARTING = new KeyedLock();

export class PathKeeper {
  readonly #mounts: readonly SandboxMount[];
  readonly #running: RunningPlans;
  readonly #limits: WalkLimits;
  /** What the check after a command goes by. */
  readonly #compiled: CompiledRules;
  /** What is mounted before it: what was moved aside earlier stays as it is, too. */
  readonly #guarding: CompiledRules;

  /** @throws DeerflowError `permissions_invalid`, `permissions_unenforceable` */
  constructor({ rules, mounts, running, limits = WALK_LIMITS }: PathKeeperOptions) {
    this.#mounts = mounts;
    this.#running = running;
    this.#limits = limits;
    this.#compiled = compileRules(rules, mounts);
    this.#guarding = compileRules(withRefuges(rules, this.#compiled, mounts), mounts);
  }

  /**
   * Waits for commands beside it that hold other places than it has to: they could put a link where something is about
   * to be mounted.
   * @throws DeerflowError `permissions_too_wide`; the signal's reason
   */
  begin(signal?: AbortSignal): Promise<KeptCommand> {
    const key = this.#mounts.map(({ hostPath }) => hostPath).join("\0");
    return STARTING.hold(key, () => this.#begin(signal));
  }

  async #begin(signal: AbortSignal | undefined): Promise<KeptCommand> {
    for (;;) {
      signal?.throwIfAborted();
      const plan = await this.#plan(signal);
      const obstacle = this.#running.obstacle(this.#mounts, plan.fingerprint);
      if (obstacle === undefined) return this.#started(plan);
      await (signal === undefined ? obstacle : orAborted(obstacle, signal));
    }
  }

  #started(plan: PathPlan): KeptCommand {
    const { aliases, links, fingerprint } = plan;
    const ended = this.#running.add({ mounts: this.#mounts, aliases, links, fingerprint });
    const { rules, restrictsWriting } = this.#compiled;
    const request = { plan, access: new PathAccess(rules, aliases), mounts: this.#mounts, restrictsWriting };
    return { options: plan.options, end: () => putBack(request).finally(ended) };
  }

  #plan(signal: AbortSignal | undefined): Promise<PathPlan> {
    const open = (hostPath: string) => HostFolder.open(hostPath);
    const found = linkWays(this.#guarding.places, this.#mounts, open);
    // A command beside this one may just have taken a link away, which is put back after it.
    const beside = this.#running.beside(this.#mounts);
    const aliases = unique<Alias>([...found.aliases, ...beside.flatMap((plan) => plan.aliases)]);
    const links = unique<HeldLink>([...found.links, ...beside.flatMap((plan) => plan.links)]);
    return planMounts({
      access: new PathAccess(this.#guarding.rules, aliases),
      aliases,
      links,
      mounts: this.#mounts,
      open,
      budget: new WalkBudget(this.#limits),
      signal,
    });
  }
}

const unique = <T>(values: readonly T[]): readonly T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

function withRefuges(
  rules: PathRules,
  { restrictsWriting }: CompiledRules,
  mounts: readonly SandboxMount[],
): PathRules {
  const paths = mounts
    .filter(({ mode }) => mode === "read-write")
    .flatMap(({ virtualPath }) => ["", "-*"].map((end) => `${asPattern(virtualPath)}/${REFUSED}${end}/**`));
  if (!restrictsWriting || paths.length === 0) return rules;
  return { ...rules, rules: [{ operations: ["write"], paths, mode: "deny" }, ...rules.rules] };
}

/** A path as a pattern that means only itself. */
const asPattern = (path: string): string =>
  path.replaceAll(/[\\*?[\]{}!~]/g, (character) => `\\${character}`);
