/** A provider's commands, each in a group of its own. */
import type { Wrapper } from "../bubblewrap/launch.js";
import type { CommandLimits } from "../limits.js";
import { chooseLimitGroups, type ChooseOptions, type ChosenLimits } from "./choose-limit-groups.js";
import type { LimitGroup } from "./contract.js";
import { limitNotices } from "./limit-sentences.js";

const FIRST_DESCRIPTOR = 3;

export class GroupedCommands {
  readonly #limits: CommandLimits;
  readonly #options: ChooseOptions;
  readonly #closing = new Set<Promise<void>>();
  #chosen: Promise<ChosenLimits> | undefined;

  constructor(limits: CommandLimits, options: ChooseOptions = {}) {
    this.#limits = limits;
    this.#options = options;
  }

  /** How commands are kept in bounds here, for a person. */
  async sentence(): Promise<string> {
    return (await this.#choose()).sentence;
  }

  /**
   * Runs one command, with `limited` around it and nothing else: what belongs to the sandbox stays outside.
   * @throws what `run` throws, or the system's error when no group can be made
   */
  async during<T>(
    run: (limited: Wrapper) => Promise<T>,
  ): Promise<{ readonly outcome: T; readonly notices: readonly string[] }> {
    const { groups } = await this.#choose();
    const group = groups.open(this.#limits);
    try {
      const outcome = await run(inside(group));
      return { outcome, notices: limitNotices(group.hits(), this.#limits) };
    } finally {
      // Not awaited: the kernel may need a moment for processes that have ended.
      const closing = group.close().finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#closing);
  }

  #choose(): Promise<ChosenLimits> {
    return (this.#chosen ??= chooseLimitGroups(this.#options));
  }
}

const inside =
  (group: LimitGroup): Wrapper =>
  (inner) => {
    const numbers = group.descriptors.map((_, index) => FIRST_DESCRIPTOR + inner.feeds.length + index);
    return { ...group.wrap(inner, numbers), feeds: [...inner.feeds, ...group.descriptors] };
  };
