/** A folder of this machine, held by a descriptor: the nearest thing to openat() that Node has. Linux only. */
import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import type { EntryKind, TreeEntry, TreeFolder } from "./contract.js";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;
/** O_PATH, for which Node has no name: needs no right to read. The same number on every processor that Node runs on. */
const PATH_ONLY = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const HERE = Buffer.from(".");
/** What a name answers that is no folder, or is gone. */
const NO_FOLDER: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** What a name answers that is no link, or is gone. */
const NO_LINK: ReadonlySet<unknown> = new Set(["EINVAL", "ENOENT"]);

/** System calls are made at once: each is short, and a walk gives others their turn between two folders. */
export class HostFolder implements TreeFolder {
  readonly #descriptor: number;

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Opens a trusted root, to which links are followed. Undefined when it is no folder. */
  static open(hostPath: string): HostFolder | undefined {
    return opened(Buffer.from(hostPath), FOLDER, (descriptor) => new HostFolder(descriptor));
  }

  entries(): readonly TreeEntry[] {
    const found = readdirSync(`/proc/self/fd/${this.#descriptor}`, {
      withFileTypes: true,
      encoding: "buffer",
    });
    return found.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  }

  child(name: Buffer): HostFolder | undefined {
    const child = opened(this.#at(name), FOLDER | constants.O_NOFOLLOW, (at) => new HostFolder(at));
    try {
      // One whose names can be listed may still let nobody look at what they are.
      child?.kindOf(HERE);
      return child;
    } catch (error) {
      child?.close();
      throw error;
    }
  }

  /** As {@link child}, also when the folder was closed to everybody. */
  forcedChild(name: Buffer): HostFolder | undefined {
    const child = opened(this.#at(name), PATH_ONLY, (descriptor) => descriptor);
    if (child === undefined) return undefined;
    try {
      chmodSync(`/proc/self/fd/${child}`, (fstatSync(child).mode & 0o777) | 0o700);
      return opened(`/proc/self/fd/${child}/.`, FOLDER, (descriptor) => new HostFolder(descriptor));
    } finally {
      closeSync(child);
    }
  }

  kindOf(name: Buffer): EntryKind | undefined {
    const entry = lstatSync(this.#at(name), { throwIfNoEntry: false });
    return entry && kindOf(entry);
  }

  target(name: Buffer): Buffer | undefined {
    try {
      return readlinkSync(this.#at(name), { encoding: "buffer" });
    } catch (error) {
      if (NO_LINK.has(codeOf(error))) return undefined;
      throw error;
    }
  }

  identity(name: Buffer): string | undefined {
    const entry = lstatSync(this.#at(name), { throwIfNoEntry: false, bigint: true });
    return entry && `${entry.dev}:${entry.ino}:${entry.birthtimeNs}`;
  }

  /** Makes a folder that was not there. @throws EEXIST when anything has the name */
  make(name: Buffer): void {
    mkdirSync(this.#at(name), { mode: 0o755 });
  }

  makeLink(name: Buffer, target: Buffer): void {
    symlinkSync(target, this.#at(name));
  }

  /** Moves a name, and not what it may lead to, into another folder. */
  move(name: Buffer, into: HostFolder, as = name): void {
    renameSync(this.#at(name), into.#at(as));
  }

  /** The folder that `names` lead to, without a link on the way; undefined when there is none. The caller closes it. */
  descend(names: readonly Buffer[]): HostFolder | undefined {
    let folder = this.child(HERE);
    for (const name of names) {
      const outer = folder;
      folder = outer?.child(name);
      outer?.close();
    }
    return folder;
  }

  /** Lets its owner change what is in it. */
  makeWritable(): void {
    fchmodSync(this.#descriptor, (fstatSync(this.#descriptor).mode & 0o777) | 0o700);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #at(name: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`/proc/self/fd/${this.#descriptor}/`), name]);
  }
}

function opened<T>(path: Buffer | string, flags: number, made: (descriptor: number) => T): T | undefined {
  try {
    return made(openSync(path, flags));
  } catch (error) {
    if (NO_FOLDER.has(codeOf(error))) return undefined;
    throw error;
  }
}

export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;

const kindOf = (entry: Pick<Dirent, "isDirectory" | "isSymbolicLink">): EntryKind =>
  entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "file";
