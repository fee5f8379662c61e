/** The count that is kept while an archive is gone through: what there is, and whether it is still within the limits. */
import { segmentsOf } from "../../base/virtual-path.js";
import { archiveTooLarge, entryRefused } from "./archive-error.js";
import { type ArchiveEntry, type ArchiveLimits, RATIO_FLOOR_BYTES } from "./contract.js";
import { faultOfName } from "./entry-path.js";

export interface TallyOptions {
  readonly limits: ArchiveLimits;
  /** Bytes. */
  readonly archiveSize: number;
  /** Whether names that differ only in case are one file where they are written. */
  readonly foldsCase: boolean;
}

/** Knows only what it was told: no size that an archive declares counts here. */
export class ArchiveTally {
  readonly #options: TallyOptions;
  readonly #known = new Map<string, ArchiveEntry["kind"]>();
  #entries = 0;
  #bytes = 0;

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  /**
   * Takes an entry in.
   * @returns the names on the way to it, from the folder on; none for the folder itself
   * @throws DeerflowError `archive_invalid`, `archive_too_large`
   */
  enter({ name, kind, fault }: ArchiveEntry): readonly string[] {
    const found = faultOfName(name) ?? fault;
    if (found !== undefined) throw entryRefused(name, found);
    const segments = segmentsOf(name);
    if (segments.length === 0 && kind === "file") throw entryRefused(name, "has no name");
    for (let length = 1; length < segments.length; length += 1)
      this.#know(segments.slice(0, length), "folder", name);
    if (segments.length > 0) this.#know(segments, kind, name);
    this.#entries += 1;
    const { maxEntries } = this.#options.limits;
    if (Math.max(this.#entries, this.#known.size) > maxEntries)
      throw archiveTooLarge(`it holds more than ${maxEntries} files and folders`);
    return segments;
  }

  /** Passes the content of a file through, as long as it is within the limits. */
  async *counted(name: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { maxFileBytes } = this.#options.limits;
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      if (size > maxFileBytes) throw archiveTooLarge(`${name} unpacks to more than ${maxFileBytes} bytes`);
      this.#add(piece.length);
      yield piece;
    }
  }

  #add(bytes: number): void {
    const { limits, archiveSize } = this.#options;
    this.#bytes += bytes;
    if (this.#bytes > limits.maxTotalBytes)
      throw archiveTooLarge(`it unpacks to more than ${limits.maxTotalBytes} bytes`);
    if (this.#bytes > Math.max(RATIO_FLOOR_BYTES, archiveSize * limits.maxRatio))
      throw archiveTooLarge(`it unpacks to more than ${limits.maxRatio} times its size`);
  }

  #know(segments: readonly string[], kind: ArchiveEntry["kind"], name: string): void {
    const path = segments.join("/");
    const key = this.#options.foldsCase ? path.normalize("NFC").toLowerCase() : path;
    const before = this.#known.get(key);
    if (before === "file" && kind === "file") throw entryRefused(name, "occurs twice");
    if (before !== undefined && before !== kind) throw entryRefused(name, "is both a file and a folder");
    this.#known.set(key, kind);
  }
}
