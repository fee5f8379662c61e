/** Removes expired items at intervals. */
import { reasonOf } from "../../base/errors.js";
import type { Logger } from "../../base/logger.js";

export interface ExpirySweeperOptions {
  /** Milliseconds; 0 for never. */
  readonly interval: number;
  readonly logger: Logger;
  /** @returns how many items it removed */
  sweep(): Promise<number>;
}

/** What a timer can count to. */
const LONGEST_INTERVAL = 2 ** 31 - 1;

/** One sweep at a time. A program ends although it runs. */
export class ExpirySweeper {
  readonly #options: ExpirySweeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: ExpirySweeperOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.interval === 0) return;
    this.#timer ??= setInterval(
      () => {
        this.#underWay ??= this.#sweep().finally(() => {
          this.#underWay = undefined;
        });
      },
      Math.min(this.#options.interval, LONGEST_INTERVAL),
    ).unref();
  }

  /** Resolves after the sweep under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#underWay;
  }

  async #sweep(): Promise<void> {
    const { logger, sweep } = this.#options;
    try {
      const removed = await sweep();
      if (removed > 0) logger.debug("expired items were removed from the store", { removed });
    } catch (error) {
      logger.warn("expired items could not be removed from the store", { reason: reasonOf(error) });
    }
  }
}
