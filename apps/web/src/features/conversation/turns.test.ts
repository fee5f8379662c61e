import type { ViewMessage } from "@deerflow/client";
import { describe, expect, it } from "vitest";
import { turnsOf } from "./turns.js";

const message = (
  id: string,
  role: ViewMessage["role"],
  text: string,
  calls: readonly string[] = [],
): ViewMessage => ({
  id,
  role,
  text,
  reasoning: "",
  calls: calls.map((call) => ({ id: call, name: "ls", args: {} })),
  files: [],
  streaming: false,
});

describe("turnsOf", () => {
  it("joins calls that follow each other, until a text or a person comes between them", () => {
    const turns = turnsOf([
      message("h1", "human", "go"),
      message("a1", "ai", "I look.", ["c1"]),
      message("t1", "tool", "x"),
      message("a2", "ai", "", ["c2", "c3"]),
      message("t2", "tool", "x"),
      message("a3", "ai", "Done."),
      message("h2", "human", "again"),
      message("a4", "ai", "", ["c4"]),
    ]);
    const brief = turns.map((turn) =>
      turn.kind === "human"
        ? turn.message.text
        : turn.steps.map((step) => (step.kind === "text" ? step.message.text : step.callIds)),
    );
    expect(brief).toEqual(["go", ["I look.", ["c1", "c2", "c3"], "Done."], "again", [["c4"]]]);
  });
});
