/** A directory held open, so that a link planted meanwhile cannot lead its holder elsewhere. */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../base/make-folder.js";
import { errnoOf } from "./disk-error.js";

/** On Linux a name below an open descriptor is reached through /proc, which no rename or link can redirect. */
const HAS_DESCRIPTOR_PATHS = process.platform === "linux";
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY;

const notADirectory = (): Error => Object.assign(new Error("not a directory"), { code: "ENOTDIR" });

/**
 * The nearest thing to openat() that Node has. Elsewhere than on Linux each step is only checked for links,
 * which leaves a short moment between check and use.
 */
export class HeldDirectory {
  readonly #handle: FileHandle | undefined;
  readonly #hostPath: string;

  private constructor(hostPath: string, handle: FileHandle | undefined) {
    this.#hostPath = hostPath;
    this.#handle = handle;
  }

  /** Opens a trusted root; links on the way to it are followed. */
  static async openRoot(hostPath: string): Promise<HeldDirectory> {
    if (HAS_DESCRIPTOR_PATHS) return new HeldDirectory(hostPath, await open(hostPath, DIRECTORY));
    if (!(await stat(hostPath)).isDirectory()) throw notADirectory();
    return new HeldDirectory(hostPath, undefined);
  }

  /** A path for a system call on the child `name`, which must be a single name. Bytes reach a name that is not UTF-8. */
  at(name: string): string;
  at(name: Buffer): Buffer;
  at(name: string | Buffer): string | Buffer;
  at(name: string | Buffer): string | Buffer {
    return typeof name === "string"
      ? join(this.path, name)
      : Buffer.concat([Buffer.from(`${this.path}/`), name]);
  }

  /** A path for a system call on the directory itself, good until {@link close}. */
  get path(): string {
    return this.#handle === undefined ? this.#hostPath : `/proc/self/fd/${this.#handle.fd}`;
  }

  /** Opens a child directory; a link in its place is refused (ELOOP or ENOTDIR). */
  async child(name: string | Buffer, create: boolean): Promise<HeldDirectory> {
    if (create) await makeDirectory(this.at(name));
    const hostPath = join(this.#hostPath, String(name));
    if (this.#handle !== undefined) {
      return new HeldDirectory(hostPath, await open(this.at(name), DIRECTORY | constants.O_NOFOLLOW));
    }
    if (!(await lstat(hostPath)).isDirectory()) throw notADirectory();
    return new HeldDirectory(hostPath, undefined);
  }

  /** Tells the directory from every other one of this machine, whatever path leads to it. */
  async identity(): Promise<string> {
    const { dev, ino } = await (this.#handle === undefined
      ? stat(this.#hostPath, { bigint: true })
      : this.#handle.stat({ bigint: true }));
    return `${dev}:${ino}`;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

async function makeDirectory(path: string | Buffer): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

/** Walks from a trusted root down to `names`, holding only the last directory, and hands it to `work`. */
export async function withDirectory<T>(
  root: string,
  names: readonly string[],
  options: { readonly create: boolean },
  work: (directory: HeldDirectory) => Promise<T>,
): Promise<T> {
  const directory = await holdDirectory(root, names, options.create);
  try {
    return await work(directory);
  } finally {
    await directory.close();
  }
}

/** As {@link withDirectory}, but the caller closes. */
export async function holdDirectory(
  root: string,
  names: readonly string[],
  create = false,
): Promise<HeldDirectory> {
  if (create) makeFolder(root);
  let held = await HeldDirectory.openRoot(root);
  for (const name of names) {
    const parent = held;
    try {
      held = await parent.child(name, create);
    } finally {
      await parent.close();
    }
  }
  return held;
}
