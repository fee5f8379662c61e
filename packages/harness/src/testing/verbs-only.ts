import type { FileBackend } from "../filesystem/contract.js";

/** The same files without what a search or a reader could use beside the verbs, such as a process on the host. */
export const verbsOnly = (files: FileBackend): FileBackend => ({
  id: files.id,
  list: (path, notes) => files.list(path, notes),
  stat: (path) => files.stat(path),
  read: (path) => files.read(path),
  write: (path, content, options) => files.write(path, content, options),
  remove: (path) => files.remove(path),
});
