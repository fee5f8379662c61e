/** Files on this machine's disk, seen through a table of mounts. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { childOf, isWithin, nameOf, parentOf, shownPath } from "../base/virtual-path.js";
import type { SandboxMount } from "../sandbox/contract.js";
import type {
  ByteReadable,
  FileBackend,
  FileContent,
  FileEntry,
  FileWriting,
  HostFolder,
  HostSearchable,
  LinkFollowing,
  ListNotes,
  PathJudge,
  PathOperation,
  StreamWritable,
  Version,
  WriteOptions,
} from "./contract.js";
import { foldsCase } from "./disk-case.js";
import { diskError, errnoOf, isAbsence } from "./disk-error.js";
import { type LinkView, type Mounted, resolveLinks } from "./disk-links.js";
import { DISK_LOCK, type HeldName } from "./disk-lock.js";
import { assertRegular, type FilePieces, openPieces, readWhole, versionAt } from "./disk-pieces.js";
import { removeTree } from "./disk-removal.js";
import { clearAbandoned, isTemporaryName, putFile, type Target } from "./disk-write.js";
import { openWriting, type PutInPlace } from "./disk-writing.js";
import { type HeldDirectory, holdDirectory, withDirectory } from "./held-directory.js";
import { MountTable, type Place } from "./mount-table.js";
import { bothJudges } from "./path-judge.js";
import { wayTest } from "./way-test.js";

const DEFAULT_MAX_READ_BYTES = 64 * 1024 * 1024;
const NEW_FILE_MODE = 0o644;
/** What is kept of a replaced file's mode: never setuid, setgid or sticky, for whose content changes, changes hands. */
const KEPT_MODE = 0o777;

/** Writers of one path of one backend wait here, before they hold a folder open. */
const WRITES = new KeyedLock();

export interface MountedDiskOptions {
  readonly mounts: readonly SandboxMount[];
  /** Defaults to a digest of the mounts: the same folders are the same lock space. */
  readonly id?: string;
  /** Larger files are refused by `read`. Bytes, 64 MiB by default. */
  readonly maxReadBytes?: number;
  /** What the target of a link means; `sandbox` by default. */
  readonly links?: LinkView;
  /** Virtual folders that cannot be removed, and so none above them; mounts never can. */
  readonly keeps?: readonly string[];
  /** Whether names that differ only in case are one file; found out at the mounts by default. */
  readonly foldsCase?: boolean;
  /** Asked about every path as it really lies; {@link MountedDiskBackend.judgedBy} adds one. */
  readonly judge?: PathJudge;
}

/**
 * A {@link FileBackend} over host folders. Links are resolved, one that leaves the mounts leads nowhere, and every step
 * is then opened without following links. Writers of one file take turns, also those of other processes of this user:
 * see {@link DISK_LOCK}. Other programs, such as an editor, are only noticed when they are done before the turn.
 */
export class MountedDiskBackend
  implements FileBackend, HostSearchable, ByteReadable, StreamWritable, LinkFollowing
{
  readonly id: string;
  readonly #options: MountedDiskOptions;
  readonly #table: MountTable;
  readonly #maxReadBytes: number;

  constructor(options: MountedDiskOptions) {
    this.#options = options;
    this.#table = new MountTable(options.mounts);
    this.id =
      options.id ?? `disk:${createHash("sha256").update(JSON.stringify(this.#table.mounts)).digest("hex")}`;
    this.#maxReadBytes = options.maxReadBytes ?? DEFAULT_MAX_READ_BYTES;
  }

  get foldsCase(): boolean {
    return this.#options.foldsCase ?? this.#table.mounts.some((mount) => foldsCase(mount.hostPath));
  }

  judgedBy(judge: PathJudge): FileBackend {
    return new MountedDiskBackend({ ...this.#options, judge: bothJudges(this.#options.judge, judge) });
  }

  async realPath(path: string): Promise<string> {
    return (await this.resolve(path)).path;
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    const place = await this.#enter("read", path);
    if (place.kind === "outside") throw new DeerflowError("path_not_found", { path: shownPath(path) });
    const scaffold = this.#table
      .scaffoldChildren(place.path)
      .filter((child) => this.#isReadable(child))
      .map((child) => directoryAt(childOf(path, nameOf(child))));
    const onDisk = place.kind === "mounted" ? await this.#listDisk(place, path, notes) : [];
    const hidden = new Set(scaffold.map((entry) => entry.path));
    return [...scaffold, ...onDisk.filter((entry) => !hidden.has(entry.path))].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    );
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    return this.#statPlace(await this.#enter("read", path), path);
  }

  async read(path: string): Promise<FileContent | undefined> {
    const pieces = await this.openBytes(path);
    return pieces && readWhole(pieces, path, this.#maxReadBytes);
  }

  async openBytes(path: string): Promise<FilePieces | undefined> {
    const place = await this.#enter("read", path);
    if (place.kind !== "mounted" || place.below.length === 0) return undefined;
    return this.#inParent(place, (folder, name) => openPieces(folder, name, path));
  }

  async write(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<Version> {
    const place = await this.#enterToWrite(path);
    return WRITES.hold(`${this.id}\n${place.path}`, () => this.#replace(place, content, options));
  }

  async openWrite(path: string, options: WriteOptions = {}): Promise<FileWriting> {
    const place = await this.#enterToWrite(path);
    try {
      const folder = await holdDirectory(place.mount.hostPath, place.below.slice(0, -1), true);
      const commit = (put: PutInPlace) => this.#commit(folder, place, options, put);
      return await openWriting({ folder, path: place.path, commit });
    } catch (error) {
      throw writeError(error, place);
    }
  }

  async remove(path: string): Promise<boolean> {
    const folder = await this.resolve(parentOf(path));
    const place = this.#table.place(childOf(folder.path, nameOf(path)));
    this.#options.judge?.("remove", place.path);
    if (place.kind === "outside") return false;
    if (place.kind === "scaffold" || place.below.length === 0 || this.#isKept(place.path)) {
      throw new DeerflowError("path_denied", { path: shownPath(path), reason: "it is a fixed folder" });
    }
    this.#assertWritable(place);
    return WRITES.hold(`${this.id}\n${place.path}`, async () => {
      const removed = await this.#inParent(place, (parent, name) =>
        this.#alone(parent, place, async () => {
          await removeTree(parent, name);
          return true;
        }),
      );
      return removed ?? false;
    });
  }

  async openFolders(path: string): Promise<readonly HostFolder[]> {
    const place = await this.#enter("read", path);
    const below = this.#table.mountsBelow(path).filter((mount) => this.#isReadable(mount.virtualPath));
    const folders = await Promise.all(
      place.kind === "mounted"
        ? [this.#openPlace(place, path)]
        : below.map((mount) => this.#openMount(mount.virtualPath)),
    );
    return folders.filter((folder) => folder !== undefined);
  }

  /** Where `path` really lies. Every verb comes through here first. */
  protected resolve(path: string): Promise<Place> {
    return resolveLinks(this.#table, path, this.#options.links ?? "sandbox");
  }

  /** The place is judged as it will be opened: a link that is put on the way from here on is not followed. */
  async #enter(operation: PathOperation, path: string): Promise<Place> {
    const place = await this.resolve(path);
    this.#options.judge?.(operation, place.path);
    return place;
  }

  async #enterToWrite(path: string): Promise<Mounted> {
    const place = await this.#enter("write", path);
    if (place.kind === "outside") {
      throw new DeerflowError("path_denied", { path: shownPath(path), reason: this.#table.writable });
    }
    if (place.kind === "scaffold" || place.below.length === 0) {
      throw new DeerflowError("is_a_directory", { path: shownPath(path) });
    }
    this.#assertWritable(place);
    return place;
  }

  /** For what is only listed: the forbidden is left out. */
  #isReadable(path: string): boolean {
    try {
      this.#options.judge?.("read", path);
      return true;
    } catch (error) {
      if (isForbidden(error)) return false;
      throw error;
    }
  }

  #isKept(path: string): boolean {
    const kept = this.#options.keeps ?? [];
    return this.#table.mountsBelow(path).length > 0 || kept.some((folder) => isWithin(folder, path));
  }

  async #statPlace(place: Place, path: string): Promise<FileEntry | undefined> {
    if (place.kind === "outside") return undefined;
    if (place.kind === "scaffold" || place.below.length === 0) return directoryAt(path);
    const stats = await this.#inParent(place, (folder, name) => lstat(folder.at(name)));
    return stats === undefined ? undefined : entryOf(path, stats);
  }

  async #openPlace(place: Mounted, path: string): Promise<HostFolder | undefined> {
    const isFile = (await this.#statPlace(place, path))?.kind === "file";
    const only = isFile ? place.below.at(-1) : undefined;
    if (only === undefined) return this.#openFolder(place, path);
    const above = { ...place, path: parentOf(place.path), below: place.below.slice(0, -1) };
    const folder = await this.#openFolder(above, parentOf(path));
    return folder && { ...folder, only };
  }

  async #openMount(virtualPath: string): Promise<HostFolder | undefined> {
    const place = this.#table.place(virtualPath);
    return place.kind === "mounted" ? this.#openFolder(place, virtualPath) : undefined;
  }

  /** What is shown of it is judged by where it lies now, not by where its path leads later. */
  async #openFolder(place: Mounted, virtualPath: string): Promise<HostFolder | undefined> {
    const folder = await openFolder(place, virtualPath, this.#options.links !== "host");
    if (folder === undefined || this.#options.judge === undefined) return folder;
    return { ...folder, shows: wayTest((name) => this.#isReadable(childOf(place.path, name))) };
  }

  /** Runs `work` on the held parent; undefined when the parent or the child is not there. */
  async #inParent<T>(
    place: Mounted,
    work: (folder: HeldDirectory, name: string) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await withDirectory(
        place.mount.hostPath,
        place.below.slice(0, -1),
        { create: false },
        (folder) => work(folder, place.below.at(-1) ?? ""),
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
        const names = usable
          .map(String)
          .filter((name) => !isTemporaryName(name) && this.#isReadable(childOf(place.path, name)));
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

  /** One listed child; undefined for what is no file or folder, or leads out of the tree or to what is forbidden. */
  async #child(folder: HeldDirectory, name: string, parent: string): Promise<FileEntry | undefined> {
    const path = childOf(parent, name);
    try {
      const stats = await lstat(folder.at(name));
      if (!stats.isSymbolicLink()) return entryOf(path, stats);
      const target = await this.stat(path);
      return target === undefined ? undefined : { ...target, link: true };
    } catch (error) {
      // A link out of the tree, and a file that went away while the folder was read, are simply not listed.
      const isOutside = DeerflowError.is(error) && error.code === "path_denied";
      if (isAbsence(error) || isOutside || isForbidden(error)) return undefined;
      throw error;
    }
  }

  #assertWritable(place: Mounted): void {
    if (place.mount.mode === "read-write") return;
    const reason = `it is read-only; ${this.#table.writable}`;
    throw new DeerflowError("path_denied", { path: shownPath(place.path), reason });
  }

  async #replace(place: Mounted, content: Uint8Array, options: WriteOptions): Promise<Version> {
    const parent = place.below.slice(0, -1);
    try {
      await withDirectory(place.mount.hostPath, parent, { create: true }, (folder) =>
        this.#alone(folder, place, async (held) => {
          const { mode, target } = await compare(folder, place, options);
          await putFile(folder, { ...target, content, mode }, held);
        }),
      );
    } catch (error) {
      throw writeError(error, place);
    }
    return sha256(content);
  }

  /** What was written piece by piece takes its place, in the folder that it was begun in. */
  #commit(folder: HeldDirectory, place: Mounted, options: WriteOptions, put: PutInPlace): Promise<void> {
    return WRITES.hold(`${this.id}\n${place.path}`, async () => {
      try {
        await this.#alone(folder, place, async (held) => {
          const { mode, target } = await compare(folder, place, options);
          await put(mode, target, held);
        });
      } catch (error) {
        throw writeError(error, place);
      }
    });
  }

  /** The key names the file itself, so that it is the same in every process and below every mount. */
  async #alone<T>(folder: HeldDirectory, place: Mounted, work: (held: HeldName) => Promise<T>): Promise<T> {
    // Where case is folded, two spellings are one file; elsewhere two files share a turn, which does no harm.
    const name = (place.below.at(-1) ?? "").normalize("NFC").toLowerCase();
    return DISK_LOCK.hold(`${await folder.identity()}/${name}`, place.path, async (held) => {
      await clearAbandoned(folder, held);
      return work(held);
    });
  }
}

/** What is there must be what the writer expects; gives the mode that the new file gets. */
async function compare(
  folder: HeldDirectory,
  { path, below }: Mounted,
  { expectedVersion }: WriteOptions,
): Promise<{ readonly mode: number; readonly target: Target }> {
  const name = below.at(-1) ?? "";
  const before = await lstatOrAbsent(folder.at(name));
  if (before?.isDirectory() === true) throw new DeerflowError("is_a_directory", { path: shownPath(path) });
  if (before !== undefined) assertRegular(before, path);
  if (expectedVersion !== undefined && (await versionAt(folder, name, path)) !== expectedVersion) {
    throw new DeerflowError("file_changed", { path: shownPath(path) });
  }
  const mode = before === undefined ? NEW_FILE_MODE : before.mode & KEPT_MODE;
  return { mode, target: { name, path, exclusive: expectedVersion === null } };
}

function writeError(error: unknown, place: Mounted): unknown {
  // The folder of the mount could not be made, since a file is there.
  if (errnoOf(error) === "EEXIST")
    return new DeerflowError("not_a_directory", { path: shownPath(place.mount.virtualPath) }, error);
  // ENOTDIR is about a name above the file.
  return diskError(error, errnoOf(error) === "ENOTDIR" ? parentOf(place.path) : place.path);
}

const isForbidden = (error: unknown): boolean => DeerflowError.is(error) && error.code === "path_forbidden";

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

async function openFolder(
  place: Mounted,
  virtualPath: string,
  isContested: boolean,
): Promise<HostFolder | undefined> {
  const { below } = place;
  const { hostPath } = place.mount;
  try {
    const held = await holdDirectory(hostPath, below);
    const workingDirectory = held.path;
    const close = () => held.close();
    return { virtualPath, workingDirectory, cell: { hostPath, below }, isContested, close };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw diskError(error, place.path);
  }
}
