/** The end of a thread's files. */
import { basename, dirname } from "node:path";
import { threadHome } from "../context/home-paths.js";
import type { Principal } from "../context/principal.js";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";

/**
 * Removes everything of a thread on the disk, whatever its commands left there: links are removed and not followed,
 * also where one takes a folder's place meanwhile; no depth, name or mode keeps a file from going.
 */
export async function removeThreadFiles(home: string, principal: Principal, threadId: string): Promise<void> {
  const folder = threadHome(home, principal, threadId);
  await new FilesystemBackend({ rootDir: dirname(folder) }).remove(`/${basename(folder)}`);
}
