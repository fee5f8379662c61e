import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** What the home holds is its owner's: conversations, files, logs. */
const OWNER_ONLY = 0o700;

/**
 * Makes a folder with its parents, for the owner only; an existing one is fine and keeps its mode. One step at a time, because Node's own recursive
 * mkdir never returns where the system answers "no such entry" for a new folder (in /proc, say).
 * @throws what the system says
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, OWNER_ONLY);
  } catch (error) {
    // Another process may have made it meanwhile; a file of that name has not become a folder.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
