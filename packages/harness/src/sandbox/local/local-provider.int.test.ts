import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandboxSuite } from "../../testing/sandbox-suite.js";
import { LocalProvider } from "./local-provider.js";

/** The folder's name needs quoting in a shell, as home folders on a Mac do. */
async function open() {
  const folder = mkdtempSync(join(tmpdir(), "deerflow suite's "));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const provider = new LocalProvider({ allowHostBash: true });
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

sandboxSuite("local", open);

it("is honest about having no boundary", async () => {
  expect(await new LocalProvider({ allowHostBash: true }).probe()).toEqual({
    provider: "local",
    available: true,
    reason: "Commands run on the host, without any boundary.",
  });
});

it("turns virtual paths in a command into host paths", async () => {
  const { sandbox, close } = await open();
  const command = "echo text > /mnt/user-data/workspace/a.txt && cat '/mnt/user-data/workspace/a.txt'";
  expect((await sandbox.execute({ command })).output).toBe("text\n");
  await close();
});

it("refuses a mount inside another mount", async () => {
  const provider = new LocalProvider({ allowHostBash: true });
  const mounts = ["/mnt/a", "/mnt/a/b"].map((virtualPath) => ({
    virtualPath,
    hostPath: tmpdir(),
    mode: "read-only" as const,
  }));
  await expect(provider.acquire({ id: "x", mounts, workingDirectory: "/" })).rejects.toMatchObject({
    code: "sandbox_mount_invalid",
  });
});
