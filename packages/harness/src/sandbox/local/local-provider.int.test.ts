import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { openSandbox } from "../../testing/open-sandbox.js";
import { sandboxSuite } from "../../testing/sandbox-suite.js";
import { LocalProvider } from "./local-provider.js";

sandboxSuite("local", () => openSandbox(new LocalProvider({ allowHostBash: true })));

it("is honest about having no boundary", async () => {
  expect(await new LocalProvider({ allowHostBash: true }).health()).toEqual({
    provider: "local",
    available: true,
    reason: "Commands run on the host, without any boundary.",
  });
});

it("turns virtual paths in a command into host paths", async () => {
  const { sandbox, close } = await openSandbox(new LocalProvider({ allowHostBash: true }));
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
