import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { asInstance, opened, optionsSeen } from "../../testing/protocol-stand-in-package.js";
import { loadProvider } from "./load-provider.js";

const PACKAGE = fileURLToPath(new URL("../../testing/protocol-stand-in-package.ts", import.meta.url));
afterAll(() => Promise.all([...opened, asInstance].map((sandbox) => sandbox.close())));

describe("loadProvider", () => {
  it.each(["WithCreate", "AsClass", "asFunction"])(
    "opens a sandbox for each thread with %s",
    async (name) => {
      const provider = await loadProvider({ use: `${PACKAGE}:${name}`, options: { region: "eu" } });
      expect(provider.isShared).toBe(false);
      const [first, second] = [await provider.open(), await provider.open()];
      expect(first).not.toBe(second);
      expect(first).toBe(opened.at(-2));
      expect(optionsSeen.at(-1)).toEqual({ region: "eu" });
      await provider.close(first);
      expect(opened.at(-2)?.isClosed).toBe(true);
    },
  );

  it("calls the initialize of what does not run yet", async () => {
    const sandbox = await (await loadProvider({ use: `${PACKAGE}:AsClass` })).open();
    expect(sandbox).toMatchObject({ isRunning: true });
  });

  it("shares what is a sandbox already, and never closes it", async () => {
    const provider = await loadProvider({ use: `${PACKAGE}:asInstance` });
    expect(provider.isShared).toBe(true);
    await provider.close(await provider.open());
    expect(asInstance.isClosed).toBe(false);
  });

  it.each([
    ["no colon", "package", "must be written as package:export"],
    ["no package", ":Export", "must be written as package:export"],
    ["a missing package", "no-such-package-of-ours:X", "run: npm install no-such-package-of-ours"],
    ["a missing export", `${PACKAGE}:Nothing`, "it has AsClass, WithCreate, aNumber, as"],
    ["an export without methods", `${PACKAGE}:withoutUploads`, "it has no uploadFiles, no downloadFiles"],
    ["an export that is a number", `${PACKAGE}:aNumber`, "it has no execute"],
  ])("refuses %s", async (_name, use, reason) => {
    await expect(loadProvider({ use })).rejects.toMatchObject({
      code: "sandbox_provider_invalid",
      message: expect.stringContaining(reason),
    });
  });

  it("finds a package that is installed beside the configuration, and says what one throws", async () => {
    const from = mkdtempSync(join(tmpdir(), "deerflow-packages-"));
    for (const [name, text] of [
      ["good", "export const make = () => ({ execute() {}, uploadFiles() {}, downloadFiles() {} });"],
      ["bad", "throw new Error('it needs Node 99');"],
    ] as const) {
      const folder = join(from, "node_modules", `deerflow-${name}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), '{"type":"module","exports":"./index.js"}');
      writeFileSync(join(folder, "index.js"), text);
    }
    await expect(loadProvider({ use: "deerflow-good:make", from })).resolves.toMatchObject({
      isShared: false,
    });
    await expect(loadProvider({ use: "deerflow-bad:make", from })).rejects.toThrow("it needs Node 99");
    rmSync(from, { recursive: true });
  });
});
