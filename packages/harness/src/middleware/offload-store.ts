/** Puts long texts into files of one folder, under names that no call id can bend, and keeps that folder small. */
import { randomBytes } from "node:crypto";
import { DeerflowError, reasonOf } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import type { Logger } from "../base/logger.js";
import { childOf, nameOf } from "../base/virtual-path.js";
import { isStreamWritable } from "../filesystem/capabilities.js";
import type { FileBackend, FileEntry, FileWriting } from "../filesystem/contract.js";

/** What of the folder is kept; beyond it the oldest files are removed. */
export interface OffloadRetention {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

const MEBIBYTE = 1024 * 1024;

/** Far beyond what a conversation holds: a file must not go while a stub that names it is still there. */
export const DEFAULT_RETENTION: OffloadRetention = { maxFiles: 2000, maxBytes: 500 * MEBIBYTE };

/** For the model: how long a file stays. Undefined where nothing is ever removed. */
export function keptFor({ files, retention }: Pick<OffloadPlace, "files" | "retention">): string | undefined {
  if (files.canRemove === false) return undefined;
  return `It is kept while it is among the newest ${retention.maxFiles} files and ${sizeOf(retention.maxBytes)} of its folder.`;
}

const sizeOf = (bytes: number): string =>
  bytes >= MEBIBYTE ? `${Math.floor(bytes / MEBIBYTE)} MB` : `${bytes} bytes`;

export interface OffloadPlace {
  readonly files: FileBackend;
  /** A path of the backend. */
  readonly folder: string;
  readonly retention: OffloadRetention;
  readonly logger: Logger;
}

/** What a file is named after. */
export interface OffloadName {
  /** The tool or role, whatever it is called. */
  readonly origin: string;
  /** {@link digestOf} the call and the text. */
  readonly digest: string;
  readonly extension: "txt" | "json" | "log" | "md";
}

const ORIGIN_CHARACTERS = 40;
const DIGEST_CHARACTERS = 12;
const MAX_NAMES = 20;
/** Only files of this form are ever removed: the folder is open to the agent, which may keep its own in it. */
const OFFLOADED = /^[A-Za-z0-9_-]{1,40}-[0-9a-f]{12}(?:-\d{1,2})?\.(?:txt|json|log|md)$/;

/** Twelve hexadecimal digits for who said what; the lengths keep two neighbours apart. */
export function digestOf(owner: readonly string[], text: string): string {
  const named = owner.map((part) => `${part.length}:${part}`).join("");
  return sha256(`${named}${text}`).slice(0, DIGEST_CHARACTERS);
}

/** A name for the log, the stub and the file: what is no letter, digit, `_` or `-` becomes `_`. */
export const safeName = (origin: string): string =>
  origin.slice(0, ORIGIN_CHARACTERS).replaceAll(/[^A-Za-z0-9_-]/g, "_") || "unknown";

/**
 * Writes the text under a name of its own: an existing file is never replaced, and one with the same content is
 * taken as it is. Then removes what the retention does not allow for.
 * @returns the path of the file
 * @throws whatever the backend throws when nothing could be written
 */
export async function storeOffload(place: OffloadPlace, name: OffloadName, text: string): Promise<string> {
  const bytes = Buffer.from(text, "utf8");
  for (const candidate of namesFor(name)) {
    const path = childOf(place.folder, candidate);
    try {
      await place.files.write(path, bytes, { expectedVersion: null });
      await prune(place, path);
      return path;
    } catch (error) {
      if (!DeerflowError.is(error) || error.code !== "file_changed") throw error;
      if (await holds(place.files, path, bytes)) return path;
    }
  }
  throw new DeerflowError("file_changed", { path: place.folder });
}

/** A text that is written piece by piece, to a file that is there at the end. */
export interface OffloadWriting extends Pick<FileWriting, "write" | "abort"> {
  /** False where it is in memory until then. */
  readonly isStreamed: boolean;
  /** Puts it in place, as {@link storeOffload} does. Gives the path. */
  commit(): Promise<string>;
}

/**
 * Begins a file whose text is not known yet, under a name that nobody can know before.
 * @throws whatever the backend throws
 */
export async function openOffload(
  place: OffloadPlace,
  { origin, extension }: Omit<OffloadName, "digest">,
): Promise<OffloadWriting> {
  const digest = randomBytes(DIGEST_CHARACTERS / 2).toString("hex");
  const path = childOf(place.folder, `${safeName(origin)}-${digest}.${extension}`);
  const { files } = place;
  const streamed = isStreamWritable(files)
    ? await files.openWrite(path, { expectedVersion: null })
    : undefined;
  const writing = streamed ?? inMemory(files, path);
  return {
    isStreamed: streamed !== undefined,
    write: (bytes) => writing.write(bytes),
    abort: () => writing.abort(),
    async commit() {
      await writing.commit();
      // Its folder may have been moved away while it was written, and who is told a path must find it there.
      if ((await files.stat(path)) === undefined) throw new DeerflowError("file_changed", { path });
      await prune(place, path);
      return path;
    },
  };
}

/** For a backend that takes files whole. */
function inMemory(files: FileBackend, path: string): FileWriting {
  const pieces: Uint8Array[] = [];
  return {
    write: async (bytes) => void pieces.push(bytes),
    commit: async () => void (await files.write(path, Buffer.concat(pieces), { expectedVersion: null })),
    abort: async () => void pieces.splice(0),
  };
}

/** Where {@link storeOffload} would put the text now; writes nothing. */
export async function freePathFor(place: OffloadPlace, name: OffloadName, text: string): Promise<string> {
  const bytes = Buffer.from(text, "utf8");
  for (const candidate of namesFor(name)) {
    const path = childOf(place.folder, candidate);
    const isFree = (await place.files.stat(path)) === undefined;
    if (isFree || (await holds(place.files, path, bytes))) return path;
  }
  throw new DeerflowError("file_changed", { path: place.folder });
}

function* namesFor({ origin, digest, extension }: OffloadName): Generator<string> {
  const stem = `${safeName(origin)}-${digest}`;
  yield `${stem}.${extension}`;
  for (let number = 2; number <= MAX_NAMES; number += 1) yield `${stem}-${number}.${extension}`;
}

async function holds(files: FileBackend, path: string, bytes: Uint8Array): Promise<boolean> {
  const entry = await files.stat(path);
  if (entry?.kind !== "file" || entry.size !== bytes.length) return false;
  return (await files.read(path))?.version === sha256(bytes);
}

/** A folder that is too full is a nuisance, and no reason to lose what was just stored. */
async function prune({ files, folder, retention, logger }: OffloadPlace, written: string): Promise<void> {
  if (files.canRemove === false) return;
  try {
    for (const path of surplus(await files.list(folder), retention, written)) await files.remove(path);
  } catch (error) {
    logger.warn("Old offloaded files could not be removed", { folder, reason: reasonOf(error) });
  }
}

/** The files to remove, oldest first: never `written`, and nothing that was not offloaded. Pure. */
export function surplus(
  entries: readonly FileEntry[],
  { maxFiles, maxBytes }: OffloadRetention,
  written: string,
): readonly string[] {
  const offloaded = entries
    .filter(({ kind, link, path }) => kind === "file" && link === undefined && OFFLOADED.test(nameOf(path)))
    .sort((a, b) => a.modifiedAt - b.modifiedAt || (a.path < b.path ? -1 : 1));
  let files = offloaded.length;
  let bytes = offloaded.reduce((sum, { size }) => sum + size, 0);
  const removed: string[] = [];
  for (const { path, size } of offloaded) {
    if (files <= maxFiles && bytes <= maxBytes) break;
    if (path === written) continue;
    removed.push(path);
    files -= 1;
    bytes -= size;
  }
  return removed;
}
