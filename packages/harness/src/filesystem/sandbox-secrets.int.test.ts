import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SandboxBackend } from "./sandbox-backend.js";
import { openSandbox } from "../testing/open-sandbox.js";
import { LocalProvider } from "../sandbox/local/local-provider.js";

it("gives the files of a sandbox as they are, also where they hold a secret that output hides", async () => {
  const secret = "s3cret-token-of-the-operator";
  const opened = await openSandbox(
    new LocalProvider({ allowHostBash: true, environment: { TOKEN: secret } }),
  );
  try {
    writeFileSync(join(opened.workspace, "key.txt"), `token=${secret}\n`);
    expect((await opened.sandbox.execute({ command: "cat key.txt" })).output).toBe(
      "token=[redacted TOKEN]\n",
    );
    const path = join(opened.workspace, "key.txt");
    expect(Buffer.from((await opened.sandbox.files.read(path)) ?? []).toString()).toBe(`token=${secret}\n`);
    const backend = new SandboxBackend({ sandbox: opened.sandbox, workingDirectory: opened.workspace });
    expect(Buffer.from((await backend.read(path))?.bytes ?? []).toString()).toBe(`token=${secret}\n`);
  } finally {
    await opened.close();
  }
});
