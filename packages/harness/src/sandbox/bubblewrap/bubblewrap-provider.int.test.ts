import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { openSandbox } from "../../testing/open-sandbox.js";
import { sandboxSuite } from "../../testing/sandbox-suite.js";
import { BubblewrapProvider } from "./bubblewrap-provider.js";

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

const works = await bubblewrapWorks();

describe.skipIf(!works)("with a working bwrap", () => {
  sandboxSuite("bubblewrap", () => openSandbox(new BubblewrapProvider()));

  // An ordinary user runs the suite above as himself.
  if (isRoot) {
    sandboxSuite("bubblewrap under an ordinary user", () =>
      openSandbox(new BubblewrapProvider({ identity: NOBODY }), NOBODY),
    );
  }
});

describe("the bubblewrap provider", () => {
  it.skipIf(!works)("finds that it works here", async () => {
    expect(await new BubblewrapProvider().health()).toEqual({
      provider: "bubblewrap",
      available: true,
      reason: "Commands run isolated.",
      limits: expect.stringMatching(/^[A-Z][^.]*bounds.*\.$/),
      network: "Commands reach no network.",
    });
  });

  it.skipIf(!works)("finds it many times at once, and leaves nothing of that", async () => {
    const provider = new BubblewrapProvider();
    const found = await Promise.all(Array.from({ length: 4 }, () => provider.health()));
    expect(found.map(({ available, reason }) => [available, reason])).toEqual(
      Array.from({ length: 4 }, () => [true, "Commands run isolated."]),
    );
    await provider.close();
  });

  it.skipIf(!works)("gives the loader's words about variables as output, and the command's too", async () => {
    const environment = { LD_PRELOAD: "/missing-library.so" };
    const opened = await openSandbox(new BubblewrapProvider({ environment }));
    let heard = "";
    const onOutput = (chunk: string) => {
      heard += chunk;
    };
    const result = await opened.sandbox.execute({ command: "echo ran; exit 3", onOutput });
    expect(result).toMatchObject({ exitCode: 3, output: expect.stringContaining("ran\n") });
    expect(result.output).toContain("'/missing-library.so'");
    expect(heard).toBe(result.output);
    const { output } = await opened.sandbox.execute({ command: "echo ran", env: { LD_DEBUG: "libs" } });
    expect(output).toMatch(/find library=.*\n[^]*ran\n/);
    await opened.close();
  });

  it("says what to install where bwrap is missing, and runs nothing", async () => {
    const provider = new BubblewrapProvider({ searchPath: "/nowhere" });
    expect(await provider.health()).toEqual({
      provider: "bubblewrap",
      available: false,
      reason: "bwrap is not on the PATH; install the package bubblewrap.",
    });
    const opened = await openSandbox(provider);
    await expect(opened.sandbox.execute({ command: "true" })).rejects.toMatchObject({
      code: "sandbox_failed",
    });
    await opened.close();
  });

  it.skipIf(!works)("fails without naming host paths when a mounted folder has gone since", async () => {
    const opened = await openSandbox(new BubblewrapProvider());
    rmSync(opened.folder, { recursive: true });
    const command = opened.sandbox.execute({ command: "true" });
    await expect(command).rejects.toMatchObject({ code: "sandbox_failed" });
    await expect(command).rejects.not.toThrow(opened.folder);
    await opened.provider.close();
  });
});
