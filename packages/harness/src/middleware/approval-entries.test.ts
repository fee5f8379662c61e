import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import type { InterruptOn } from "./approval-pauses.js";
import { createApprovalMiddleware } from "./approval.js";
import { createFilesystemMiddleware } from "./filesystem.js";

const optionOf = (build: () => unknown): unknown => {
  try {
    build();
  } catch (error) {
    if (DeerflowError.is(error) && error.code === "filesystem_options_invalid")
      return error.details["option"];
    throw error;
  }
  return undefined;
};

describe.each([
  ["createApprovalMiddleware", createApprovalMiddleware],
  ["createFilesystemMiddleware", createFilesystemMiddleware],
] as const)("entries of interruptOn in %s", (_, create) => {
  // The cast is sound: entries may come from plain JavaScript, so the wrong ones here are of any type.
  const build = (interruptOn: unknown) => create({ interruptOn: interruptOn as InterruptOn });

  it.each([
    ["switches", { write_file: true, ls: false }],
    ["decisions", { write_file: { allowedDecisions: ["approve"] } }],
    ["decisions in the other spelling", { write_file: { allowed_decisions: ["approve", "reject"] } }],
    ["functions", { write_file: { when: () => true, description: () => "why" } }],
    ["a key without a value", { write_file: { when: undefined } }],
  ])("take %s", (_what, interruptOn) => expect(optionOf(() => build(interruptOn))).toBeUndefined());

  it.each([
    ["an unknown key", { send: { allowedDecision: ["approve"] } }, "interruptOn.send.allowedDecision"],
    [
      "an unknown decision",
      { send: { allowed_decisions: ["aprove"] } },
      "interruptOn.send.allowed_decisions",
    ],
    ["no decision", { send: { allowedDecisions: [] } }, "interruptOn.send.allowedDecisions"],
    ["a decision as text", { send: { allowedDecisions: "approve" } }, "interruptOn.send.allowedDecisions"],
    [
      "both spellings",
      { send: { allowedDecisions: ["approve"], allowed_decisions: ["reject"] } },
      "interruptOn.send.allowed_decisions",
    ],
    ["a condition that is none", { send: { when: true } }, "interruptOn.send.when"],
    ["a description that is none", { send: { description: 7 } }, "interruptOn.send.description"],
    ["null", { send: null }, "interruptOn.send"],
    ["nothing", { send: undefined }, "interruptOn.send"],
    ["a text", { send: "approve" }, "interruptOn.send"],
    ["a list", { send: ["approve"] }, "interruptOn.send"],
    ["a list of names in place of entries", ["send"], "interruptOn"],
    ["a text in place of entries", "send", "interruptOn"],
  ])("refuse %s, naming the tool and the key", (_what, interruptOn, option) =>
    expect(optionOf(() => build(interruptOn))).toBe(option),
  );
});
