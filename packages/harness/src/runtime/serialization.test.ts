import { createHash } from "node:crypto";
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  toCheckpointEvent,
  toDebugEvent,
  toInterrupts,
  toJson,
  toMessageTuple,
  toStateValues,
  toTaskEvent,
  toThreadState,
  toUpdates,
  toWireMessage,
} from "./serialization.js";

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
  withObjectString: true,
  maxDepth: 4,
});
const message = fc.oneof(
  anything.map((extra) => new AIMessage({ content: "a", additional_kwargs: { extra } })),
  anything.map((artifact) => new ToolMessage({ content: "t", tool_call_id: "c", artifact })),
  fc.string().map((content) => new AIMessageChunk({ id: "i", content })),
);
const hostile = fc.oneof(
  anything,
  message,
  fc.array(message),
  fc.dictionary(
    fc.constantFrom("messages", "__pregel_x", "_private", "lg_at", "__proto__", "__interrupt__"),
    anything,
  ),
);

describe("serialisation", () => {
  it.each([
    ["toJson", toJson],
    ["toStateValues", toStateValues],
    ["toUpdates", toUpdates],
    ["toThreadState", toThreadState],
    ["toTaskEvent", toTaskEvent],
    ["toCheckpointEvent", toCheckpointEvent],
    ["toDebugEvent", toDebugEvent],
    ["toMessageTuple", (value: unknown) => toMessageTuple([value, value], "t1") ?? null],
  ])("%s gives JSON that survives the wire unchanged, whatever comes in", (_name, serialise) => {
    fc.assert(
      fc.property(hostile, (value) => {
        const json = serialise(value, "t1");
        const sent = JSON.stringify(json);
        expect(JSON.parse(sent)).toStrictEqual(json);
        expect(sent).not.toContain("__pregel_");
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it("ends circles and very deep values", () => {
    const circle: Record<string, unknown> = { a: 1 };
    circle["self"] = circle;
    expect(toJson(circle, "t1")).toEqual({ a: 1, self: null });
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(JSON.stringify(toJson(deep, "t1")).length).toBeLessThan(1000);
  });

  it("gives bytes, dates, maps, sets and errors a plain form", () => {
    expect(
      toJson(
        {
          bytes: new Uint8Array([1, 2]),
          date: new Date(0),
          map: new Map([["a", 1n]]),
          set: new Set([1]),
          error: new TypeError("no"),
          gone: undefined,
          run: () => 1,
          list: [undefined, Number.NaN],
        },
        "t1",
      ),
    ).toEqual({
      bytes: "AQI=",
      date: "1970-01-01T00:00:00.000Z",
      map: { a: "1" },
      set: [1],
      error: { error: "TypeError", message: "no" },
      list: [null, null],
    });
  });

  it("flattens an ai message and keeps the provider's raw calls inside", () => {
    const message = new AIMessage({
      id: "a1",
      content: "hi",
      tool_calls: [{ id: "c1", name: "ls", args: { path: "/" }, type: "tool_call" }],
      additional_kwargs: { reasoning_content: "r" },
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } as never,
    });
    message.additional_kwargs.tool_calls = [];
    expect(toWireMessage(message, "t1")).toEqual({
      type: "ai",
      id: "a1",
      content: "hi",
      additional_kwargs: { reasoning_content: "r" },
      response_metadata: {},
      tool_calls: [{ id: "c1", name: "ls", args: { path: "/" }, type: "tool_call" }],
      invalid_tool_calls: [],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
  });

  it("shows what a message holds by its address, in its content and its artifact, wherever the message lies", () => {
    const data = Buffer.alloc(900, 1).toString("base64");
    const url = `/api/threads/t1/media/${createHash("sha256").update(data).digest("hex")}`;
    const image = { type: "image", mimeType: "image/png", data };
    const shown = {
      type: "image_url",
      image_url: { url },
      mime_type: "image/png",
      stored_as: { type: "image", mimeType: "image/png", data: url },
    };
    const message = new ToolMessage({
      id: "t",
      tool_call_id: "c",
      content: [{ type: "text", text: data }, image],
      artifact: { shots: [image] },
    });
    const wire = { content: [{ type: "text", text: data }, shown], artifact: { shots: [shown] } };
    expect(toStateValues({ messages: [message] }, "t1")).toMatchObject({ messages: [wire] });
    expect(toUpdates({ tools: { messages: [message] } }, "t1")).toMatchObject({
      tools: { messages: [wire] },
    });
    expect(toThreadState({ values: { messages: [message] } }, "t1")).toMatchObject({
      values: { messages: [wire] },
    });
    expect(toTaskEvent({ input: { messages: [message] } }, "t1")).toMatchObject({
      input: { messages: [wire] },
    });
    expect(toMessageTuple([message, {}], "t1")?.[0]).toMatchObject(wire);
    // Only messages are stored so that an address leads to what they hold.
    expect(toJson({ image }, "t1")).toEqual({ image });
  });

  it("keeps the artifact and the status of a tool message", () => {
    const message = new ToolMessage({
      id: "t1",
      content: "x",
      tool_call_id: "c1",
      name: "ls",
      artifact: { v: 1 },
    });
    expect(toWireMessage(message, "t1")).toEqual({
      type: "tool",
      id: "t1",
      name: "ls",
      content: "x",
      additional_kwargs: {},
      response_metadata: {},
      tool_call_id: "c1",
      artifact: { v: 1 },
    });
    expect(
      toWireMessage(new ToolMessage({ content: "", tool_call_id: "c", status: "error" }), "t1")["status"],
    ).toBe("error");
  });

  it("marks a piece of a message and carries its call pieces", () => {
    const chunk = new AIMessageChunk({
      id: "a1",
      content: "",
      tool_call_chunks: [{ index: 0, id: "c1", name: "ls", args: '{"pa', type: "tool_call_chunk" }],
    });
    const [wire, metadata] =
      toMessageTuple([chunk, { langgraph_node: "model", __pregel_task_id: "1" }], "t1") ?? [];
    expect(wire).toMatchObject({
      type: "AIMessageChunk",
      tool_call_chunks: [{ index: 0, id: "c1", name: "ls", args: '{"pa', type: "tool_call_chunk" }],
    });
    expect(metadata).toEqual({ langgraph_node: "model" });
  });

  it("hides private channels and routing keys, but not the arguments of a call", () => {
    const call = { id: "c", name: "t", args: { _x: 1, lg_y: 2 }, type: "tool_call" as const };
    const values = {
      messages: [
        new HumanMessage({ id: "h", content: "q" }),
        new AIMessage({ id: "a", content: "", tool_calls: [call] }),
      ],
      _summary: "s",
      lg_at: ["model"],
      title: "T",
      __interrupt__: [
        { id: "i", value: { review_configs: [{ action_name: "t", allowed_decisions: ["approve"] }] } },
      ],
    };
    expect(toStateValues(values, "t1")).toMatchObject({
      title: "T",
      messages: [{ type: "human" }, { tool_calls: [{ args: { _x: 1, lg_y: 2 } }] }],
      __interrupt__: [
        {
          id: "i",
          value: {
            review_configs: [
              {
                action_name: "t",
                actionName: "t",
                allowed_decisions: ["approve"],
                allowedDecisions: ["approve"],
              },
            ],
          },
        },
      ],
    });
    expect(Object.keys(toStateValues(values, "t1") as object).sort()).toEqual([
      "__interrupt__",
      "messages",
      "title",
    ]);
  });

  it("gives updates by node, with null for a node that changed nothing", () => {
    expect(
      toUpdates(
        {
          model: { messages: [new RemoveMessage({ id: "x" })], _private: 1 },
          tools: undefined,
          many: [{ a: 1, lg_call: "c" }],
          __metadata__: { cached: true },
        },
        "t1",
      ),
    ).toMatchObject({ model: { messages: [{ type: "remove", id: "x" }] }, tools: null, many: [{ a: 1 }] });
  });

  it("gives interrupts in both spellings and only {id, value}", () => {
    const value = { actionRequests: [{ name: "bash", args: { edited_action: 1 } }] };
    expect(toInterrupts([{ id: "i1", value, when: "during" }], "t1")).toEqual([
      { id: "i1", value: { actionRequests: value.actionRequests, action_requests: value.actionRequests } },
    ]);
  });

  it("turns a snapshot into a history item", () => {
    const config = (id: string) => ({
      configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id },
    });
    expect(
      toThreadState(
        {
          values: { title: "T", _p: 1 },
          next: ["tools"],
          tasks: [
            { id: "1", name: "tools", path: ["__pregel_pull", "tools"], interrupts: [{ id: "i", value: 1 }] },
            { id: "2", name: "tools", path: [], interrupts: [], error: new Error("boom") },
          ],
          config: config("2"),
          parentConfig: config("1"),
          metadata: { source: "loop", step: 1, run_id: "r" },
          createdAt: "2026-01-01T00:00:00Z",
        },
        "t1",
      ),
    ).toEqual({
      values: { title: "T" },
      next: ["tools"],
      tasks: [
        {
          id: "1",
          name: "tools",
          path: ["__pregel_pull", "tools"],
          error: null,
          interrupts: [{ id: "i", value: 1 }],
          checkpoint: null,
          state: null,
        },
        {
          id: "2",
          name: "tools",
          path: [],
          error: '{"error":"Error","message":"boom"}',
          interrupts: [],
          checkpoint: null,
          state: null,
        },
      ],
      checkpoint: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "2", checkpoint_map: null },
      parent_checkpoint: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "1", checkpoint_map: null },
      metadata: { source: "loop", step: 1, run_id: "r" },
      created_at: "2026-01-01T00:00:00Z",
    });
  });
});
