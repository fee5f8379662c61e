/** Names for what this process leaves on the machine while it lives, so that a later one can tell what nobody owns. */
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { isProcessAlive, processIdentity } from "../base/process-identity.js";

const PREFIX = "deerflow";
const OWNED = /^deerflow\.(\d+)\.(\d*)\./;

/** `deerflow.<process number>.<start>.`, to be continued by whatever makes it unique. */
export function ownedPrefix(): string {
  const [, pid, start] = processIdentity().split("/");
  return `${PREFIX}.${pid}.${start}.`;
}

/** Whether a name was made by a process of this machine that has ended. */
export function isAbandoned(name: string): boolean {
  const [, pid, start] = OWNED.exec(name) ?? [];
  return pid !== undefined && !isProcessAlive(`${hostname()}/${pid}/${start}`);
}

/** A new folder of this process, closed to others, whose name goes on with `mark`. Whoever makes it takes it away. */
export const ownedFolder = (mark: string, folder: string = tmpdir()): string =>
  mkdtempSync(join(folder, `${ownedPrefix()}${mark}`));

/**
 * Takes away what killed processes left in `folder` under names that go on with `mark`.
 *
 * @param files all that may lie in one that was given to another user
 */
export function sweepAbandoned(mark: string, folder: string = tmpdir(), files: readonly string[] = []): void {
  const left = readdirSync(folder).filter((name) => name.includes(`.${mark}`) && isAbandoned(name));
  for (const name of left) {
    try {
      removeLeft(join(folder, name), files);
    } catch {
      // Not ours to remove, or another process was faster.
    }
  }
}

/** Only what is this user's own is looked into: another could swap folders for links meanwhile. */
function removeLeft(path: string, files: readonly string[]): void {
  if (lstatSync(path).uid === process.getuid?.()) return rmSync(path, { recursive: true, force: true });
  for (const file of files) unlinkSync(join(path, file));
  rmdirSync(path);
}
