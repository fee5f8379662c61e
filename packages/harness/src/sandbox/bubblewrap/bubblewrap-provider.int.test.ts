import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxSuite } from "../../testing/sandbox-suite.js";
import { BubblewrapProvider } from "./bubblewrap-provider.js";

async function open() {
  const folder = mkdtempSync(join(tmpdir(), "deerflow suite's "));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const provider = new BubblewrapProvider();
  const mount = { virtualPath: "/mnt/user-data/workspace", hostPath: workspace, mode: "read-write" } as const;
  const spec = { id: "suite", mounts: [mount], workingDirectory: "/mnt/user-data/workspace" };
  return {
    provider,
    sandbox: await provider.acquire(spec),
    workspace,
    close: async () => {
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

sandboxSuite("bubblewrap", open);
