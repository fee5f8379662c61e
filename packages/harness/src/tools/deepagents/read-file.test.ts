import type { ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../base/hash.js";
import { StoreBackend } from "../../filesystem/store-backend.js";
import { createFileTools } from "../file-tools.js";
import type { FileToolLimits } from "../limits.js";

let files: StoreBackend;
beforeEach(() => {
  files = new StoreBackend({ namespace: ["files"], store: new InMemoryStore() });
});

async function read(
  content: string,
  args: Record<string, unknown> = {},
  limits: Partial<FileToolLimits> = {},
): Promise<ToolMessage> {
  await files.write("/f", Buffer.from(content));
  const [tool] = createFileTools({ files, dialect: "deepagents", kinds: ["read"], limits });
  return tool?.invoke({ type: "tool_call", id: "c", name: "read_file", args: { file_path: "/f", ...args } });
}
const textOf = async (...args: Parameters<typeof read>) => (await read(...args)).text;
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

describe("the gutter", () => {
  it("is as wide as the widest number of the page", async () => {
    expect(await textOf("a\nb")).toBe("1  a\n2  b");
    expect(await textOf(numbers(1, 120), { offset: 8, limit: 2 })).toMatch(/^ 9 {2}9\n10 {2}10\n/);
  });

  it("numbers the rows of a long line, which stays one line", async () => {
    const text = await textOf(`${"x".repeat(12)}\nend`, { limit: 1 }, { rowCharacters: 5 });
    expect(text).toBe(
      "  1  xxxxx\n1.1  xxxxx\n1.2  xx\n[Line 1 of 2 is shown; 1 line remains. Go on with offset=1.]",
    );
    expect(await textOf("x".repeat(5001))).toBe(`  1  ${"x".repeat(5000)}\n1.1  x`);
  });

  it("never cuts a character in two", async () => {
    expect(await textOf("ab𝒳cd", {}, { rowCharacters: 3 })).toBe("  1  ab\n1.1  𝒳c\n1.2  d");
  });
});

describe("the page", () => {
  it("has 100 lines unless asked otherwise, and says how to go on", async () => {
    const text = await textOf(numbers(1, 250));
    expect(text.split("\n")).toHaveLength(101);
    expect(text).toMatch(
      /\n\[Lines 1 to 100 of 250 are shown; 150 lines remain\. Go on with offset=100\.\]$/,
    );
    expect(await textOf(numbers(1, 250), { offset: 200 })).toMatch(/\n250 {2}250$/);
  });

  it("carries the version of the whole file and what it shows", async () => {
    expect((await read("a\nb\nc\n", { offset: 1, limit: 1 })).artifact).toEqual({
      path: "/f",
      version: sha256(Buffer.from("a\nb\nc\n")),
      start_line: 2,
      end_line: 2,
      total_lines: 3,
      truncated: true,
    });
  });

  it("is cut at a line where it would be too long, and names the next", async () => {
    const text = await textOf(`${"y".repeat(999)}\n`.repeat(90));
    expect(text.length).toBeLessThan(50_000);
    expect(text).toMatch(/\n\[Lines 1 to 49 of 90 are shown; 41 lines remain\. Go on with offset=49\.\]$/);
  });

  it("goes on inside a line that is too long for one answer", async () => {
    const line = "z".repeat(60_000);
    const first = await textOf(`${line}\nnext`);
    expect(first).toMatch(/Go on in it with offset=0 and line_offset=45000\.\]$/);
    const second = await textOf(`${line}\nnext`, { offset: 0, line_offset: 45_000 });
    expect(second).toMatch(/^1\.9 {2}z{5000}\n1\.10 {2}|^ 1\.9 {2}z{5000}\n1\.10 {2}z{5000}\n/);
    expect(second).toMatch(/\n {3}2 {2}next$/);
    const past = await read(`${line}\nnext`, { line_offset: 60_000 });
    expect(past).toMatchObject({ status: "error", artifact: { code: "arguments_invalid" } });
  });

  it.each([
    ["an empty file", "", {}, "[/f is empty.]"],
    ["an empty file and no lines", "", { limit: 0 }, "[/f is empty.]"],
    ["a blank file", "\n \n", {}, "[Lines 1 to 2 of 2 are blank.]"],
    [
      "a blank window",
      "a\n\n\nb\n",
      { offset: 1, limit: 2 },
      "[Lines 2 to 3 of 4 are blank.]\n[Lines 2 to 3 of 4 are shown; 1 line remains. Go on with offset=3.]",
    ],
    ["no lines", "a\nb\n", { limit: 0 }, "[No lines were asked for, as limit is 0. /f has 2 lines.]"],
    ["fewer than none", "a", { limit: -2 }, "[No lines were asked for, as limit is -2. /f has 1 line.]"],
    [
      "a place before the start",
      "a\nb",
      { offset: -5 },
      "1  a\n2  b\n[offset -5 is before the first line; shown is from line 1 on.]",
    ],
    ["numbers that come as text", "a\nb", { offset: "1", limit: "5" }, "2  b"],
  ])("says what it is for %s", async (_, content, args, text) => {
    expect(await read(content, args)).toMatchObject({ text, status: "success" });
  });

  it("refuses a read past the end, and names the offset and the total", async () => {
    expect(await read("a\nb\n", { offset: 2 })).toMatchObject({
      status: "error",
      text: "Error: /f ends with line 2; offset 2 is past its end. Give an offset from 0 to 1.",
    });
  });
});
