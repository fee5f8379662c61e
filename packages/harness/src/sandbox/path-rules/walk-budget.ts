/** How much of a tree is looked at for one command: a rule may cost time, but never without end. */
import { DeerflowError } from "../../base/errors.js";
import { Turn } from "../../base/turn.js";

export interface WalkLimits {
  /** Names that are read from folders. */
  readonly entries: number;
  /** Processor time of this process while it walks: on a busy machine a walk may take longer. */
  readonly milliseconds: number;
  /** Places that are mounted, folders above them counted. bubblewrap's time grows with the square of it. */
  readonly mounts: number;
}

export const WALK_LIMITS: WalkLimits = Object.freeze({ entries: 100_000, milliseconds: 2000, mounts: 1000 });

export class WalkBudget {
  readonly #limits: WalkLimits;
  readonly #about: string;
  readonly #turn = new Turn();
  #entries = 0;
  #mounts = 0;
  #spent = 0;
  #resumed = process.cpuUsage();

  /** @param about what the rules speak of, for the message */
  constructor(limits: WalkLimits = WALK_LIMITS, about = "") {
    this.#limits = limits;
    this.#about = about;
  }

  /** Before each folder: gives others their turn. @throws DeerflowError `permissions_too_wide` */
  async next(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#turn.isOver) return;
    signal?.throwIfAborted();
    const { user, system } = process.cpuUsage(this.#resumed);
    this.#spent += (user + system) / 1000;
    if (this.#spent > this.#limits.milliseconds) throw tooWide("looking at the files took too long");
    await this.#turn.next();
    this.#resumed = process.cpuUsage();
  }

  /** @throws DeerflowError `permissions_too_wide` */
  countEntries(count: number): void {
    this.#entries += count;
    if (this.#entries > this.#limits.entries) {
      throw tooWide(`there are more than ${this.#limits.entries} files and folders to look at`);
    }
  }

  /** @throws DeerflowError `permissions_too_wide` */
  countMount(): void {
    this.#mounts += 1;
    if (this.#mounts > this.#limits.mounts) {
      const about = this.#about === "" ? "" : ` by rules about ${this.#about}`;
      throw tooWide(`there are more than ${this.#limits.mounts} places to protect${about}`);
    }
  }
}

export const tooWide = (reason: string): DeerflowError =>
  new DeerflowError("permissions_too_wide", { reason });
