import { describe, expect, it } from "vitest";
import {
  cardHeading,
  handedFiles,
  lastLines,
  liveTail,
  questionOf,
  shownArguments,
} from "./tool-call-text.js";

describe("cardHeading", () => {
  it.each([
    [
      { name: "read_file", headline: "Look at the table", args: { path: "/mnt/user-data/uploads/a.csv" } },
      { headline: "Look at the table", subject: "a.csv" },
    ],
    [
      { name: "bash", headline: "", args: { command: "\nnode totals.mjs\nls" } },
      { headline: undefined, subject: "node totals.mjs" },
    ],
    [
      { name: "unheard_of", headline: "", args: { path: "/a" } },
      { headline: undefined, subject: undefined },
    ],
    [
      { name: "constructor", headline: "", args: {} },
      { headline: undefined, subject: undefined },
    ],
  ])("of %j", (call, heading) => expect(cardHeading(call)).toEqual(heading));
});

describe("shownArguments", () => {
  it("leaves out the headline and puts the long text last", () => {
    expect(
      shownArguments("write_file", { content: "# A", description: "x", path: "/a", append: true }),
    ).toEqual([
      { name: "path", value: "/a" },
      { name: "append", value: "true" },
      { name: "content", value: "# A" },
    ]);
  });
});

describe("liveTail", () => {
  it("shows the last lines of what is being written", () => {
    expect(liveTail("write_file", { content: "1\n2\n3" }, 2)).toBe("2\n3");
    expect(liveTail("ls", { path: "/a" })).toBe("");
  });
});

describe("lastLines", () => {
  it("are the end of a text, without an empty line behind it", () => {
    expect(lastLines("1\n2\n3\n", 2)).toBe("2\n3");
    expect(lastLines("1", 2)).toBe("1");
    expect(lastLines("", 2)).toBe("");
  });
});

describe("questionOf", () => {
  it("takes the question and its options from the artifact, else from the arguments", () => {
    const args = { question: "Which?", options: ["a", "b"] };
    const human_input = {
      question: "Which one?",
      options: [
        { id: "1", label: "A" },
        { id: "2", value: "B" },
      ],
    };
    expect(questionOf({ args, artifact: {} })).toEqual({ question: "Which?", options: ["a", "b"] });
    expect(questionOf({ args, artifact: { human_input } })).toEqual({
      question: "Which one?",
      options: ["A", "B"],
    });
  });
});

describe("handedFiles", () => {
  it("are those of a call that succeeded, each once", () => {
    const args = { filepaths: ["/o/a.md", "/o/a.md", 7] };
    expect(handedFiles({ name: "present_files", state: "done", args })).toEqual(["/o/a.md"]);
    expect(handedFiles({ name: "present_files", state: "error", args })).toEqual([]);
    expect(handedFiles({ name: "bash", state: "done", args })).toEqual([]);
  });
});
