/** Commands with real processes: what they print beyond all limits, how they are stopped, what they leave behind. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalShellBackend } from "../filesystem/local-shell-backend.js";
import { openWriting } from "../testing/open-writing.js";
import type { Dialect } from "./dialects.js";
import { createFileTools } from "./file-tools.js";

const MEBIBYTE = 1024 * 1024;

let host: string;
beforeEach(() => {
  host = mkdtempSync(join(tmpdir(), "deerflow-output-"));
});
afterEach(() => rmSync(host, { recursive: true }));

function shellTool(dialect: Dialect, maxBytes = 64 * MEBIBYTE) {
  const files = new LocalShellBackend({
    rootDir: host,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  });
  const outputFiles = openWriting(files, maxBytes);
  const tools = createFileTools({ files, dialect, shell: files.shell.sandbox, outputFiles });
  const tool = tools.at(-1);
  return async (args: Record<string, unknown>): Promise<ToolMessage> =>
    tool?.invoke({ type: "tool_call", id: "c", name: tool.name, args });
}

/** The most memory that this process took at a time while `work` ran, beyond what it had, in bytes. */
async function memoryOf(work: () => Promise<unknown>): Promise<number> {
  const taken = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = taken();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, taken());
  }, 10);
  await work();
  clearInterval(timer);
  return Math.max(most, taken()) - before;
}

describe.each(["deerflow", "deepagents"] as const)("the shell tool of %s", (dialect) => {
  it("takes 300 MB of output within flat memory, and keeps both ends of it in a bounded file", async () => {
    const run = shellTool(dialect);
    let answer: ToolMessage | undefined;
    const memory = await memoryOf(async () => {
      answer = await run({ command: "echo START; yes 0123456789 | head -c 300000000; echo; echo END" });
    });
    const { artifact, text = "" } = answer ?? {};
    expect(memory).toBeLessThan(150 * MEBIBYTE);
    expect(text).toMatch(/^START\n[^]*\nEND\n/);
    expect(artifact).toMatchObject({ exit_code: 0, truncated: true, output_characters: 300_000_011 });
    expect(text).toMatch(/without \d+ characters between them, are in the file/);
    expect(statSync(join(host, artifact.full_output_path)).size).toBeLessThan(64 * MEBIBYTE + 100);
  });

  it("keeps what a stopped command had printed, with the exit code of a timeout", async () => {
    const run = shellTool(dialect);
    const answer = await run({ command: "seq 30000; echo LAST; sleep 600", timeout: 1.5 });
    expect(answer.text).toMatch(/LAST\n/);
    expect(answer.text).toMatch(/1\.5 seconds/);
    expect(answer.artifact).toMatchObject({ exit_code: 124, timed_out: true });
  });

  it("does not wait for what a command started in the background, and ends it", async () => {
    const run = shellTool(dialect);
    const command = "(sleep 600; echo late >> late.txt) & setsid sleep 601 & echo started";
    const answer = await run({ command, timeout: 60 });
    expect(answer.text).toContain("started");
    expect(answer.artifact).toMatchObject({ timed_out: false, exit_code: 0 });
    expect(readdirSync(host)).toEqual([]);
  });

  it("leaves no file of a command that is stopped from outside", async () => {
    const files = new LocalShellBackend({ rootDir: host });
    const outputFiles = openWriting(files, MEBIBYTE);
    const tool = createFileTools({ files, dialect, shell: files.shell.sandbox, outputFiles }).at(-1);
    const stop = new AbortController();
    const args = { command: "yes" };
    const running = tool?.invoke(
      { type: "tool_call", id: "c", name: tool.name, args },
      { signal: stop.signal },
    );
    await expect.poll(() => readdirSync(host).includes("outputs")).toBe(true);
    stop.abort();
    await expect(running).rejects.toThrow();
    await expect.poll(() => readdirSync(join(host, "outputs"))).toEqual([]);
  });
});
