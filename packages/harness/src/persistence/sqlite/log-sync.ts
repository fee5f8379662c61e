/** Waits until the write-ahead log is on disk, beside the event loop. */
import { close, fdatasync, open } from "node:fs";
import { promisify } from "node:util";
import { DeerflowError, reasonOf } from "../../base/errors.js";

// Handles of node:fs/promises cost more than the system calls do.
const openFile = promisify(open);
const syncFile = promisify(fdatasync);

/**
 * A commit that SQLite syncs itself blocks the event loop for as long as the disk takes. So SQLite writes the log
 * (synchronous = NORMAL, which syncs it before it is folded into the file), and who acknowledges a commit syncs it
 * first. Commits that come while a sync runs share the next one.
 */
export class LogSync {
  readonly #path: string;
  #file: Promise<number> | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param path - of the database */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Resolves when all that was written so far is on disk.
   *
   * @throws DeerflowError `database_full`, `database_unreadable`
   */
  synced(): Promise<void> {
    // A sync that has begun may have missed what was written since.
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    const file = await this.#file;
    this.#file = undefined;
    if (file !== undefined) await promisify(close)(file);
  }

  async #after(running: Promise<void> | undefined): Promise<void> {
    // Whoever waits for the sync before hears of its failure; this one is another attempt.
    await running?.catch(() => undefined);
    this.#running = this.#next;
    this.#next = undefined;
    try {
      this.#file ??= openFile(`${this.#path}-wal`, "r+");
      await syncFile(await this.#file);
    } catch (error) {
      this.#file = undefined;
      const isFull = error instanceof Error && "code" in error && error.code === "ENOSPC";
      const code = isFull ? "database_full" : "database_unreadable";
      throw new DeerflowError(code, { path: this.#path, reason: reasonOf(error) }, error);
    }
  }
}
