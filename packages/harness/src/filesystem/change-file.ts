/** Changing a file as one step: read, change, compare and set. */
import { DeerflowError } from "../base/errors.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { shownPath } from "../base/virtual-path.js";
import type { FileBackend, FileContent, Version } from "./contract.js";

/** Changes of this process take turns; only another process can come between, and rarely does twice. */
const CHANGES = new KeyedLock();
/** Two processes that edit one file without pause overtake each other a few times in a row. */
const CHANGE_ATTEMPTS = 25;

/**
 * The content of a file that must be there.
 * @throws DeerflowError `path_not_found`, `is_a_directory`
 */
export async function readExisting(files: FileBackend, path: string): Promise<FileContent> {
  const content = await files.read(path);
  if (content === undefined) throw await absence(files, path);
  return content;
}

/** Why no file could be read at `path`. */
export async function absence(files: FileBackend, path: string): Promise<DeerflowError> {
  const isDirectory = (await files.stat(path))?.kind === "directory";
  return new DeerflowError(isDirectory ? "is_a_directory" : "path_not_found", { path: shownPath(path) });
}

/** What a change makes of a file, with what is worth telling about it. */
export interface Change<Told> {
  readonly bytes: Uint8Array;
  readonly told: Told;
}

export interface Changed<Told> {
  readonly version: Version;
  readonly told: Told;
}

/**
 * Reads, changes and writes a file as one step: when another writer comes between, the change is made again from the
 * new content, so that of two changes neither is lost.
 * @param change may run several times; given undefined where no file is
 * @throws DeerflowError `file_changed` when other writers never let it through; `file_too_large_to_edit`; whatever `change` throws
 */
export const changeFile = <Told>(
  files: FileBackend,
  path: string,
  change: (content: FileContent | undefined) => Change<Told> | Promise<Change<Told>>,
): Promise<Changed<Told>> => inTurn(files, path, () => changeOnce(files, path, change));

/** Runs `work` when no other change of the file is under way in this process. */
export const inTurn = <T>(files: FileBackend, path: string, work: () => Promise<T>): Promise<T> =>
  CHANGES.hold(`${files.id}\n${path}`, work);

/** What is too large to be read at once cannot be changed in parts either, however it is read. */
async function readToChange(files: FileBackend, path: string): Promise<FileContent | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (!DeerflowError.is(error) || error.code !== "file_too_large") throw error;
    throw new DeerflowError("file_too_large_to_edit", error.details, error);
  }
}

async function changeOnce<Told>(
  files: FileBackend,
  path: string,
  change: (content: FileContent | undefined) => Change<Told> | Promise<Change<Told>>,
): Promise<Changed<Told>> {
  for (let attempt = 1; ; attempt += 1) {
    const content = await readToChange(files, path);
    const { bytes, told } = await change(content);
    try {
      return { version: await files.write(path, bytes, { expectedVersion: content?.version ?? null }), told };
    } catch (error) {
      const overtaken = DeerflowError.is(error) && error.code === "file_changed";
      if (!overtaken || attempt === CHANGE_ATTEMPTS) throw error;
    }
  }
}
