/** Where a person finds the results of a run on this machine. */
import { dirname, join } from "node:path";
import { type threadDirectories, threadFiles, VIRTUAL_USER_DATA } from "@deerflow/harness";

/**
 * The host paths of those results that are files of the thread now. A link is told by what it leads to in the thread;
 * one that leads elsewhere is not told, for whoever opens it would open what an agent chose.
 * @param artifacts virtual paths
 */
export async function resultPaths(
  directories: ReturnType<typeof threadDirectories>,
  artifacts: readonly string[],
): Promise<readonly string[]> {
  const files = threadFiles(directories);
  const found = artifacts.map(async (path) => {
    try {
      const real = await files.realPath(path);
      const isFile = (await files.stat(real))?.kind === "file";
      return isFile ? join(dirname(directories.outputs), real.slice(VIRTUAL_USER_DATA.length)) : undefined;
    } catch {
      return undefined; // what cannot be looked at is no result
    }
  });
  return (await Promise.all(found)).filter((path) => path !== undefined);
}
