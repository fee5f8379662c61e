/** Copies a file or folder of the user into a thread's uploads, within the configured limits. */
import { copyFile, lstat, mkdir, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { DeerflowError } from "@deerflow/harness";

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

const VIRTUAL_UPLOADS = "/mnt/user-data/uploads";
/** Folders that hold no input of a task but may hold a hundred thousand files. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".deer-flow",
  "__pycache__",
  ".venv",
]);

interface Found {
  readonly from: string;
  /** Relative to the uploads folder, with forward slashes. */
  readonly to: string;
  readonly size: number;
}

/**
 * @param input an absolute path on this machine. A link is followed when it is the input itself; links inside a
 *   folder are left out, because they may lead anywhere
 * @returns one entry for a file, one for a folder as a whole
 * @throws DeerflowError `input_missing`, `input_too_large`; nothing is copied then
 */
export async function importInput(
  input: string,
  uploads: string,
  limits: ImportLimits,
): Promise<ImportedFile[]> {
  const name = basename(input);
  const found = await find(await realPath(input), name, limits);
  if (found === undefined) {
    throw new DeerflowError("input_missing", { path: input, reason: "it is neither a file nor a folder" });
  }
  const size = found.reduce((sum, file) => sum + file.size, 0);
  if (found.length > limits.maxFiles || size > limits.maxTotalBytes) {
    throw new DeerflowError("input_too_large", { path: input, ...limits });
  }
  for (const file of found) {
    const target = join(uploads, ...file.to.split("/"));
    await mkdir(dirname(target), { recursive: true });
    await copyFile(file.from, target);
  }
  return [{ filename: name, size, path: posix.join(VIRTUAL_UPLOADS, name), status: "uploaded" }];
}

async function realPath(input: string): Promise<string> {
  try {
    return await realpath(input);
  } catch (error) {
    throw new DeerflowError("input_missing", { path: input, reason: "nothing is there" }, error);
  }
}

/** Undefined for what is neither a file nor a folder. */
async function find(path: string, to: string, limits: ImportLimits): Promise<Found[] | undefined> {
  const stats = await lstat(path);
  if (stats.isFile()) return [{ from: path, to, size: stats.size }];
  if (!stats.isDirectory()) return undefined;
  const files: Found[] = [];
  for (const name of (await readdir(path)).sort()) {
    if (SKIPPED_FOLDERS.has(name)) continue;
    files.push(...((await find(join(path, name), `${to}/${name}`, limits)) ?? []));
    if (files.length > limits.maxFiles) break;
  }
  return files;
}
