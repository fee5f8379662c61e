import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";
import type { Dialect } from "./dialects.js";
import { createFileTools } from "./file-tools.js";

const MEGABYTE = 1024 * 1024;
const LINE = 64;
const LINES_PER_MEGABYTE = MEGABYTE / LINE;
const MEGABYTES = 100;

const lineAt = (number: number) => `${number}`.padEnd(LINE - 1, ".");

describe("a file of 100 MB", () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "deerflow-large-"));
    const handle = await open(join(root, "large.log"), "w");
    for (let megabyte = 0; megabyte < MEGABYTES; megabyte += 1) {
      const first = megabyte * LINES_PER_MEGABYTE + 1;
      const lines = Array.from({ length: LINES_PER_MEGABYTE }, (_, index) => `${lineAt(first + index)}\n`);
      await handle.write(lines.join(""));
    }
    await handle.close();
  });
  afterAll(() => rm(root, { recursive: true }));

  const total = MEGABYTES * LINES_PER_MEGABYTE;
  const read = (dialect: Dialect, args: Record<string, unknown>): Promise<ToolMessage> => {
    const files = new FilesystemBackend({ rootDir: root });
    const [tool] = createFileTools({ files, dialect, kinds: ["read"] });
    const call = { type: "tool_call", id: "c", name: "read_file", args: { path: "/large.log", ...args } };
    return tool?.invoke(call) ?? Promise.reject(new Error("There is no such tool."));
  };

  it.each([total / 2, total - 1])("is read at line %i in little memory", async (number) => {
    const before = process.memoryUsage().rss;
    const plain = await read("deerflow", { start_line: number, end_line: number + 1 });
    const numbered = await read("deepagents", { offset: number - 1, limit: 1 });
    const grown = process.memoryUsage().rss - before;
    expect(plain.text).toBe(`${lineAt(number)}\n${lineAt(number + 1)}\n`);
    expect(numbered.text.split("\n")[0]).toBe(`${number}  ${lineAt(number)}`);
    expect(plain.artifact).toMatchObject({ total_lines: total, version: numbered.artifact.version });
    expect(grown).toBeLessThan(100 * MEGABYTE);
  });
});
