/** Files on this machine's disk, seen through a table of mounts. */
import { isUtf8 } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { link, lstat, open, readdir, readlink, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { childOf, fromSegments, nameOf, parentOf, segmentsOf, shownPath } from "../base/virtual-path.js";
import type { SandboxMount } from "../sandbox/contract.js";
import type {
  FileBackend,
  FileContent,
  FileEntry,
  HostFolder,
  HostSearchable,
  ListNotes,
  Version,
  WriteOptions,
} from "./contract.js";
import { diskError, errnoOf, isAbsence } from "./disk-error.js";
import { type HeldDirectory, holdDirectory, withDirectory } from "./held-directory.js";
import { MountTable, type Place } from "./mount-table.js";

const MAX_LINKS = 40;
const DEFAULT_MAX_READ_BYTES = 64 * 1024 * 1024;
const TEMPORARY_NAME = /^\.deerflow-[0-9a-f]{16}\.tmp$/;
const NEW_FILE_MODE = 0o644;
/** What is kept of a replaced file's mode: never setuid, setgid or sticky, for whose content changes, changes hands. */
const KEPT_MODE = 0o777;

/** Shared by all backends of this process: a key is a backend's id and a path, so the same file is one key. */
const WRITES = new KeyedLock();

type Mounted = Extract<Place, { kind: "mounted" }>;

export interface MountedDiskOptions {
  readonly mounts: readonly SandboxMount[];
  /** Defaults to a digest of the mounts: the same folders are the same lock space. */
  readonly id?: string;
  /** Larger files are refused by `read`. Bytes, 64 MiB by default. */
  readonly maxReadBytes?: number;
}

/**
 * A {@link FileBackend} over host folders. Links are resolved as a process inside the sandbox would see them,
 * so one that leaves the mounts leads nowhere; every step is then opened without following links.
 */
export class MountedDiskBackend implements FileBackend, HostSearchable {
  readonly id: string;
  readonly #table: MountTable;
  readonly #maxReadBytes: number;

  constructor(options: MountedDiskOptions) {
    this.#table = new MountTable(options.mounts);
    this.id =
      options.id ?? `disk:${createHash("sha256").update(JSON.stringify(this.#table.mounts)).digest("hex")}`;
    this.#maxReadBytes = options.maxReadBytes ?? DEFAULT_MAX_READ_BYTES;
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    const place = await this.#resolve(path);
    if (place.kind === "outside") throw new DeerflowError("path_not_found", { path: shownPath(path) });
    const scaffold = this.#table
      .scaffoldChildren(place.path)
      .map((child) => directoryAt(childOf(path, nameOf(child))));
    const onDisk = place.kind === "mounted" ? await this.#listDisk(place, path, notes) : [];
    const hidden = new Set(scaffold.map((entry) => entry.path));
    return [...scaffold, ...onDisk.filter((entry) => !hidden.has(entry.path))].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    );
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    const place = await this.#resolve(path);
    if (place.kind === "outside") return undefined;
    if (place.kind === "scaffold" || place.below.length === 0) return directoryAt(path);
    const stats = await this.#inParent(place, (folder, name) => lstat(folder.at(name)));
    return stats === undefined ? undefined : entryOf(path, stats);
  }

  async read(path: string): Promise<FileContent | undefined> {
    const place = await this.#resolve(path);
    if (place.kind !== "mounted" || place.below.length === 0) return undefined;
    return this.#inParent(place, (folder, name) => this.#readChild(folder, name, path));
  }

  async write(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<Version> {
    const place = await this.#resolve(path);
    if (place.kind === "outside") {
      throw new DeerflowError("path_denied", { path: shownPath(path), reason: this.#table.writable });
    }
    if (place.kind === "scaffold" || place.below.length === 0) {
      throw new DeerflowError("is_a_directory", { path: shownPath(path) });
    }
    this.#assertWritable(place);
    return WRITES.hold(`${this.id}\n${place.path}`, () => this.#replace(place, content, options));
  }

  async remove(path: string): Promise<boolean> {
    const folder = await this.#resolve(parentOf(path));
    const place = this.#table.place(childOf(folder.path, nameOf(path)));
    if (place.kind === "outside") return false;
    if (
      place.kind === "scaffold" ||
      place.below.length === 0 ||
      this.#table.mountsBelow(place.path).length > 0
    ) {
      throw new DeerflowError("path_denied", { path: shownPath(path), reason: "it is a fixed folder" });
    }
    this.#assertWritable(place);
    return WRITES.hold(`${this.id}\n${place.path}`, async () => {
      const removed = await this.#inParent(place, async (parent, name) => {
        await removeTree(parent, name);
        return true;
      });
      return removed ?? false;
    });
  }

  async openFolders(path: string): Promise<readonly HostFolder[]> {
    const place = await this.#resolve(path);
    const folders = await Promise.all(
      place.kind === "mounted"
        ? [this.#openPlace(place, path)]
        : this.#table.mountsBelow(path).map((mount) => this.#openMount(mount.virtualPath)),
    );
    return folders.filter((folder) => folder !== undefined);
  }

  async #openPlace(place: Mounted, path: string): Promise<HostFolder | undefined> {
    const only = (await this.stat(path))?.kind === "file" ? place.below.at(-1) : undefined;
    if (only === undefined) return openFolder(place, path);
    const folder = await openFolder({ ...place, below: place.below.slice(0, -1) }, parentOf(path));
    return folder && { ...folder, only };
  }

  async #openMount(virtualPath: string): Promise<HostFolder | undefined> {
    const place = this.#table.place(virtualPath);
    return place.kind === "mounted" ? openFolder(place, virtualPath) : undefined;
  }

  /** Follows links component by component in the virtual tree. What is missing ends the looking, not the path. */
  async #resolve(path: string): Promise<Place> {
    let pending: readonly string[] = segmentsOf(path);
    let done: string[] = [];
    let links = 0;
    while (pending.length > 0) {
      const [name = "", ...rest] = pending;
      pending = rest;
      if (name === "..") {
        done = done.slice(0, -1);
        continue;
      }
      const target = await this.#linkTarget([...done, name]);
      if (target === undefined) {
        done = [...done, name];
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw deniedByLink(path);
      if (target.startsWith("/")) done = [];
      pending = [...segmentsOf(target), ...rest];
    }
    const place = this.#table.place(fromSegments(done));
    if (links > 0 && place.kind === "outside") throw deniedByLink(path);
    return place;
  }

  async #linkTarget(segments: readonly string[]): Promise<string | undefined> {
    const place = this.#table.place(fromSegments(segments));
    if (place.kind !== "mounted" || place.below.length === 0) return undefined;
    const hostPath = join(place.mount.hostPath, ...place.below);
    try {
      return (await lstat(hostPath)).isSymbolicLink() ? await readlink(hostPath) : undefined;
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw diskError(error, place.path);
    }
  }

  /** Runs `work` on the held parent; undefined when the parent or the child is not there. */
  async #inParent<T>(
    place: Mounted,
    work: (folder: HeldDirectory, name: string) => Promise<T>,
  ): Promise<T | undefined> {
    const name = place.below.at(-1) ?? "";
    try {
      return await withDirectory(
        place.mount.hostPath,
        place.below.slice(0, -1),
        { create: false },
        (folder) => work(folder, name),
      );
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw diskError(error, place.path);
    }
  }

  async #listDisk(place: Mounted, path: string, notes: ListNotes | undefined): Promise<readonly FileEntry[]> {
    try {
      return await withDirectory(place.mount.hostPath, place.below, { create: false }, async (folder) => {
        const found = await readdir(folder.path, { encoding: "buffer" });
        const usable = found.filter(isUtf8);
        if (notes !== undefined) notes.unusableNames += found.length - usable.length;
        const names = usable.map(String).filter((name) => !TEMPORARY_NAME.test(name));
        const entries = await Promise.all(names.map((name) => this.#child(folder, name, path)));
        return entries.filter((entry) => entry !== undefined);
      });
    } catch (error) {
      if (errnoOf(error) === "ENOENT" && place.below.length === 0) return [];
      if (errnoOf(error) === "ENOTDIR" && (await this.stat(path)) === undefined) {
        throw new DeerflowError("path_not_found", { path: shownPath(path) }, error);
      }
      throw diskError(error, path);
    }
  }

  /** One listed child; undefined for what is no file or folder, or leads out of the tree. */
  async #child(folder: HeldDirectory, name: string, parent: string): Promise<FileEntry | undefined> {
    const path = childOf(parent, name);
    try {
      const stats = await lstat(folder.at(name));
      if (!stats.isSymbolicLink()) return entryOf(path, stats);
      const target = await this.stat(path);
      return target === undefined ? undefined : { ...target, link: true };
    } catch (error) {
      // A link out of the tree, and a file that went away while the folder was read, are simply not listed.
      if (isAbsence(error) || (DeerflowError.is(error) && error.code === "path_denied")) return undefined;
      throw error;
    }
  }

  async #readChild(folder: HeldDirectory, name: string, path: string): Promise<FileContent | undefined> {
    // Non-blocking, or opening a named pipe would wait for its writer.
    const handle = await open(
      folder.at(name),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) return undefined;
      assertRegular(stats, path);
      if (stats.size > this.#maxReadBytes) {
        throw new DeerflowError("file_too_large", {
          path: shownPath(path),
          size: stats.size,
          limit: this.#maxReadBytes,
        });
      }
      const bytes = await handle.readFile();
      return { bytes, version: sha256(bytes) };
    } finally {
      await handle.close();
    }
  }

  #assertWritable(place: Mounted): void {
    if (place.mount.mode === "read-write") return;
    const reason = `it is read-only; ${this.#table.writable}`;
    throw new DeerflowError("path_denied", { path: shownPath(place.path), reason });
  }

  async #replace(place: Mounted, content: Uint8Array, options: WriteOptions): Promise<Version> {
    const name = place.below.at(-1) ?? "";
    try {
      await withDirectory(
        place.mount.hostPath,
        place.below.slice(0, -1),
        { create: true },
        async (folder) => {
          const before = await lstatOrAbsent(folder.at(name));
          if (before?.isDirectory() === true)
            throw new DeerflowError("is_a_directory", { path: shownPath(place.path) });
          if (before !== undefined) assertRegular(before, place.path);
          await this.#assertVersion(folder, name, place.path, options.expectedVersion);
          await putFile(folder, name, content, {
            mode: before === undefined ? NEW_FILE_MODE : before.mode & KEPT_MODE,
            exclusive: options.expectedVersion === null,
          });
        },
      );
    } catch (error) {
      if (errnoOf(error) === "EEXIST")
        throw new DeerflowError("file_changed", { path: shownPath(place.path) }, error);
      // ENOTDIR is about a name above the file.
      throw diskError(error, errnoOf(error) === "ENOTDIR" ? parentOf(place.path) : place.path);
    }
    return sha256(content);
  }

  async #assertVersion(
    folder: HeldDirectory,
    name: string,
    path: string,
    expected: Version | null | undefined,
  ): Promise<void> {
    if (expected === undefined) return;
    const current = await this.#readChild(folder, name, path).catch((error: unknown) => {
      if (isAbsence(error)) return undefined;
      throw error;
    });
    if ((current?.version ?? null) !== expected)
      throw new DeerflowError("file_changed", { path: shownPath(path) });
  }
}

const deniedByLink = (path: string): DeerflowError =>
  new DeerflowError("path_denied", {
    path: shownPath(path),
    reason: "a link on the way leads outside the folders that are visible here",
  });

function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  const reason = stats.isSymbolicLink() ? "a link stands in the way" : "it is not a regular file";
  throw new DeerflowError("path_denied", { path: shownPath(path), reason });
}

const directoryAt = (path: string): FileEntry => ({ path, kind: "directory", size: 0, modifiedAt: 0 });

function entryOf(path: string, stats: Stats): FileEntry | undefined {
  const modifiedAt = Math.trunc(stats.mtimeMs);
  if (stats.isDirectory()) return { path, kind: "directory", size: 0, modifiedAt };
  return stats.isFile() ? { path, kind: "file", size: stats.size, modifiedAt } : undefined;
}

async function lstatOrAbsent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Writes beside the target, flushes, then moves into place: a reader sees the old file or the new one, whole. */
async function putFile(
  folder: HeldDirectory,
  name: string,
  content: Uint8Array,
  options: { readonly mode: number; readonly exclusive: boolean },
): Promise<void> {
  const temporary = folder.at(`.deerflow-${randomBytes(8).toString("hex")}.tmp`);
  const handle = await open(temporary, "wx", options.mode);
  try {
    try {
      await handle.writeFile(content);
      await handle.chmod(options.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // link() refuses an existing target, so "must not exist" holds against other processes too.
    await (options.exclusive ? link(temporary, folder.at(name)) : rename(temporary, folder.at(name)));
  } finally {
    await unlink(temporary).catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
    });
  }
}

/** Removes a file, a link itself, or a folder with all below it, never following a link. */
async function removeTree(folder: HeldDirectory, name: string): Promise<void> {
  if (!(await lstat(folder.at(name))).isDirectory()) return unlink(folder.at(name));
  const inner = await folder.child(name, false);
  try {
    for (const child of await readdir(inner.path)) await removeTree(inner, child);
  } finally {
    await inner.close();
  }
  await rmdir(folder.at(name));
}

async function openFolder(place: Mounted, virtualPath: string): Promise<HostFolder | undefined> {
  try {
    const held = await holdDirectory(place.mount.hostPath, place.below);
    return { virtualPath, workingDirectory: held.path, close: () => held.close() };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw diskError(error, place.path);
  }
}
