/** The tree below a folder, as a list of paths that a model can use as they stand. */
import { isAbsence } from "./disk-error.js";
import { DeerflowError } from "../base/errors.js";
import { listedPath, nameOf } from "../base/virtual-path.js";
import type { FileBackend, FileEntry, ListNotes } from "./contract.js";
import { fittingLines } from "./fitting-lines.js";
import { unusableNote } from "./unusable-names.js";

/** Folders that are named but not looked into: what tools put there is rarely what is looked for. */
const NOT_OPENED: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  ".venv",
  "venv",
  "node_modules",
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".cache",
  ".idea",
  ".next",
  ".turbo",
  "dist",
  "build",
  "target",
]);

export interface TreeListing {
  /** In order of name, each folder followed by what is in it. */
  readonly entries: readonly FileEntry[];
  /** Folders whose content is left out on purpose. */
  readonly notOpened: readonly string[];
  /** How many names are left out because they are not UTF-8. */
  readonly unusableNames: number;
}

/**
 * Lists `depth` levels below `path`. A folder below that cannot be read is named but not opened.
 * @throws DeerflowError `path_not_found`, `not_a_directory`, `path_denied` for `path` itself
 */
export async function listTree(files: FileBackend, path: string, depth: number): Promise<TreeListing> {
  const entries: FileEntry[] = [];
  const notOpened: string[] = [];
  const notes: ListNotes = { unusableNames: 0 };
  for (const entry of await files.list(path, notes)) {
    entries.push(entry);
    if (entry.kind === "file" || depth <= 1) continue;
    const below = NOT_OPENED.has(nameOf(entry.path))
      ? undefined
      : await listBelow(files, entry.path, depth - 1);
    if (below === undefined) notOpened.push(entry.path);
    entries.push(...(below?.entries ?? []));
    notOpened.push(...(below?.notOpened ?? []));
    notes.unusableNames += below?.unusableNames ?? 0;
  }
  return { entries, notOpened, ...notes };
}

async function listBelow(files: FileBackend, path: string, depth: number): Promise<TreeListing | undefined> {
  try {
    return await listTree(files, path, depth);
  } catch (error) {
    if (isAbsence(error) || (DeerflowError.is(error) && error.retry === "model")) return undefined;
    throw error;
  }
}

/** One path a line, folders with a final "/", at most `limit` characters. */
export function renderTree(path: string, tree: TreeListing, limit: number): string {
  const { entries, notOpened, unusableNames } = tree;
  if (entries.length === 0 && unusableNames === 0) return `${path} is empty.`;
  const lines = entries.map((entry) => `${listedPath(entry.path)}${entry.kind === "directory" ? "/" : ""}`);
  const shown = fittingLines(lines, limit);
  const notes = [
    ...(shown < lines.length ? [`[${moreNotShown(lines.length - shown)}. List a folder below.]`] : []),
    ...(notOpened.length > 0
      ? [`[Not looked into: ${notOpened.slice(0, 10).map(listedPath).join(", ")}.]`]
      : []),
    ...unusableNote(unusableNames),
  ];
  return [...lines.slice(0, shown), ...notes].join("\n");
}

/** How the end of a cut listing begins. */
export const moreNotShown = (count: number): string =>
  `${count} more ${count === 1 ? "is" : "are"} not shown`;
