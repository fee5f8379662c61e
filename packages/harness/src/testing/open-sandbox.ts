/** One sandbox over a fresh host folder, for suites. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxProvider } from "../sandbox/contract.js";
import type { OpenSandbox } from "./sandbox-suite.js";

export interface FreshSandbox extends OpenSandbox {
  /** The host folder that holds the workspace; nothing else of it is shown inside. */
  readonly folder: string;
}

const FOLDERS = ["workspace", "read-only"] as const;

/**
 * Acquires a sandbox with `/mnt/user-data/workspace` and, read-only, `/mnt/skills`. The name of the host folder
 * needs quoting in a shell, as home folders on a Mac do.
 *
 * @param owner host user of the folders, where the sandbox runs under another than the caller's
 */
export async function openSandbox(
  provider: SandboxProvider,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<FreshSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "deerflow suite's "));
  // Like the home's own, closed to others, unless another user has to pass.
  chmodSync(folder, owner === undefined ? 0o700 : 0o755);
  for (const name of FOLDERS) {
    mkdirSync(join(folder, name), 0o700);
    if (owner !== undefined) chownSync(join(folder, name), owner.uid, owner.gid);
  }
  const workspace = join(folder, "workspace");
  const sandbox = await provider.acquire({
    id: folder,
    mounts: [
      { virtualPath: "/mnt/user-data/workspace", hostPath: workspace, mode: "read-write" },
      { virtualPath: "/mnt/skills", hostPath: join(folder, "read-only"), mode: "read-only" },
    ],
    workingDirectory: "/mnt/user-data/workspace",
  });
  const close = async () => {
    await provider.close();
    rmSync(folder, { recursive: true });
  };
  return { provider, sandbox, workspace, folder, close };
}
