import type { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import type { CommandRequest, CommandResult } from "../sandbox/contract.js";
import { keptOutputs } from "../testing/kept-outputs.js";
import { scriptedSandbox } from "../testing/scripted-sandbox.js";
import { fullTextOf, keptTextOf, operationOf } from "./define-tool.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { DIALECTS } from "./dialects.js";
import { createFileTools } from "./file-tools.js";
import type { OutputFiles } from "./output-files.js";

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
    expect(requests).toMatchObject([{ command: "echo hi", timeoutSeconds: 600 }]);
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

  it("takes an earlier time limit, and none above the configured one", async () => {
    const { run, requests } = recorded({ output: "a", timedOut: true, exitCode: 124 });
    expect(await run({ command: "x", timeout: 30 })).toMatchObject({
      text: "a\nStopped after 30 seconds, the time limit.",
      artifact: { exit_code: 124, timed_out: true },
    });
    expect(await run({ command: "x", timeout: 601 })).toMatchObject({
      status: "error",
      text: expect.stringContaining("from 0 to 600 seconds"),
    });
    expect(requests.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([30]);
  });

  it("says what to do where rules about paths cover too many files", async () => {
    const shell = scriptedSandbox(() => {
      throw new DeerflowError("permissions_too_wide", { reason: "there are too many" });
    });
    const [tool] = createFileTools({
      files: new MountedDiskBackend({ mounts: [] }),
      shell,
      kinds: ["execute"],
    });
    const call = { type: "tool_call", id: "c", name: "bash", args: { command: "x" } } as const;
    const answer = (await tool?.invoke(call)) as ToolMessage; // what a tool gives for a call
    expect([answer.status, answer.artifact.code]).toEqual(["error", "permissions_too_wide"]);
    expect(answer.text).toMatch(
      /there are too many\. Remove with the file tools .* then run the command again/,
    );
  });

  it("answers a call without a command", async () => {
    expect((await recorded({}).run({})).artifact.code).toBe("arguments_invalid");
  });
});

type Dialect = keyof typeof DIALECTS;

interface Printing {
  readonly dialect?: Dialect;
  /** Told on the way. */
  readonly pieces?: readonly string[];
  readonly result?: Partial<CommandResult>;
  readonly files?: OutputFiles;
  readonly fails?: Error;
}

/** A command that prints pieces on the way, and whoever listens to it. */
async function printing({ dialect = "deerflow", pieces = [], result = {}, files, fails }: Printing) {
  const shell = scriptedSandbox(async ({ onOutput }) => {
    for (const piece of pieces) await onOutput?.(piece);
    if (fails !== undefined) throw fails;
    return { ...OK, output: pieces.join(""), ...result };
  });
  const [tool] = createFileTools({
    files: new MountedDiskBackend({ mounts: [] }),
    dialect,
    kinds: ["read", "grep", "execute"],
    shell,
    outputFiles: files,
  }).slice(-1);
  const events: unknown[] = [];
  const runtime = { toolCallId: "call-1", writer: (event: unknown) => events.push(event) };
  const name = DIALECTS[dialect].faces.execute.name;
  const call = { type: "tool_call", id: "call-1", name, args: { command: "x" } } as const;
  // LangGraph hands these to a tool; the type of a bare call does not know them.
  const answer = (await tool?.invoke(call, runtime as object)) as ToolMessage;
  return { answer, events, name };
}

const CHARACTERS = { deerflow: 20_000, deepagents: 100_000 } as const;
const DIALECT_NAMES = ["deerflow", "deepagents"] as const;

describe.each(DIALECT_NAMES)("a long output of a command (%s)", (dialect) => {
  const limit = CHARACTERS[dialect];
  const line = `${"x".repeat(98)}é\n`;
  const pieces = ["START\n", ...Array.from({ length: (3 * limit) / 100 }, () => line), "END\n"];
  const whole = pieces.join("");
  const cut = `${whole.slice(0, 50_000)}\n[… left out …]\n${whole.slice(-50_000)}`;
  const output = whole.length > 100_000 ? cut : whole;
  const truncated = output !== whole;

  it("is shown at both ends, with the file that holds the whole of it", async () => {
    const kept = keptOutputs();
    const { answer, name } = await printing({
      dialect,
      pieces,
      files: kept.files,
      result: { output, truncated, exitCode: 3 },
    });
    expect(kept.texts).toEqual(new Map([[`/kept/${name}-1`, whole]]));
    expect(answer.text.length).toBeLessThan(limit + 1000);
    expect(answer.text).toMatch(/^START\n/);
    expect(answer.text).toContain(`[… ${whole.length - limit} of ${whole.length} characters cut here …]`);
    expect(answer.text).toMatch(/\nEND\n/);
    expect(answer.text).toContain(
      `[The output was cut. All of it, ${whole.length} characters in ${pieces.length} lines, is in the file /kept/${name}-1. Read it in parts with read_file: `,
    );
    expect(answer.text).toContain("Search it with grep.]");
    expect(answer.artifact).toEqual({
      exit_code: 3,
      timed_out: false,
      truncated: true,
      duration_ms: 12,
      output_characters: whole.length,
      full_output_path: `/kept/${name}-1`,
    });
    expect(keptTextOf(answer)).toMatchObject({ path: `/kept/${name}-1`, isInText: !truncated });
  });

  it("is cut without a file where there is no place for one, and where it fails", async () => {
    const broken = keptOutputs({ failsAt: "write" });
    const unopened = keptOutputs({ failsAt: "open" });
    for (const files of [undefined, broken.files, unopened.files]) {
      const { answer } = await printing({
        dialect,
        pieces,
        ...(files && { files }),
        result: { output, truncated },
      });
      expect(answer.status).toBe("success");
      expect(answer.text).toContain("characters cut here");
      expect(answer.text).not.toContain("file");
      expect(answer.artifact).toMatchObject({ truncated: true, output_characters: whole.length });
    }
    expect(broken.aborted).toBe(1);
  });

  it("is in the file with its beginning and its end where it is too long for that too", async () => {
    const kept = keptOutputs({ maxBytes: 2.5 * limit });
    const { answer, name } = await printing({
      dialect,
      pieces,
      files: kept.files,
      result: { output, truncated },
    });
    const text = kept.texts.get(`/kept/${name}-1`) ?? "";
    const [, leftOut = ""] = /\n\[… (\d+) characters left out …\]\n/.exec(text) ?? [];
    expect(Buffer.byteLength(text)).toBeLessThan(2.5 * limit + 100);
    expect(text).toMatch(/^START\n[^]*END\n$/);
    expect(answer.text).toContain(
      `Its beginning and its end, without ${leftOut} characters between them, are in the file`,
    );
  });

  it("leaves no file when the command fails to run", async () => {
    const kept = keptOutputs();
    const { answer } = await printing({ dialect, pieces, files: kept.files, fails: new Error("lost") });
    expect([answer.status, kept.texts.size, kept.aborted]).toEqual(["error", 0, 1]);
  });

  it("is told to who listens, up to 200,000 characters", async () => {
    const { events, name } = await printing({ dialect, pieces: ["a", "b\n"] });
    expect(events).toEqual(
      ["a", "b\n"].map((text) => ({ type: "tool_output", tool_call_id: "call-1", tool: name, text })),
    );
    const flood = await printing({ dialect, pieces: ["x".repeat(150_000), "y".repeat(150_000)] });
    const told = flood.events as { text: string; truncated?: true }[];
    expect(told.map(({ text }) => text.length).slice(0, 2)).toEqual([150_000, 50_000]);
    expect(told.slice(2)).toMatchObject([
      { text: expect.stringContaining("only in the result"), truncated: true },
    ]);
  });
});

describe.each(DIALECT_NAMES)("what a sandbox says of a command (%s)", (dialect) => {
  it("stands behind the ending, and among the facts", async () => {
    const notices = ["The limit of memory was hit.", "a.txt was put back."];
    const { answer } = await printing({ dialect, pieces: ["hi\n"], result: { exitCode: 1, notices } });
    expect(answer.text.split("\n").slice(2)).toEqual(notices);
    expect(answer.artifact).toMatchObject({ notices });
  });

  it.each([
    ["nothing on the way", []],
    ["at the end what it gives", ["beginning [cut] end"]],
  ])("counts where it tells %s", async (_, pieces) => {
    const kept = keptOutputs();
    const { answer } = await printing({
      dialect,
      pieces,
      files: kept.files,
      result: { output: "beginning [cut] end", truncated: true },
    });
    expect([...kept.texts.values()]).toEqual(["beginning [cut] end"]);
    expect(answer.text).toContain("What is known of it, 19 characters in 1 line, is in the file");
  });

  it("keeps in a file what it told and then cut, however short", async () => {
    const kept = keptOutputs();
    await printing({
      dialect,
      pieces: ["all of it"],
      files: kept.files,
      result: { output: "all", truncated: true },
    });
    expect([...kept.texts.values()]).toEqual(["all of it"]);
  });
});
