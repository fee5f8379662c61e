/** Files in memory, of a disk that may fold case and composition as some do. */
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { childOf, fromSegments, segmentsOf, shownPath } from "../base/virtual-path.js";
import type { FileBackend, FileContent, FileEntry, Version, WriteOptions } from "../filesystem/contract.js";

export interface MemoryFilesOptions {
  /** Default false. */
  readonly foldsCase?: boolean;
  /** Composed and decomposed names are one. Default: as `foldsCase`. */
  readonly normalises?: boolean;
}

interface StoredFile {
  /** As it was first written. */
  readonly names: readonly string[];
  readonly bytes: Uint8Array;
}

let count = 0;

/** A folder is there as long as a file lies below it. */
export class MemoryFiles implements FileBackend {
  readonly id: string;
  readonly foldsCase: boolean;
  readonly #normalises: boolean;
  readonly #files = new Map<string, StoredFile>();

  constructor(options: MemoryFilesOptions = {}) {
    count += 1;
    this.id = `memory:${count}`;
    this.foldsCase = options.foldsCase ?? false;
    this.#normalises = options.normalises ?? this.foldsCase;
  }

  /** Every file as it was first named, for a test to compare. */
  get everything(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.#files.values()].map(({ names, bytes }) => [
        fromSegments(names),
        Buffer.from(bytes).toString(),
      ]),
    );
  }

  async list(path: string): Promise<readonly FileEntry[]> {
    if (this.#files.has(this.#key(path)))
      throw new DeerflowError("not_a_directory", { path: shownPath(path) });
    const depth = segmentsOf(path).length;
    const names = new Map(
      this.#below(path).map(({ names }) => [this.#fold(names[depth] ?? ""), names[depth] ?? ""]),
    );
    if (names.size === 0 && depth > 0) throw new DeerflowError("path_not_found", { path: shownPath(path) });
    const entries = await Promise.all([...names.values()].map((name) => this.stat(childOf(path, name))));
    return entries.filter((entry) => entry !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    const file = this.#files.get(this.#key(path));
    if (file !== undefined) return { path, kind: "file", size: file.bytes.length, modifiedAt: 0 };
    const isFolder = segmentsOf(path).length === 0 || this.#below(path).length > 0;
    return isFolder ? { path, kind: "directory", size: 0, modifiedAt: 0 } : undefined;
  }

  async read(path: string): Promise<FileContent | undefined> {
    const bytes = this.#files.get(this.#key(path))?.bytes;
    return bytes && { bytes, version: sha256(bytes) };
  }

  async write(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<Version> {
    const before = await this.read(path);
    const { expectedVersion } = options;
    if (expectedVersion !== undefined && (before?.version ?? null) !== expectedVersion) {
      throw new DeerflowError("file_changed", { path: shownPath(path) });
    }
    if (before === undefined && (await this.stat(path)) !== undefined) {
      throw new DeerflowError("is_a_directory", { path: shownPath(path) });
    }
    const key = this.#key(path);
    const names = this.#files.get(key)?.names ?? segmentsOf(path);
    this.#files.set(key, { names, bytes: Uint8Array.from(content) });
    return sha256(content);
  }

  async remove(path: string): Promise<boolean> {
    const gone = [...this.#files.keys()].filter((key) => isAtOrBelow(key, this.#key(path)));
    for (const key of gone) this.#files.delete(key);
    return gone.length > 0;
  }

  #below(path: string): readonly StoredFile[] {
    const folder = this.#key(path);
    return [...this.#files].filter(([key]) => isAtOrBelow(key, folder)).map(([, file]) => file);
  }

  #key(path: string): string {
    return segmentsOf(path)
      .map((name) => `/${this.#fold(name)}`)
      .join("");
  }

  #fold(name: string): string {
    const composed = this.#normalises ? name.normalize("NFC") : name;
    // By way of upper case, as disks do that take ß and SS for one.
    return this.foldsCase ? composed.toUpperCase().toLowerCase().normalize("NFC") : composed;
  }
}

const isAtOrBelow = (key: string, folder: string): boolean => key === folder || key.startsWith(`${folder}/`);
