/** The folders that the operator shows to every thread, beside the thread's own. */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DeerflowError } from "../base/errors.js";
import { isWithin } from "../base/virtual-path.js";
import type { DeerflowConfig } from "../config/schema.js";
import { threadsFolders } from "../context/home-paths.js";
import type { SandboxMount } from "../sandbox/contract.js";

/**
 * @throws DeerflowError `sandbox_mount_invalid` for a folder that holds the folders of threads, or lies in them: one
 * thread would see what belongs to others, or could change what is shown to them
 */
export function addedMounts({ sandbox }: DeerflowConfig, home: string): readonly SandboxMount[] {
  const threads = sandbox.mounts.length === 0 ? [] : threadsFolders(home).map(realPlace);
  return sandbox.mounts.map(({ host_path: hostPath, container_path: virtualPath, read_only: readOnly }) => {
    const place = realPlace(hostPath);
    if (threads.some((folder) => isWithin(folder, place) || isWithin(place, folder))) {
      throw new DeerflowError("sandbox_mount_invalid", { virtualPath, reason: NOT_APART });
    }
    return { virtualPath, hostPath, mode: readOnly ? "read-only" : "read-write" };
  });
}

const NOT_APART =
  "its folder in sandbox.mounts holds the folders of threads, or lies in them; name another, or set DEER_FLOW_HOME to a folder outside of it";

/** The path with its links resolved, as far as it is there. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPlace(parent), basename(path));
  }
}
