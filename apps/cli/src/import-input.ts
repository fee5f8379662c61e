/** Copies a file or folder of the user into a thread's uploads, within the configured limits. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, posix, relative } from "node:path";
import { DeerflowError, VIRTUAL_UPLOADS } from "@deerflow/harness";
import { type FileBackend, FilesystemBackend } from "@deerflow/harness/filesystem";

export interface ImportLimits {
  readonly maxFiles: number;
  readonly maxTotalBytes: number;
}

/** As a client names an upload in `additional_kwargs.files`. */
export interface ImportedFile {
  readonly filename: string;
  readonly size: number;
  readonly path: string;
  readonly status: "uploaded";
}

/** Folders that hold no input of a task but may hold a hundred thousand files. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".deer-flow",
  "__pycache__",
  ".venv",
]);

/** Each waits for the disk most of the time. */
const COPIES_AT_ONCE = 8;

interface Found {
  /** In the source. */
  readonly from: string;
  /** Below the uploads. */
  readonly to: string;
  readonly size: number;
}

/** Where a thread's files are, and where the user's come from. */
export interface ImportPlaces {
  readonly uploads: FileBackend;
  /** The home folder. What lies there was written by an agent, so that no link in it is followed. */
  readonly home: string;
  /** Runs the copying of so many bytes, or throws what says that they may not be kept. */
  readonly admit: (bytes: number, copyAll: () => Promise<void>) => Promise<void>;
}

/**
 * @param input an absolute path on this machine. A link is followed when it is the input itself; links inside a
 *   folder are left out, because they may lead anywhere, and so are names that are not UTF-8
 * @returns one entry for a file, one for a folder as a whole
 * @throws DeerflowError `input_missing`, `input_too_large`, and what `admit` throws; nothing is copied then. `path_denied` where something in
 *   the uploads leads out of the thread
 */
export async function importInput(
  input: string,
  { uploads, home, admit }: ImportPlaces,
  limits: ImportLimits,
): Promise<ImportedFile[]> {
  const name = basename(input);
  const path = await realInput(input, home);
  const stats = await lstat(path);
  if (!stats.isFile() && !stats.isDirectory()) throw missing(input, "it is neither a file nor a folder");
  const source = new FilesystemBackend({ rootDir: stats.isFile() ? dirname(path) : path });
  const target = posix.join(VIRTUAL_UPLOADS, name);
  const found = stats.isFile()
    ? [{ from: `/${basename(path)}`, to: target, size: stats.size }]
    : await findBelow(source, { from: "/", to: target }, limits);
  const size = found.reduce((sum, file) => sum + file.size, 0);
  if (found.length > limits.maxFiles || size > limits.maxTotalBytes) {
    throw new DeerflowError("input_too_large", { path: input, ...limits });
  }
  await admit(size, async () => {
    for (let first = 0; first < found.length; first += COPIES_AT_ONCE) {
      await Promise.all(
        found.slice(first, first + COPIES_AT_ONCE).map((file) => copy(source, uploads, file)),
      );
    }
  });
  return [{ filename: name, size, path: target, status: "uploaded" }];
}

const missing = (path: string, reason: string, cause?: unknown): DeerflowError =>
  new DeerflowError("input_missing", { path, reason }, cause);

async function realInput(input: string, home: string): Promise<string> {
  const real = await realpath(input).catch((error: unknown) => {
    throw missing(input, "nothing is there", error);
  });
  const inHome = relative(home, input);
  const isOutside = inHome.startsWith("..") || isAbsolute(inHome);
  if (isOutside || real === join(await realpath(home), inHome)) return real;
  throw missing(input, "a link in the files of a thread leads to it");
}

/** Every file below, in order of name. Stops soon after there are more than allowed. */
async function findBelow(
  source: FileBackend,
  { from, to }: Pick<Found, "from" | "to">,
  limits: ImportLimits,
): Promise<Found[]> {
  const files: Found[] = [];
  for (const { path, kind, size, link } of await source.list(from)) {
    const name = posix.basename(path);
    if (link === true || SKIPPED_FOLDERS.has(name)) continue;
    const inner = { from: path, to: `${to}/${name}` };
    if (kind === "file") files.push({ ...inner, size });
    else files.push(...(await findBelow(source, inner, limits)));
    if (files.length > limits.maxFiles) break;
  }
  return files;
}

/** Nothing more than was found: what has grown since, is cut off with an error and not stored. */
async function copy(source: FilesystemBackend, uploads: FileBackend, file: Found): Promise<void> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (await source.openBytes(file.from)) ?? []) {
    size += piece.length;
    if (size > file.size) throw missing(posix.basename(file.to), "it changes while it is read");
    pieces.push(piece);
  }
  await uploads.write(file.to, Buffer.concat(pieces));
}
