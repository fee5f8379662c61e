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

  it("keeps rules where the provider's sandboxes do, over one acquisition for all", async () => {
    const log: string[] = [];
    const says = (text: string) =>
      scriptedSandbox(({ command }) => {
        log.push(`${text}: ${command}`);
        return {};
      });
    const fake = scriptedProvider({
      assertKept: ({ home }) => {
        if (home === "/bad") throw new Error("not kept");
      },
      acquire: async () => {
        log.push("acquire");
        return { ...says("plain"), keeping: ({ home }) => says(`kept, ${home}`) };
      },
      release: async () => void log.push("release"),
    });
    const sandbox = new LazySandbox(fake, SPEC);
    const kept = sandbox.keeping?.({ rules: [], home: "/w" });
    await sandbox.execute({ command: "a" });
    await kept?.execute({ command: "b" });
    await kept?.execute({ command: "c" });
    await sandbox.release();
    expect(log).toEqual(["acquire", "plain: a", "kept, /w: b", "kept, /w: c", "release"]);
    expect(() => sandbox.keeping?.({ rules: [], home: "/bad" })).toThrow("not kept");
    expect(kept?.keeping).toBeUndefined();
  });

  it("keeps none where they keep none, or turn out to keep none", async () => {
    expect(new LazySandbox(scriptedProvider(), SPEC).keeping).toBeUndefined();
    const fake = scriptedProvider({ assertKept: () => undefined, acquire: async () => scriptedSandbox() });
    const kept = new LazySandbox(fake, SPEC).keeping?.({ rules: [] });
    await expect(kept?.execute({ command: "a" })).rejects.toMatchObject({
      code: "permissions_unenforceable",
    });
  });
});
