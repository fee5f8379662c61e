import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  newestReadHash,
  READ_MARK_KEY,
  toolMessageOf,
  versionRead,
  withReadMark,
} from "./read-before-write-marks.js";

const answer = (fields: Record<string, unknown> = {}): ToolMessage =>
  new ToolMessage({ content: "", tool_call_id: "r", ...fields });
const marked = (path: string, hash: string): ToolMessage =>
  answer({ additional_kwargs: { [READ_MARK_KEY]: { path, hash } } });

describe("newestReadHash", () => {
  it.each([
    ["no message", [], undefined],
    ["only a summary", [new HumanMessage({ content: "read /f", name: "summary" })], undefined],
    ["a read of another file", [marked("/g", "1")], undefined],
    ["the newest of several", [marked("/f", "1"), marked("/f", "2"), marked("/g", "3")], "2"],
    ["a mark whose path is spelled otherwise", [marked("//f/", "1")], "1"],
    ["a mark of a path that is none of ours", [marked("../f", "1")], undefined],
    ["a mark that is none", [marked(7 as never, "1"), marked("/f", null as never)], undefined],
    ["another case", [marked("/F", "1")], undefined],
    [
      "a mark on a message that is no tool's",
      [new AIMessage({ content: "", additional_kwargs: { [READ_MARK_KEY]: { path: "/f", hash: "1" } } })],
      undefined,
    ],
  ] as [string, BaseMessage[], string | undefined][])("finds in %s", (_, messages, hash) => {
    expect(newestReadHash(messages, "/f")).toBe(hash);
  });

  it("takes two spellings for one file where the files do", () => {
    const name = (path: string) => path.toLowerCase();
    expect(newestReadHash([marked("/W/Read.md", "1")], "/w/read.MD", name)).toBe("1");
  });
});

describe("withReadMark", () => {
  it("keeps what else is noted on the message", () => {
    const message = answer({ additional_kwargs: { kept: 1 } });
    withReadMark(message, { path: "/f", hash: "1" });
    expect(message.additional_kwargs).toEqual({ kept: 1, [READ_MARK_KEY]: { path: "/f", hash: "1" } });
  });

  it("goes on the last tool message of a Command, whatever follows that", () => {
    const [first, last] = [marked("/a", "1"), answer()];
    const frames = new HumanMessage("frames of the film");
    withReadMark(new Command({ update: { messages: [first, last, frames] } }), { path: "/b", hash: "2" });
    expect(newestReadHash([last], "/b")).toBe("2");
    expect(newestReadHash([first], "/a")).toBe("1");
    expect(frames.additional_kwargs).toEqual({});
  });

  it("lets a Command without a tool message be", () => {
    const command = new Command({ update: { notes: 1 } });
    expect(withReadMark(command, { path: "/b", hash: "2" })).toBe(command);
    expect(toolMessageOf(command)).toBeUndefined();
  });

  it("is stored with the message", async () => {
    const message = answer();
    withReadMark(message, { path: "/f", hash: "1" });
    const { serde } = new MemorySaver();
    const [type, bytes] = await serde.dumpsTyped([message]);
    expect(newestReadHash(await serde.loadsTyped(type, bytes), "/f")).toBe("1");
  });
});

describe("versionRead", () => {
  it.each([
    ["what the tool says", { path: "/f", version: "1" }, "1"],
    ["nothing of another file", { path: "/g", version: "1" }, undefined],
    ["nothing when the tool does not say", undefined, undefined],
    ["nothing of facts of another form", { path: "/f", version: 1 }, undefined],
  ])("takes %s", (_, artifact, version) => expect(versionRead(answer({ artifact }), "/f")).toBe(version));
});
