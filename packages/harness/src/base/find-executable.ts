import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * The absolute path of a program, looked up in a `PATH` value; `undefined` when it is nowhere there. A relative folder
 * is passed over: what lies below the folder that a process happens to work in is not a program of the machine.
 */
export function findExecutable(name: string, path: string | undefined): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // Not there, or not ours to run: the next folder may have it.
  }
}
