/** Folders that a program works in and removes; those of programs that were killed go with the next one. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isProcessAlive, processIdentity } from "../../base/process-identity.js";

/** @param prefix - names what it is for; the process's number follows */
export function makeScratchFolder(parent: string, prefix: string): string {
  removeLeftovers(parent, prefix);
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}

function removeLeftovers(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid === undefined || isProcessAlive(processIdentity(Number(pid)))) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

export const removeScratchFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
