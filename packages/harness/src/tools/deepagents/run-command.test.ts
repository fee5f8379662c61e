import type { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { MountedDiskBackend } from "../../filesystem/mounted-disk-backend.js";
import type { CommandRequest, CommandResult } from "../../sandbox/contract.js";
import { scriptedSandbox } from "../../testing/scripted-sandbox.js";
import { fullTextOf } from "../define-tool.js";
import { createFileTools } from "../file-tools.js";
import type { FileToolLimits } from "../limits.js";

const OK: CommandResult = {
  output: "",
  exitCode: 0,
  truncated: false,
  timedOut: false,
  durationMilliseconds: 1,
};

function recorded(result: Partial<CommandResult> = {}, limits: Partial<FileToolLimits> = {}) {
  const requests: CommandRequest[] = [];
  const shell = scriptedSandbox((request) => {
    requests.push(request);
    return { ...OK, ...result };
  });
  const files = new MountedDiskBackend({ mounts: [] });
  const [tool] = createFileTools({ files, dialect: "deepagents", kinds: ["execute"], shell, limits });
  const run = (args: Record<string, unknown>): Promise<ToolMessage> =>
    tool?.invoke({ type: "tool_call", id: "c", name: "execute", args }) ??
    Promise.reject(new Error("no tool"));
  return { run, requests };
}

describe("execute", () => {
  it.each([
    [{ output: "hi\n" }, "hi\n[The command succeeded with exit code 0.]", { exit_code: 0 }],
    [{}, "[The command succeeded with exit code 0.]", { exit_code: 0 }],
    [{ output: "no\n", exitCode: 2 }, "no\n[The command failed with exit code 2.]", { exit_code: 2 }],
    [{ exitCode: undefined }, "[The command was ended by a signal.]", { exit_code: null }],
    [
      { output: "part", truncated: true },
      "part\n[The command succeeded with exit code 0.]\n[The output was cut.]",
      { exit_code: 0, truncated: true },
    ],
  ])("tells %j", async (result, text, artifact) => {
    const answer = await recorded(result as Partial<CommandResult>).run({ command: "x" });
    expect(answer).toMatchObject({ text, status: "success", artifact });
  });

  it("keeps what a stopped command had printed", async () => {
    const { run } = recorded({ output: "so far", exitCode: 124, timedOut: true });
    expect((await run({ command: "x", timeout: 3 })).text).toMatch(/^so far\n.*time limit of 3 seconds/);
    expect(await run({ command: "x" })).toMatchObject({
      text: expect.stringContaining("time limit of 120 seconds"),
      artifact: { exit_code: 124, timed_out: true },
    });
  });

  it("hands the wanted time on, within its limits", async () => {
    const { run, requests } = recorded();
    for (const timeout of [undefined, null, 7, "9", 0.5, 0, 3600]) await run({ command: "x", timeout });
    expect(requests.map((request) => request.timeoutSeconds)).toEqual([120, 120, 7, 9, 0.5, 3600, 3600]);
    for (const timeout of [-1, 3601, 1e9]) {
      expect(await run({ command: "x", timeout })).toMatchObject({
        status: "error",
        text: expect.stringContaining("from 0 to 3600 seconds"),
      });
    }
    expect(requests).toHaveLength(7);
    const short = recorded({}, { maxExecuteSeconds: 10, defaultExecuteSeconds: 5 });
    await short.run({ command: "x" });
    expect(short.requests[0]?.timeoutSeconds).toBe(5);
    expect((await short.run({ command: "x", timeout: 11 })).status).toBe("error");
  });

  it("cuts long output in the middle, and keeps the whole in this process", async () => {
    const output = `START${"x".repeat(500)}END`;
    const answer = await recorded({ output, exitCode: 1 }, { maxExecuteCharacters: 100 }).run({
      command: "x",
    });
    expect(answer.text).toMatch(
      /^START.*END\n\[The command failed with exit code 1\.\]\n\[The output was cut\.\]$/s,
    );
    expect(fullTextOf(answer)).toBe(`${output}\n[The command failed with exit code 1.]`);
  });
});
