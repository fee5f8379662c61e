/** Puts one uploaded file into a thread's uploads folder, under a name that nobody has yet. */
import { DeerflowError, VIRTUAL_UPLOADS } from "@deerflow/harness";
import type { FileBackend } from "@deerflow/harness/filesystem";
import { numberedName, safeFileName } from "./upload-name.js";

const MAX_ATTEMPTS = 1000;

/**
 * Each name is claimed by a write that fails when something is there, so that of two uploads neither is lost.
 * @returns the stored name
 */
export async function storeUpload(
  backend: FileBackend,
  sentName: string,
  bytes: Uint8Array,
): Promise<string> {
  const wanted = safeFileName(sentName);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const name = numberedName(wanted, attempt);
    if (await claim(backend, `${VIRTUAL_UPLOADS}/${name}`, bytes)) return name;
  }
  throw new DeerflowError("upload_refused", {
    reason: `there are ${MAX_ATTEMPTS} files named like ${wanted}`,
  });
}

/** False when something is there already. */
async function claim(backend: FileBackend, path: string, bytes: Uint8Array): Promise<boolean> {
  if ((await backend.stat(path)) !== undefined) return false;
  try {
    await backend.write(path, bytes, { expectedVersion: null });
    return true;
  } catch (error) {
    if (DeerflowError.is(error) && error.code === "file_changed") return false;
    throw error;
  }
}
