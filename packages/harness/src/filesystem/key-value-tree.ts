/** A tree of files over a flat map from path to file. Folders are not stored: a longer key makes its folders. */
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { childOf, isWithin, parseVirtualPath, shownPath } from "../base/virtual-path.js";
import type { FileContent, FileEntry, ListNotes, Version } from "./contract.js";
import { bytesOf, modifiedAtOf, sizeOf } from "./file-data.js";

/** What lies at which path; a Map is one. Values are stored files in any form that can be read. */
export interface FlatFiles {
  /** Undefined when no file is there. */
  get(path: string): unknown;
  keys(): Iterable<string>;
}

/**
 * The direct children of a folder, sorted. A key that no path can spell is counted where it would be shown.
 * @throws DeerflowError `path_not_found`, `not_a_directory`
 */
export function listFlat(files: FlatFiles, path: string, notes?: ListNotes): readonly FileEntry[] {
  if (fileAt(files, path) !== undefined)
    throw new DeerflowError("not_a_directory", { path: shownPath(path) });
  const names = new Set<string>();
  for (const key of files.keys()) if (path === "/" || isBelow(key, path)) names.add(childNameIn(key, path));
  if (path !== "/" && names.size === 0) throw new DeerflowError("path_not_found", { path: shownPath(path) });
  const usable = [...names].filter((name) => isSpelled(path, name));
  if (notes !== undefined) notes.unusableNames += names.size - usable.length;
  return usable
    .map((name) => childOf(path, name))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((child) => entryAt(child, fileAt(files, child)));
}

/** What is at `path`; undefined when nothing is. */
export function statFlat(files: FlatFiles, path: string): FileEntry | undefined {
  const stored = fileAt(files, path);
  return stored !== undefined || isFolder(files, path) ? entryAt(path, stored) : undefined;
}

/** @throws DeerflowError `stored_file_invalid` */
export function readFlat(files: FlatFiles, path: string): FileContent | undefined {
  const stored = fileAt(files, path);
  if (stored === undefined) return undefined;
  const bytes = bytesOf(path, stored);
  return { bytes, version: sha256(bytes) };
}

/**
 * That a file may be written at `path`, and that what lies there is what the writer expects.
 * @throws DeerflowError `is_a_directory`, `not_a_directory`, `file_changed`
 */
export function assertWritable(
  files: FlatFiles,
  path: string,
  expectedVersion: Version | null | undefined,
): void {
  if (fileAt(files, path) === undefined && isFolder(files, path)) {
    throw new DeerflowError("is_a_directory", { path: shownPath(path) });
  }
  const file = foldersAbove(path).find((folder) => files.get(folder) !== undefined);
  if (file !== undefined) throw new DeerflowError("not_a_directory", { path: shownPath(file) });
  if (expectedVersion === undefined) return;
  if ((readFlat(files, path)?.version ?? null) === expectedVersion) return;
  throw new DeerflowError("file_changed", { path: shownPath(path) });
}

/**
 * The keys that go when `path` is removed: its own and all below it.
 * @throws DeerflowError `path_denied` for the root
 */
export function keysToRemove(files: FlatFiles, path: string): readonly string[] {
  assertRemovable(path);
  return [...files.keys()].filter((key) => key === path || isBelow(key, path));
}

/** @throws DeerflowError `path_denied` for the root */
export function assertRemovable(path: string): void {
  if (path === "/") throw new DeerflowError("path_denied", { path, reason: "it is the top folder" });
}

/** Every folder on the way to `path`, the nearest first, without the root. */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end));
  }
  return folders;
}

/** True for a key that makes a folder of `path`. */
export const isBelow = (key: string, path: string): boolean =>
  key !== path && key.startsWith("/") && isWithin(key, path);

/** The root is a folder even where somebody stored a file under its key. */
const fileAt = (files: FlatFiles, path: string): unknown => (path === "/" ? undefined : files.get(path));

function isFolder(files: FlatFiles, path: string): boolean {
  if (path === "/") return true;
  for (const key of files.keys()) if (isBelow(key, path)) return true;
  return false;
}

/** The first name of a key below `path`; of a key that is no absolute path a name that no path can spell. */
function childNameIn(key: string, path: string): string {
  if (!key.startsWith("/")) return `/${key}`;
  return key.slice(path === "/" ? 1 : path.length + 1).split("/", 1)[0] ?? "";
}

function isSpelled(folder: string, name: string): boolean {
  if (name === "") return false;
  const path = childOf(folder, name);
  try {
    return parseVirtualPath(path) === path;
  } catch {
    return false;
  }
}

function entryAt(path: string, stored: unknown): FileEntry {
  if (stored === undefined) return { path, kind: "directory", size: 0, modifiedAt: 0 };
  return { path, kind: "file", size: sizeOf(stored), modifiedAt: modifiedAtOf(stored) };
}
