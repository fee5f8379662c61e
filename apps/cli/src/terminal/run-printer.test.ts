import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { RunPrinter } from "./run-printer.js";

const plain = pc.createColors(false);

function print(frames: readonly (readonly [string, unknown])[], showsOutput = false) {
  let out = "";
  const write = (text: string) => {
    out += text;
  };
  const printer = new RunPrinter(write, plain, showsOutput);
  frames.forEach(([event, data], index) => printer.frame({ id: String(index), event, data }));
  return { out, printer };
}

const human = { id: "h1", type: "human", content: "go" };
const ai = {
  id: "a1",
  type: "ai",
  content: "Reading.",
  tool_calls: [
    { id: "c1", name: "read_file", args: { description: "look", path: "/mnt/user-data/uploads/a.csv" } },
  ],
};
const tool = { id: "t1", type: "tool", name: "read_file", content: "a,b\n1,2", tool_call_id: "c1" };

describe("RunPrinter", () => {
  it("shows streamed text once, then calls, results and the plan", () => {
    const { out, printer } = print([
      ["values", { messages: [human] }],
      ["messages", [{ id: "a1", type: "AIMessageChunk", content: "Read" }, {}]],
      ["messages", [{ id: "a1", type: "AIMessageChunk", content: "ing." }, {}]],
      ["values", { messages: [human, ai] }],
      ["values", { messages: [human, ai, tool], todos: [{ content: "read", status: "completed" }] }],
      [
        "values",
        { messages: [human, ai, tool], todos: [{ content: "read", status: "completed" }], artifacts: ["/x"] },
      ],
    ]);
    expect(out).toBe(
      [
        "Reading.",
        "● read_file  look  /mnt/user-data/uploads/a.csv",
        "  ✓ a,b",
        "  Plan",
        "    [x] read",
        "",
      ].join("\n"),
    );
    expect(printer.artifacts).toEqual(["/x"]);
  });

  it("lets nothing that a model or a tool says talk to the terminal", () => {
    const evil = "a\u001B]0;owned\u0007b\u001B[2K\rc";
    const call = { id: "c1", name: evil, args: { description: evil, command: evil } };
    const { out } = print([
      ["messages", [{ id: "a0", type: "AIMessageChunk", content: evil }, {}]],
      ["values", { messages: [human] }],
      [
        "values",
        {
          messages: [human, { ...ai, content: evil, tool_calls: [call] }, { ...tool, content: evil }],
          todos: [{ content: evil, status: "pending" }],
          __interrupt__: [{ value: { action_requests: [call] } }],
        },
      ],
      ["error", { message: evil }],
    ]);
    expect([...out].filter((letter) => letter < " " && letter !== "\n")).toEqual([]);
  });

  it("shows a command that failed as one that failed", () => {
    const failed = {
      ...tool,
      name: "bash",
      content: "no such file",
      artifact: { exit_code: 2, timed_out: false },
    };
    const late = { ...failed, id: "t2", artifact: { exit_code: 124, timed_out: true } };
    const { out } = print([
      ["values", { messages: [human] }],
      ["values", { messages: [human, failed, late] }],
    ]);
    expect(out).toBe("  ✗ exit code 2  no such file\n  ✗ out of time  no such file\n");
  });

  it("keeps the commands that were denied because nobody could be asked", () => {
    const denied = {
      ...tool,
      name: "bash",
      status: "error",
      content: "Error: The command was not run.",
      artifact: { code: "command_unapproved", command: "make install" },
    };
    const blocked = { ...denied, id: "t2", artifact: { code: "command_blocked", command: "rm -rf /" } };
    const { printer } = print([
      ["values", { messages: [human] }],
      ["values", { messages: [human, ai, denied, blocked] }],
    ]);
    expect(printer.denials).toEqual(["make install"]);
  });

  it("names the calls that wait for a decision", () => {
    const action_requests = [
      { name: "write_file", args: { path: "/w/plan.md", content: "x" } },
      { name: "send", args: {} },
    ];
    const { out, printer } = print([
      ["values", { messages: [human] }],
      ["values", { messages: [human, ai] }],
      ["values", { __interrupt__: [{ id: "i", value: { action_requests } }] }],
    ]);
    expect(out.split("\n").slice(-3)).toEqual([
      "  ? write_file  /w/plan.md  waits for a decision",
      "  ? send  waits for a decision",
      "",
    ]);
    expect(printer.waitsForDecision).toBe(true);
    expect(print([["values", { __interrupt__: [{ value: "?" }, {}] }]]).printer.waitsForDecision).toBe(false);
  });

  it("does not repeat what the thread held before this run", () => {
    const { out } = print([
      ["values", { messages: [human, ai, tool] }],
      ["values", { messages: [human, ai, tool, { id: "a2", type: "ai", content: "Done." }] }],
    ]);
    expect(out).toBe("Done.\n");
  });

  it("marks refused calls and errors", () => {
    const { out } = print([
      ["values", { messages: [] }],
      ["values", { messages: [{ ...tool, status: "error", content: "Error: refused" }] }],
      ["error", { message: "the model is gone" }],
    ]);
    expect(out).toBe("  ✗ Error: refused\n✗ the model is gone\n");
  });

  it("knows when the run ends with a question", () => {
    const question = { id: "t2", type: "tool", name: "ask_clarification", content: "Which year?" };
    expect(
      print([
        ["values", { messages: [] }],
        ["values", { messages: [question] }],
      ]).printer.endsWithQuestion,
    ).toBe(true);
  });

  const printed = (text: string, tool_call_id = "c1") =>
    ["custom", { type: "tool_output", tool_call_id, tool: "bash", text }] as const;

  it("shows what commands print while they run, each line in a margin, and then their results", () => {
    const { out } = print(
      [
        ["values", { messages: [human] }],
        printed("one\ntw"),
        printed("o\n"),
        printed("half"),
        printed("other\n", "c2"),
        printed("open"),
        ["values", { messages: [human, tool] }],
      ],
      true,
    );
    expect(out).toBe("  │ one\n  │ two\n  │ half\n  │ other\n  │ open\n  ✓ a,b\n");
  });

  it("shows nothing of it where no person reads along, and nothing of other events", () => {
    expect(print([printed("one\n")]).out).toBe("");
    const others = [null, "text", { type: "llm_retry", message: "x" }, { type: "tool_output", text: 7 }];
    expect(
      print(
        others.map((data) => ["custom", data] as const),
        true,
      ).out,
    ).toBe("");
  });

  it("lets no command speak to the terminal", () => {
    const { out } = print([printed("\u001b[2J\u001b]52;c;aGk=\u0007a\u0008\u009b31m\tb\r50%\r\nc\n")], true);
    expect(out).toBe("  │ a\tb\n  │ 50%\n  │ c\n");
  });
});
