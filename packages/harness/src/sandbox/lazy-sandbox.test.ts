import { describe, expect, it } from "vitest";
import { scriptedProvider, scriptedSandbox } from "../testing/scripted-sandbox.js";
import type { SandboxSpec } from "./contract.js";
import { LazySandbox } from "./lazy-sandbox.js";

const SPEC: SandboxSpec = { id: "s1", mounts: [], workingDirectory: "/mnt/user-data/workspace" };

function provider(failures: number) {
  const log: string[] = [];
  let left = failures;
  const fake = scriptedProvider({
    acquire: async ({ id }) => {
      log.push(`acquire ${id}`);
      if (left-- > 0) throw new Error("no room");
      return scriptedSandbox(({ command }) => {
        log.push(command);
        return {};
      }, id);
    },
    release: async (id) => {
      log.push(`release ${id}`);
    },
  });
  return { fake, log };
}

describe("LazySandbox", () => {
  it("acquires at the first command only and releases once", async () => {
    const { fake, log } = provider(0);
    const sandbox = new LazySandbox(fake, SPEC);
    expect([sandbox.id, log]).toEqual(["s1", []]);
    await Promise.all([sandbox.execute({ command: "a" }), sandbox.execute({ command: "b" })]);
    await sandbox.release();
    await sandbox.release();
    expect(log).toEqual(["acquire s1", "a", "b", "release s1"]);
  });

  it("tries again after an acquisition that failed", async () => {
    const { fake, log } = provider(1);
    const sandbox = new LazySandbox(fake, SPEC);
    await expect(sandbox.execute({ command: "a" })).rejects.toThrow("no room");
    expect((await sandbox.execute({ command: "b" })).exitCode).toBe(0);
    expect(log).toEqual(["acquire s1", "acquire s1", "b"]);
  });
});
