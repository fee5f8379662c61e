import type { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { CommandRequest, CommandResult } from "../sandbox/contract.js";
import { scriptedSandbox } from "../testing/scripted-sandbox.js";
import { fullTextOf, operationOf } from "./define-tool.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { createFileTools } from "./file-tools.js";

const OK: CommandResult = {
  output: "",
  exitCode: 0,
  truncated: false,
  timedOut: false,
  durationMilliseconds: 12.4,
};

/** A sandbox that answers every command alike and remembers what it was asked. */
function recorded(result: Partial<CommandResult>) {
  const requests: CommandRequest[] = [];
  const sandbox = scriptedSandbox((request) => {
    requests.push(request);
    return { ...OK, ...result };
  });
  const files = new MountedDiskBackend({ mounts: [] });
  const [tool] = createFileTools({ files, shell: sandbox, kinds: ["execute"] });
  if (tool === undefined) throw new Error("There is no shell tool.");
  const run = (args: Record<string, unknown>): Promise<ToolMessage> =>
    tool.invoke({ type: "tool_call", id: "c", name: "bash", args });
  return { tool, run, requests };
}

describe("bash", () => {
  it("runs the command with its time limit", async () => {
    const { run, requests, tool } = recorded({ output: "hi\n" });
    expect(await run({ description: "greet", command: "echo hi" })).toMatchObject({
      content: "hi",
      status: "success",
      artifact: { exit_code: 0, timed_out: false, truncated: false, duration_ms: 12 },
    });
    expect(requests).toEqual([{ command: "echo hi", timeoutSeconds: 600 }]);
    expect([tool.name, operationOf(tool)]).toEqual(["bash", "execute"]);
    expect(tool.description).toMatch(/After 600 seconds.*More than 20000 characters/s);
  });

  it.each([
    [{}, "(no output)"],
    [{ output: "partly\n", exitCode: 2 }, "partly\nExit code: 2"],
    [{ exitCode: 1 }, "Exit code: 1"],
    [{ output: "a", exitCode: undefined }, "a\nEnded by a signal."],
    [{ output: "a", exitCode: 124, timedOut: true }, "a\nStopped after 600 seconds, the time limit."],
  ])("says how %j ended", async (result, text) => {
    const answer = await recorded(result as Partial<CommandResult>).run({ command: "x" });
    expect([answer.text, answer.status]).toEqual([text, "success"]);
  });

  it("cuts long output in the middle and keeps the exit code last", async () => {
    const output = `START${"x".repeat(30_000)}END`;
    const answer = await recorded({ output, exitCode: 3 }).run({ command: "x" });
    const { text, artifact } = answer;
    expect(text).toMatch(/^START.*\n\[… 10008 of 30008 characters cut here …\]\n.*END\nExit code: 3$/s);
    expect(text.length).toBeLessThan(20_100);
    expect(artifact).toMatchObject({ exit_code: 3, truncated: true });
    expect(fullTextOf(answer)).toBe(`${output}\nExit code: 3`);
  });

  it("answers a call without a command", async () => {
    expect((await recorded({}).run({})).artifact.code).toBe("arguments_invalid");
  });
});
