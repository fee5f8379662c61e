/** Writing a file of any size to the disk, piece by piece, to be put in place in one moment. */
import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import type { FileWriting } from "./contract.js";
import { diskError } from "./disk-error.js";
import type { HeldName } from "./disk-lock.js";
import { clearForgotten, discard, moveIntoPlace, type Target, temporaryName } from "./disk-write.js";
import type { HeldDirectory } from "./held-directory.js";

/** Longer than any command may run, so that a file that is still being written is never taken for forgotten. */
const FORGOTTEN_MILLISECONDS = 24 * 60 * 60 * 1000;
/** Its owner's alone until it has its name. */
const TEMPORARY_MODE = 0o600;

/** Gives the file its mode and its name, while its place is held. */
export type PutInPlace = (mode: number, target: Target, held: HeldName) => Promise<void>;

export interface DiskWritingOptions {
  /** Held until the end, and closed there. */
  readonly folder: HeldDirectory;
  /** Virtual, for messages. */
  readonly path: string;
  /** Holds the place, judges what is there, and calls `put` once. */
  commit(put: PutInPlace): Promise<void>;
}

/**
 * Begins a temporary file in the folder. What killed processes left there a day ago or earlier is cleared away.
 * When it fails the folder is closed.
 */
export async function openWriting(options: DiskWritingOptions): Promise<FileWriting> {
  const { folder } = options;
  try {
    await clearForgotten(folder, Date.now() - FORGOTTEN_MILLISECONDS);
    const temporary = folder.at(temporaryName(randomBytes(8).toString("hex")));
    return new DiskWriting(options, temporary, await open(temporary, "wx", TEMPORARY_MODE));
  } catch (error) {
    await folder.close();
    throw error;
  }
}

class DiskWriting implements FileWriting {
  readonly #options: DiskWritingOptions;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  #isOver = false;

  constructor(options: DiskWritingOptions, temporary: string, handle: FileHandle) {
    this.#options = options;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#assertOpen();
    try {
      for (let at = 0; at < bytes.length; ) {
        at += (await this.#handle.write(bytes, at)).bytesWritten;
      }
    } catch (error) {
      throw diskError(error, this.#options.path);
    }
  }

  async commit(): Promise<void> {
    this.#assertOpen();
    this.#isOver = true;
    try {
      await this.#options.commit((mode, target, held) => this.#put(mode, target, held));
    } catch (error) {
      await discard(this.#temporary);
      throw error;
    } finally {
      await this.#close();
    }
  }

  async abort(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      await discard(this.#temporary);
    } finally {
      await this.#close();
    }
  }

  async #put(mode: number, target: Target, held: HeldName): Promise<void> {
    await this.#handle.chmod(mode);
    await this.#handle.sync();
    await this.#assertOwn();
    await moveIntoPlace(this.#options.folder, this.#temporary, target, held);
  }

  /** Minutes may have passed, in a folder that others can write to. */
  async #assertOwn(): Promise<void> {
    const written = await this.#handle.stat({ bigint: true });
    const there = await lstat(this.#temporary, { bigint: true });
    if (there.ino === written.ino && there.dev === written.dev) return;
    throw new DeerflowError("file_changed", { path: shownPath(this.#options.path) });
  }

  #assertOpen(): void {
    if (this.#isOver) throw new Error("The file is no longer being written.");
  }

  async #close(): Promise<void> {
    await this.#handle.close();
    await this.#options.folder.close();
  }
}
