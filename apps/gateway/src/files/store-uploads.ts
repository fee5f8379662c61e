/** Puts the files of one upload into a thread's uploads folder: all that can be stored, or nothing. */
import { DeerflowError, VIRTUAL_UPLOADS } from "@deerflow/harness";
import type { FileBackend } from "@deerflow/harness/filesystem";
import type { UploadLimits } from "../deps.js";
import { extractUpload, isArchiveName } from "./extract-upload.js";
import { storeUpload } from "./store-upload.js";
import { safeFileName } from "./upload-name.js";

export interface Stored {
  /** Virtual. */
  readonly path: string;
  /** The name under which it was sent, or the archive that it came in. */
  readonly sentName: string;
  readonly size: number;
}

export interface Skipped {
  readonly name: string;
  readonly refusal: DeerflowError;
}

export interface Storing {
  readonly backend: FileBackend;
  readonly limits: UploadLimits;
  /** Whether archives are unpacked. */
  readonly extract: boolean;
  /** Throws when so many bytes are more than the thread may take. */
  requireRoom(bytes: number): void;
}

/**
 * One after the other; what archives unpack to counts as if it had been sent.
 * @returns what came, and the archives that could not be unpacked
 * @throws whatever else went wrong; nothing is kept then
 */
export async function storeUploads(
  sent: readonly File[],
  storing: Storing,
): Promise<{ readonly stored: readonly Stored[]; readonly skipped: readonly Skipped[] }> {
  const stored: Stored[] = [];
  const skipped: Skipped[] = [];
  try {
    for (const file of sent) {
      const came = await unlessRefused(storeOne(file, storing, sizeOf(stored)));
      if (DeerflowError.is(came)) skipped.push({ name: safeFileName(file.name), refusal: came });
      else stored.push(...came);
      storing.requireRoom(sizeOf(stored));
    }
  } catch (error) {
    await removeAll(storing.backend, stored);
    throw error;
  }
  return { stored, skipped };
}

/** An archive that cannot be unpacked is no reason to refuse the other files. */
async function unlessRefused<T>(work: Promise<T>): Promise<T | DeerflowError> {
  try {
    return await work;
  } catch (error) {
    if (isArchiveRefusal(error)) return error;
    throw error;
  }
}

async function storeOne(
  file: File,
  { backend, limits, extract }: Storing,
  before: number,
): Promise<readonly Stored[]> {
  const { name: sentName, size } = file;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (!extract || !isArchiveName(sentName)) {
    return [{ path: `${VIRTUAL_UPLOADS}/${await storeUpload(backend, sentName, bytes)}`, sentName, size }];
  }
  const left = { ...limits, maxTotalSize: limits.maxTotalSize - before };
  const files = await extractUpload(backend, { name: sentName, bytes }, left);
  return files.map((one) => ({ ...one, sentName }));
}

const sizeOf = (stored: readonly Stored[]): number => stored.reduce((sum, { size }) => sum + size, 0);

/** An archive has a folder of its own, which goes as a whole. */
async function removeAll(backend: FileBackend, stored: readonly Stored[]): Promise<void> {
  const entries = stored.map(({ path }) => path.slice(VIRTUAL_UPLOADS.length + 1).split("/")[0]);
  for (const entry of new Set(entries)) await backend.remove(`${VIRTUAL_UPLOADS}/${entry}`);
}

const isArchiveRefusal = (error: unknown): error is DeerflowError =>
  DeerflowError.is(error) && (error.code === "archive_invalid" || error.code === "archive_too_large");
