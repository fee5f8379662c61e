/** Files and the shell that works on the same files, as one backend. */
import { isHostSearchable } from "./capabilities.js";
import type { FileBackend, HostFolder, Shell, WithShell } from "./contract.js";

/**
 * The backend with `shell` beside its files; everything else is the backend's own.
 *
 * @example withShell(new MountedDiskBackend({ mounts }), { sandbox, workingDirectory: "/mnt", reachesHost: false })
 */
export const withShell = <Files extends FileBackend>(files: Files, shell: Shell): Files & WithShell =>
  new Proxy<Files & WithShell>(Object.assign(Object.create(null), { shell }), {
    get(_, key) {
      if (key === "shell") return shell;
      if (key === "openFolders" && !shell.reachesHost) return (path: string) => contested(files, path);
      const value: unknown = Reflect.get(files, key, files);
      // Bound, because a class with private fields works only on itself.
      return typeof value === "function" ? value.bind(files) : value;
    },
    has: (_, key) => key === "shell" || Reflect.has(files, key),
  });

/** Commands that cannot reach the host must not reach it through a search either. */
async function contested(files: FileBackend, path: string): Promise<readonly HostFolder[] | undefined> {
  const folders = isHostSearchable(files) ? await files.openFolders(path) : undefined;
  return folders?.map((folder) => ({ ...folder, isContested: true }));
}
