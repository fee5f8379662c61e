import { describe, expect, it } from "vitest";
import { assignMessageIds, toGraphInput } from "./run-input.js";
import { DEFAULT_RUN_LIMITS, parseRunRequest } from "./run-request.js";

const minimal = { assistant_id: "lead_agent" };

describe("parseRunRequest", () => {
  it("fills in what a client leaves out", () => {
    expect(parseRunRequest(minimal)).toEqual({
      assistantId: "lead_agent",
      input: undefined,
      command: undefined,
      checkpointId: undefined,
      context: {},
      metadata: {},
      recursionLimit: 100,
      streamModes: ["values"],
      streamSubgraphs: false,
      multitaskStrategy: "enqueue",
      onDisconnect: "continue",
      ifNotExists: "create",
      interruptBefore: undefined,
      interruptAfter: undefined,
      payload: minimal,
    });
  });

  it("reads what DeerFlow's web client sends, and ignores what it does not know", () => {
    const request = parseRunRequest({
      ...minimal,
      input: {
        messages: [
          { type: "human", content: [{ type: "text", text: "hi" }], additional_kwargs: { files: [] } },
        ],
      },
      config: { recursion_limit: 1000, configurable: { thread_id: "t", __pregel_read: 1, model_name: "a" } },
      context: { model_name: "b", mode: "pro", is_plan_mode: true },
      checkpoint: { checkpoint_id: "c1", checkpoint_ns: "", checkpoint_map: null },
      stream_mode: ["messages-tuple", "values", "updates", "custom"],
      stream_resumable: false,
      webhook: null,
      on_disconnect: "continue",
    });
    expect(request).toMatchObject({
      checkpointId: "c1",
      context: { thread_id: "t", model_name: "b", mode: "pro", is_plan_mode: true },
      recursionLimit: 1000,
      streamModes: ["messages-tuple", "values", "updates", "custom"],
    });
    expect(request.context).not.toHaveProperty("__pregel_read");
    expect(request.payload).not.toHaveProperty("stream_resumable");
  });

  it("gives back the same request when its stored payload is parsed again", () => {
    const request = parseRunRequest({ ...minimal, input: { messages: ["hi"] }, metadata: { a: 1 } });
    expect(parseRunRequest(request.payload)).toEqual(request);
  });

  it.each([
    [undefined, 100],
    [null, 100],
    [0, 100],
    [-5, 100],
    [7.9, 7],
    [50_000, 1000],
  ])("takes a recursion limit of %s as %d", (requested, expected) => {
    const request = parseRunRequest(
      { ...minimal, config: { recursion_limit: requested } },
      DEFAULT_RUN_LIMITS,
    );
    expect(request.recursionLimit).toBe(expected);
  });

  it("refuses the mode events and names the supported ones", () => {
    expect(() => parseRunRequest({ ...minimal, stream_mode: ["values", "events"] })).toThrow(
      /The stream mode events is not supported/,
    );
  });

  it.each([
    [{}, /assistant_id/],
    [{ ...minimal, input: "text" }, /input/],
    [{ ...minimal, multitask_strategy: "maybe" }, /multitask_strategy/],
    [{ ...minimal, input: { messages: [1] } }, /no message/],
    [{ ...minimal, input: { messages: [{ type: "oracle", content: "x" }] } }, /unknown type oracle/],
    [null, /expected object/],
    [{ ...minimal, command: { goto: 5 } }, /command\.goto/],
    [{ ...minimal, command: { goto: { node: "model", input: { __model_entry__: {} } } } }, /command\.goto/],
  ])("names what is wrong with %j", (payload, message) => {
    expect(() => parseRunRequest(payload)).toThrow(message);
  });

  it("reads the commands of deep-agents-ui and agent-chat-ui", () => {
    expect(
      parseRunRequest({ ...minimal, input: {}, command: { goto: "__end__", update: null } }).command,
    ).toEqual({
      goto: [{ node: "__end__" }],
    });
    const decisions = [{ type: "edit", edited_action: { name: "bash", args: {} } }];
    expect(parseRunRequest({ ...minimal, command: { resume: { decisions } } }).command?.resume).toEqual({
      decisions: [{ ...decisions[0], editedAction: { name: "bash", args: {} } }],
    });
    expect(parseRunRequest({ ...minimal, command: { resume: null } }).command).toBeUndefined();
  });

  it("reads every form of goto", () => {
    const gotoOf = (goto: unknown) => parseRunRequest({ ...minimal, command: { goto } }).command?.goto;
    expect(gotoOf({ node: "a", input: null })).toEqual([{ node: "a" }]);
    expect(gotoOf(["a", { node: "b", input: { x: 1 } }])).toEqual([
      { node: "a" },
      { node: "b", input: { x: 1 } },
    ]);
  });
});

describe("the input of a run", () => {
  it("gets ids for messages that have none, whatever their form", () => {
    let count = 0;
    const input = assignMessageIds(
      {
        messages: ["a", { role: "user", content: "b" }, { type: "human", id: "mine", content: "c" }],
        todos: [],
      },
      () => `id-${++count}`,
    );
    expect(input).toEqual({
      messages: [
        { type: "human", content: "a", id: "id-1" },
        { role: "user", content: "b", id: "id-2" },
        { type: "human", id: "mine", content: "c" },
      ],
      todos: [],
    });
    expect(assignMessageIds({ messages: ["human", "one message"] }, () => "i")["messages"]).toEqual([
      { type: "human", content: "one message", id: "i" },
    ]);
  });

  it("becomes messages with their files, calls, results and artifacts", () => {
    const { messages } = toGraphInput({
      messages: [
        { type: "human", id: "h", content: "q", additional_kwargs: { files: ["f"] } },
        { type: "ai", id: "a", content: "", tool_calls: [{ id: "c", name: "t", args: { x: 1 } }] },
        { type: "tool", id: "t", content: "r", tool_call_id: "c", status: "error", artifact: { z: 1 } },
        { type: "remove", id: "a" },
      ],
    }) as { messages: Record<string, unknown>[] };
    expect(messages[0]).toMatchObject({ id: "h", content: "q", additional_kwargs: { files: ["f"] } });
    expect(messages[1]).toMatchObject({ tool_calls: [{ id: "c", name: "t", args: { x: 1 } }] });
    expect(messages[2]).toMatchObject({ tool_call_id: "c", status: "error", artifact: { z: 1 } });
    expect(messages[3]).toMatchObject({ id: "a", type: "remove" });
  });

  it("builds nothing from a class name that the client sends", () => {
    const constructor = {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "AIMessage"],
      kwargs: {},
    };
    expect(() => toGraphInput({ messages: [constructor] })).toThrow(/unknown type constructor/);
  });
});
