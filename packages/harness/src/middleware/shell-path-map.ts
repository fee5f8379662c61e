/** Tells a model where the file tools' paths lie for a shell that sees the whole machine. */
import { readProse } from "../base/prose.js";
import { shellOf } from "../filesystem/capabilities.js";
import { CompositeBackend } from "../filesystem/composite-backend.js";
import type { FileBackend } from "../filesystem/contract.js";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";

const PATH_MAP = readProse(new URL("./shell-path-map.md", import.meta.url));

/**
 * The map as a text; undefined where paths mean one thing: without several backends, without a shell, and where the
 * shell sees the agent's own paths. This is the one text for a model that names host paths. It may, because the
 * operator gave the model the host's own shell, in which it would find them anyway.
 */
export function shellPathMap(files: FileBackend): string | undefined {
  if (!(files instanceof CompositeBackend) || shellOf(files)?.reachesHost !== true) return undefined;
  const routes = files.routes.map(({ root, backend }) => ({ root, hostFolder: hostFolderOf(backend) }));
  if (routes.length === 0) return undefined;
  const rootFolder = hostFolderOf(files.defaultBackend);
  const isElsewhere = rootFolder !== undefined && rootFolder !== "/";
  const mapped = isElsewhere ? [...routes, { root: "/", hostFolder: rootFolder }] : routes;
  return PATH_MAP.replace("{lines}", () => mapped.map(mapLine).join("\n"));
}

/** Where the root of the backend lies on this machine; undefined where it does not, so that no command finds it. */
const hostFolderOf = (files: FileBackend): string | undefined => {
  if (!(files instanceof FilesystemBackend)) return undefined;
  return files.virtualMode ? files.rootDir : "/";
};

export interface MappedFolder {
  readonly root: string;
  readonly hostFolder: string | undefined;
}

const EXAMPLE = "notes.md";

export function mapLine({ root, hostFolder }: MappedFolder): string {
  const here = withSlash(root);
  if (hostFolder === undefined) {
    return `- ${here} cannot be reached from the shell: only the file tools can open ${here}${EXAMPLE}.`;
  }
  const there = withSlash(hostFolder);
  return `- ${here} is ${there} in a command: ${here}${EXAMPLE} is ${there}${EXAMPLE}.`;
}

const withSlash = (folder: string): string => (folder.endsWith("/") ? folder : `${folder}/`);
