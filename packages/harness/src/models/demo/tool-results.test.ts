import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answerDanglingToolCalls } from "../../middleware/dangling-tool-calls.js";
import { isInterrupted, parseFileList, parseFilePage, parseGrepHits, parseJsonLine } from "./tool-results.js";

const whole = { isText: true, nextLine: undefined, totalLines: undefined, lineCut: false };

describe("parseFilePage", () => {
  it("takes a whole file as it is", () => {
    expect(parseFilePage("a\n[b]\n")).toEqual({ ...whole, text: "a\n[b]\n" });
  });

  it("reads where a cut file goes on", () => {
    const notice = "[Cut at 50000 characters: lines 1 to 2 of 9. Go on with start_line=3.]";
    expect(parseFilePage(`a\nb\n${notice}`)).toEqual({ ...whole, text: "a\nb", nextLine: 3, totalLines: 9 });
  });

  it("sees that a line was too long", () => {
    const notice = "[Cut: 4 of the 9 characters of line 1 of 1.]";
    expect(parseFilePage(`aaaa\n${notice}`)).toMatchObject({
      text: "aaaa",
      lineCut: true,
      nextLine: undefined,
    });
  });

  it("tells what is empty, blank or no text from a content", () => {
    expect(parseFilePage("[/mnt/user-data/uploads/a is empty.]")).toEqual({ ...whole, text: "" });
    expect(parseFilePage("[Lines 1 to 2 of 2 are blank.]")).toEqual({ ...whole, text: "\n\n" });
    const binary =
      "[/mnt/user-data/uploads/a is not UTF-8 text: image/png, 9 bytes. Its content is not shown.]";
    expect(parseFilePage(binary)).toEqual({ ...whole, text: "", isText: false });
  });
});

describe("isInterrupted", () => {
  it("knows the answer that stands for a call that was cut off", () => {
    const call = { type: "tool_call" as const, id: "1", name: "ls", args: {} };
    const [, placeholder] = answerDanglingToolCalls([new AIMessage({ content: "", tool_calls: [call] })]);
    expect(isInterrupted(String(placeholder?.content))).toBe(true);
    expect(isInterrupted("There is no file.")).toBe(false);
  });
});

describe("parseFileList", () => {
  it("takes files, not folders and not notes", () => {
    expect(parseFileList("/a/b.csv\n/a/c/\n/a/d e.md")).toEqual({
      files: ["/a/b.csv", "/a/d e.md"],
      cut: false,
    });
    expect(parseFileList("/a is empty.")).toEqual({ files: [], cut: false });
    expect(parseFileList("Nothing under /a matches **/*.")).toEqual({ files: [], cut: false });
    expect(
      parseFileList("/a/b\n[There are more; the first 1 are shown. Narrow the search to see others.]"),
    ).toEqual({
      files: ["/a/b"],
      cut: true,
    });
  });
});

describe("parseGrepHits", () => {
  it("takes path, line and text, with colons in the text", () => {
    expect(parseGrepHits("/a/b.md:12: TODO: call\nNo line matches.")).toEqual({
      hits: [{ path: "/a/b.md", line: 12, text: "TODO: call" }],
      cut: false,
    });
    expect(
      parseGrepHits("/a:1: x\n[Stopped at the time limit; there may be more. Narrow the search.]").cut,
    ).toBe(true);
  });
});

describe("parseJsonLine", () => {
  it("finds the line of the wanted shape among others", () => {
    const text = 'warning\n{broken\n{"b":1}\n{"a":2}\nExit code: 1';
    expect(parseJsonLine(text, z.object({ a: z.number() }))).toEqual({ a: 2 });
    expect(parseJsonLine("nothing", z.object({ a: z.number() }))).toBeUndefined();
  });
});
