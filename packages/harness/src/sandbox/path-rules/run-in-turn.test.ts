import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CommandRequest, CommandResult } from "../contract.js";
import { freeCommands } from "./free-commands.js";
import { FolderTurns } from "./folder-turns.js";
import { runInTurn } from "./run-in-turn.js";

const MOUNTS = [{ virtualPath: "/w", hostPath: "/host/w", mode: "read-write" }] as const;
const DONE: CommandResult = {
  output: "done",
  exitCode: 0,
  truncated: false,
  timedOut: false,
  durationMilliseconds: 200,
};

/** A folder in which a command with rules runs for so long. */
async function busyFolder(milliseconds: number) {
  const turns = new FolderTurns();
  const noPlace = { options: [], held: new Map(), above: new Set<string>(), links: [], aliases: [] };
  const first = await turns.ruled({ mounts: MOUNTS }, async () => ({ ...noPlace, fingerprints: new Map() }));
  setTimeout(() => first.end(), milliseconds);
  const requests: CommandRequest[] = [];
  const run = (request: CommandRequest, result = DONE, signal = new AbortController().signal) => {
    const options = {
      starts: freeCommands(MOUNTS, turns),
      wallSeconds: 60,
      masked: (text: string) => text,
      run: async (given: CommandRequest) => {
        requests.push(given);
        return result;
      },
    };
    return runInTurn(options, request, signal);
  };
  return { run, requests };
}

describe("the time that a command waits for its turn", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("ends it, and is told", async () => {
    const { run, requests } = await busyFolder(3000);
    const result = run({ command: "x", timeoutSeconds: 1 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await result).toEqual({
      output: "",
      exitCode: 124,
      truncated: false,
      timedOut: true,
      durationMilliseconds: 1000,
      notices: [expect.stringContaining("waited for another command that works with the same files")],
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(requests).toEqual([]);
  });

  it("counts to its duration, and leaves it less", async () => {
    const { run, requests } = await busyFolder(3000);
    const result = run({ command: "x", timeoutSeconds: 5 });
    await vi.advanceTimersByTimeAsync(3000);
    expect(await result).toEqual({ ...DONE, durationMilliseconds: 3200 });
    expect(requests).toEqual([{ command: "x", timeoutSeconds: 2 }]);
  });

  it("is told of a command that then ran out of it", async () => {
    const { run } = await busyFolder(3000);
    const result = run({ command: "x" }, { ...DONE, timedOut: true, notices: ["One."] });
    await vi.advanceTimersByTimeAsync(3000);
    expect((await result).notices).toEqual(["One.", expect.stringContaining("It waited for another")]);
  });

  it("ends with the signal's reason when somebody stops it", async () => {
    const { run } = await busyFolder(3000);
    const stop = new AbortController();
    const result = run({ command: "x" }, DONE, stop.signal);
    stop.abort(new Error("nobody wants it"));
    await expect(result).rejects.toThrow("nobody wants it");
  });
});
