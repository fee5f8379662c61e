/** Unpacks one uploaded archive into a folder of a thread's uploads that is named after it. */
import { DeerflowError, VIRTUAL_UPLOADS } from "@deerflow/harness";
import { type ExtractedFile, extractArchive, type FileBackend } from "@deerflow/harness/filesystem";
import type { UploadLimits } from "../deps.js";
import { numberedName, safeFileName } from "./upload-name.js";

const ARCHIVE_NAME = /\.(?:zip|tar|tar\.gz|tgz)$/i;
const MAX_ENTRIES = 2000;
const MAX_ATTEMPTS = 100;

/** By the name alone: what is inside is looked at when it is unpacked. */
export const isArchiveName = (name: string): boolean => ARCHIVE_NAME.test(name);

/**
 * @param limits those of a file hold for the archive and for each file in it, that of the whole for all files together
 * @returns what came
 * @throws DeerflowError `archive_invalid`, `archive_too_large`, `upload_refused`; nothing of the archive is kept then
 */
export async function extractUpload(
  backend: FileBackend,
  sent: { readonly name: string; readonly bytes: Uint8Array },
  limits: Pick<UploadLimits, "maxFileSize" | "maxTotalSize">,
): Promise<readonly ExtractedFile[]> {
  const wanted = safeFileName(sent.name.replace(ARCHIVE_NAME, ""));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const folder = `${VIRTUAL_UPLOADS}/${numberedName(wanted, attempt)}`;
    if ((await backend.stat(folder)) !== undefined) continue;
    const files = await unlessTaken(
      extractArchive(backend, sent.bytes, {
        folder,
        limits: {
          maxArchiveBytes: limits.maxFileSize,
          maxFileBytes: limits.maxFileSize,
          maxTotalBytes: limits.maxTotalSize,
          maxEntries: MAX_ENTRIES,
        },
      }),
    );
    if (files !== undefined) return files;
  }
  throw new DeerflowError("upload_refused", {
    reason: `there are ${MAX_ATTEMPTS} folders named like ${wanted}`,
  });
}

/** Undefined when another was faster at the folder. */
async function unlessTaken<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (DeerflowError.is(error) && error.code === "archive_folder_taken") return undefined;
    throw error;
  }
}
