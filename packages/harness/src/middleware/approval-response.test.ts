import { describe, expect, expectTypeOf, it } from "vitest";
import type * as published from "../exports/filesystem.js";
import { readDecisions } from "./approval-decisions.js";

type ApprovalResponse = published.ApprovalResponse;

const awaited = ["a", "b", "c", "d", "e"].map((id) => ({
  call: { id, name: "send", args: {} },
  allowed: ["approve", "edit", "reject", "respond"] as const,
}));

const READ = [
  { type: "approve" },
  { type: "edit", name: "drop", args: { x: 1 } },
  { type: "edit", name: "send", args: {} },
  { type: "reject", message: undefined },
  { type: "respond", message: "done by hand" },
];

describe("ApprovalResponse", () => {
  it("is what a resume takes, in a list", () => {
    const response: ApprovalResponse = {
      decisions: [
        { type: "approve" },
        { type: "edit", edited_action: { name: "drop", args: { x: 1 } } },
        { type: "edit", editedAction: { args: {} } },
        { type: "reject" },
        { type: "respond", message: "done by hand" },
      ],
    };
    expect(readDecisions(response, awaited)).toEqual({ decisions: READ });
  });

  it("is what a resume takes, by call id", () => {
    const byId = {
      a: { type: "approve" },
      b: { type: "edit", edited_action: { name: "drop", args: { x: 1 } } },
      c: { type: "edit", editedAction: { name: "send", args: {} } },
      d: { type: "reject", message: " " },
      e: { type: "respond", message: "done by hand" },
    } as const;
    const responses: ApprovalResponse[] = [byId, { decisions: byId }];
    for (const response of responses) expect(readDecisions(response, awaited)).toEqual({ decisions: READ });
  });

  it("has no place for what is read out of it", () => {
    expectTypeOf<{
      decisions: { type: "edit"; name: string; args: object }[];
    }>().not.toExtend<ApprovalResponse>();
    expectTypeOf<{ decisions: { type: "respond" }[] }>().not.toExtend<ApprovalResponse>();
  });
});
