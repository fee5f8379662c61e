import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder with its parents; an existing one is fine. One step at a time, because Node's own recursive
 * mkdir never returns where the system answers "no such entry" for a new folder (in /proc, say).
 * @throws what the system says
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile; a file of that name has not become a folder.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
