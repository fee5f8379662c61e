import { describe, expect, it } from "vitest";
import { type ProcessRequest, runProcess } from "./run-process.js";

const run = (command: string, onOutput: ProcessRequest["onOutput"], own: Partial<ProcessRequest> = {}) =>
  runProcess({
    file: "/bin/bash",
    arguments: ["-c", command],
    env: { PATH: "/usr/bin:/bin" },
    timeoutMilliseconds: 60_000,
    outputCharacters: 1000,
    replacements: [],
    onOutput,
    ...own,
  });

describe("runProcess", () => {
  it("holds the program back while its listener is busy, and loses nothing", async () => {
    let busy = 0;
    let most = 0;
    let characters = 0;
    await run("head -c 3000000 /dev/zero | tr '\\0' x", async (chunk) => {
      busy += 1;
      most = Math.max(most, busy);
      characters += chunk.length;
      await new Promise((resolve) => setImmediate(resolve));
      busy -= 1;
    });
    expect([characters, busy]).toEqual([3_000_000, 0]);
    // What Node had read already when it was told to wait.
    expect(most).toBeLessThan(4);
  });

  it("ends at its time limit also when its listener never does", async () => {
    const outcome = await run("echo a; sleep 60", () => new Promise(() => undefined), {
      timeoutMilliseconds: 300,
    });
    expect(outcome).toMatchObject({ timedOut: true, output: "a\n" });
    expect(outcome.durationMilliseconds).toBeLessThan(10_000);
  });

  it("ends the program when its listener fails, with the failure", async () => {
    const failing = run("yes", () => Promise.reject(new Error("the disk is full")));
    await expect(failing).rejects.toThrow("the disk is full");
  });
});
