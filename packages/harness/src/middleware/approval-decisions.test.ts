import { describe, expect, it } from "vitest";
import { type AwaitedCall, DECISION_TYPES, type DecisionType, readDecisions } from "./approval-decisions.js";

const awaited = (id: string, allowed: readonly DecisionType[] = DECISION_TYPES): AwaitedCall => ({
  call: { id, name: `tool_${id}`, args: { at: id } },
  allowed,
});
const one = [awaited("a")];
const two = [awaited("a"), awaited("b")];
const approve = { type: "approve" };
const args = { path: "/x" };

describe("readDecisions understands", () => {
  it.each([
    ["approval", approve, { type: "approve" }],
    [
      "an edit in snake case",
      { type: "edit", edited_action: { name: "ls", args } },
      { type: "edit", name: "ls", args },
    ],
    [
      "an edit in camel case",
      { type: "edit", editedAction: { name: "ls", args } },
      { type: "edit", name: "ls", args },
    ],
    [
      "an edit in both",
      { type: "edit", edited_action: { name: "ls", args }, editedAction: { name: "ls", args } },
      { type: "edit", name: "ls", args },
    ],
    [
      "an edit of the arguments alone",
      { type: "edit", edited_action: { args } },
      { type: "edit", name: "tool_a", args },
    ],
    ["a rejection", { type: "reject" }, { type: "reject", message: undefined }],
    [
      "a rejection with nothing to say",
      { type: "reject", message: null },
      { type: "reject", message: undefined },
    ],
    ["a rejection with blanks", { type: "reject", message: " \n" }, { type: "reject", message: undefined }],
    ["a rejection with a reason", { type: "reject", message: "no" }, { type: "reject", message: "no" }],
    ["a response", { type: "respond", message: "42" }, { type: "respond", message: "42" }],
  ])("%s", (_, decision, expected) => {
    expect(readDecisions({ decisions: [decision] }, one)).toEqual({ decisions: [expected] });
  });

  it("a list in the order of the requests, and calls by id in any order", () => {
    const reject = { type: "reject", message: "no" };
    const decisions = [reject, { type: "approve" }];
    expect(readDecisions({ decisions: [reject, approve] }, two)).toEqual({ decisions });
    expect(readDecisions({ decisions: { b: approve, a: reject } }, two)).toEqual({ decisions });
    expect(readDecisions({ b: approve, a: reject }, two)).toEqual({ decisions });
  });
});

describe("readDecisions refuses", () => {
  it.each([
    ["nothing", undefined, "no decisions"],
    ["a word", "approve", "no decisions"],
    ["a bare list", [approve], "no decisions"],
    ["another mapping", { x: approve }, "no decisions"],
    ["decisions that are no list", { decisions: "approve" }, "no decisions"],
    ["too few", { decisions: [] }, "Requests: 1, decisions: 0."],
    ["too many", { decisions: [approve, approve] }, "Requests: 1, decisions: 2."],
    ["the id of another call", { decisions: { a: approve, z: approve } }, "names another"],
    ["no decision at all", { decisions: [null] }, "Decision 1 (tool_a) has no type"],
    ["an unknown type", { decisions: [{ type: "accept" }] }, "approve, edit, reject, respond"],
    ["an edit without an action", { decisions: [{ type: "edit" }] }, "needs edited_action"],
    [
      "an edit with a list for arguments",
      { decisions: [{ type: "edit", edited_action: { args: [] } }] },
      "needs edited_action",
    ],
    [
      "an edit to a name that providers refuse",
      { decisions: [{ type: "edit", edited_action: { name: "rm -rf", args } }] },
      "needs edited_action",
    ],
    ["a rejection with a number", { decisions: [{ type: "reject", message: 1 }] }, "no text"],
    ["an empty response", { decisions: [{ type: "respond", message: "  " }] }, "needs a message"],
  ])("%s", (_, answer, problem) => {
    expect(readDecisions(answer, one)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it("a decision that is not allowed for its call, and names every misfit", () => {
    const some = [awaited("a", ["approve", "reject"]), awaited("b", ["respond"])];
    const answer = { decisions: [{ type: "respond", message: "x" }, approve] };
    expect(readDecisions(answer, some)).toEqual({
      problem:
        "Decision 1 (tool_a) is respond, and allowed are: approve, reject. " +
        "Decision 2 (tool_b) is approve, and allowed are: respond.",
    });
  });

  it("calls by id when one is missing, also one that is named like a part of every object", () => {
    const odd = [awaited("constructor"), awaited("b")];
    expect(readDecisions({ decisions: { b: approve } }, odd)).toEqual({
      problem: "Waiting are the calls constructor, b; none came for constructor.",
    });
  });
});
