/** Copies a file or folder of the user into a thread's uploads, within the configured limits. */
import { copyFile, lstat, mkdir, readdir } from "node:fs/promises";
import { basename, join, posix, resolve } from "node:path";
import { DeerflowError, reasonOf } from "@deerflow/harness";

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
 * @param input a path on this machine; links inside a folder are left out, because they may lead anywhere
 * @returns one entry for a file, one for a folder as a whole
 * @throws DeerflowError `input_missing`, `input_too_large`; nothing is copied then
 */
export async function importInput(
  input: string,
  uploads: string,
  limits: ImportLimits,
): Promise<ImportedFile[]> {
  const path = resolve(input);
  const found = await find(path, basename(path), limits);
  const total = found.reduce((sum, file) => sum + file.size, 0);
  if (found.length > limits.maxFiles || total > limits.maxTotalBytes) {
    throw new DeerflowError("input_too_large", { path: input, ...limits });
  }
  for (const file of found) {
    const target = join(uploads, ...file.to.split("/"));
    await mkdir(resolve(target, ".."), { recursive: true });
    await copyFile(file.from, target);
  }
  return [
    {
      filename: basename(path),
      size: total,
      path: posix.join(VIRTUAL_UPLOADS, basename(path)),
      status: "uploaded",
    },
  ];
}

async function find(path: string, to: string, limits: ImportLimits): Promise<Found[]> {
  const stats = await lstat(path).catch((error: unknown) => {
    throw new DeerflowError("input_missing", { path, reason: reasonOf(error) }, error);
  });
  if (stats.isFile()) return [{ from: path, to, size: stats.size }];
  if (!stats.isDirectory()) return [];
  const files: Found[] = [];
  for (const name of (await readdir(path)).sort()) {
    if (SKIPPED_FOLDERS.has(name)) continue;
    files.push(...(await find(join(path, name), `${to}/${name}`, limits)));
    if (files.length > limits.maxFiles) break;
  }
  return files;
}
