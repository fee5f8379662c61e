import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { RunRecord } from "../persistence/contract.js";
import { withLostInput } from "./lost-input.js";
import { parseRunRequest } from "./run-request.js";

const ask = (id: string, extra: object = {}) =>
  parseRunRequest({
    assistant_id: "lead_agent",
    input: { messages: [{ type: "human", id, content: id }] },
    ...extra,
  });

const run = (id: string, stopReason?: string): RunRecord => ({
  runId: `run-${id}`,
  threadId: "t",
  assistantId: "lead_agent",
  status: "error",
  multitaskStrategy: "enqueue",
  onDisconnect: "continue",
  request: ask(id).payload,
  metadata: {},
  owner: "x",
  epoch: 1,
  createdAt: 0,
  updatedAt: 0,
  ...(stopReason === undefined ? {} : { stopReason }),
});

const said = (request: ReturnType<typeof ask>) => {
  const messages = request.input?.["messages"];
  return Array.isArray(messages) ? messages.map((message) => (message as { id: string }).id) : [];
};

describe("withLostInput", () => {
  it("says again what the state never got, in its order", () => {
    const earlier = [run("second", "process_lost"), run("first", "process_lost"), run("done")];
    expect(said(withLostInput(ask("continue"), earlier, {}))).toEqual(["first", "second", "continue"]);
  });

  it("leaves what the state has, and what an ended run was told", () => {
    const state = [new HumanMessage({ id: "kept", content: "kept" })];
    const earlier = [
      run("kept", "process_lost"),
      run("cancelled", "cancelled"),
      run("older", "process_lost"),
    ];
    expect(said(withLostInput(ask("continue"), earlier, { messages: state }))).toEqual(["continue"]);
  });

  it("changes no run that resumes or starts from an older checkpoint", () => {
    const earlier = [run("lost", "process_lost")];
    for (const request of [ask("x", { command: { resume: 1 } }), ask("x", { checkpoint_id: "c" })]) {
      expect(withLostInput(request, earlier, undefined)).toBe(request);
    }
  });
});
