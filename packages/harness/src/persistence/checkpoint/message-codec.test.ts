import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageFromText, messageToText } from "./message-codec.js";

function roundTrip(message: BaseMessage): BaseMessage {
  const { text, media } = messageToText(message);
  return messageFromText(text, new Map([...media].map(([hash, { base64 }]) => [hash, base64])));
}

/** JSON as models and tools make it, awkward keys included. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as never);
const text = fc.string({ unit: "binary", maxLength: 40 });
const key = fc.oneof(text, fc.constantFrom("$", "__proto__", "lc", "constructor", "$deerflow"));
const record = fc.dictionary(key, json, { maxKeys: 4 });
const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("text" as const), text }),
      fc.record({ type: fc.constant("image_url" as const), image_url: fc.record({ url: text }) }),
      fc.record({ type: fc.constant("tool_call" as const), id: text, name: text, args: record }),
    ),
    { maxLength: 3 },
  ),
);
const toolCall = fc.record({ id: text, name: text, args: record, type: fc.constant("tool_call" as const) });
const common = {
  content,
  id: fc.option(text, { nil: undefined }),
  name: fc.option(text, { nil: undefined }),
  additional_kwargs: fc.oneof(
    record,
    record.map((kwargs) => ({ ...kwargs, tool_calls: [{ id: "x" }] })),
  ),
  response_metadata: fc.oneof(
    record,
    record.map((metadata) => ({ ...metadata, output_version: "v1" })),
  ),
};
const usage = fc.option(
  fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat(), total_tokens: fc.nat() }),
  { nil: undefined },
);
const fields = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(shape, { requiredKeys: ["content"] as never });

const message: fc.Arbitrary<BaseMessage> = fc.oneof(
  fields(common).map((given) => new HumanMessage(given as never)),
  fields(common).map((given) => new HumanMessageChunk(given as never)),
  fields(common).map((given) => new SystemMessage(given as never)),
  fields({ ...common, tool_calls: fc.array(toolCall, { maxLength: 3 }), usage_metadata: usage }).map(
    (given) => new AIMessage(given as never),
  ),
  fields({
    ...common,
    tool_call_chunks: fc.array(
      fc.record({ name: text, args: text, id: text, index: fc.nat(), type: fc.constant("tool_call_chunk") }),
      { maxLength: 2 },
    ),
    usage_metadata: usage,
  }).map((given) => new AIMessageChunk(given as never)),
  fields({
    ...common,
    artifact: json,
    status: fc.constantFrom("success", "error"),
    metadata: record,
  }).map((given) => new ToolMessage({ ...given, tool_call_id: "call" } as never)),
  fields(common).map((given) => new ChatMessage({ ...given, role: "critic" } as never)),
  fields(common).map((given) => new FunctionMessage({ ...given, name: "f" } as never)),
  text.map((id) => new RemoveMessage({ id })),
);

describe("the message codec", () => {
  it("gives back every message as it was, of the same class", () => {
    fc.assert(
      fc.property(message, (original) => {
        const copy = roundTrip(original);
        // The constructor's record is compared by what it is for: toDict.
        expect({ ...copy, lc_kwargs: {} }).toEqual({ ...original, lc_kwargs: {} });
        expect(copy.constructor).toBe(original.constructor);
        // As text: toDict itself turns a key named __proto__ into a prototype.
        expect(JSON.parse(JSON.stringify(copy.toDict()))).toEqual(
          JSON.parse(JSON.stringify(original.toDict())),
        );
        expect(messageToText(copy).text).toBe(messageToText(original).text);
      }),
      { numRuns: 100 },
    );
  });

  it("keeps an id that was stamped later, and a name that was set later", () => {
    const original = new AIMessage("hi");
    original.id = "late";
    original.name = "lead";
    const copy = roundTrip(original);
    expect([copy.id, copy.name]).toEqual(["late", "lead"]);
    expect(copy).toEqual(original);
  });

  it("keeps bytes, dates, maps, sets, big and odd numbers, and messages inside an artifact", () => {
    const artifact = {
      bytes: new Uint8Array([0, 255]),
      date: new Date(5),
      map: new Map<unknown, unknown>([["k", new Set([1n])]]),
      numbers: [Number.NaN, Number.POSITIVE_INFINITY, undefined],
      inner: [new HumanMessage({ content: "inside", id: "i" })],
      $: { $: "bytes", value: "not bytes" },
    };
    const copy = roundTrip(new ToolMessage({ content: "", tool_call_id: "c", artifact }));
    expect((copy as ToolMessage).artifact).toEqual(artifact);
  });

  it("cuts a circle instead of failing", () => {
    const artifact: Record<string, unknown> = { name: "loop" };
    artifact["self"] = artifact;
    const copy = roundTrip(new ToolMessage({ content: "", tool_call_id: "c", artifact }));
    expect((copy as ToolMessage).artifact).toEqual({ name: "loop", self: "[Circular]" });
  });

  it("builds nothing but data out of text that looks like a serialized object", () => {
    const hostile = {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "HumanMessage"],
      kwargs: {},
    };
    const copy = roundTrip(new AIMessage({ content: "", additional_kwargs: { hostile } }));
    expect(copy.additional_kwargs["hostile"]).toEqual(hostile);
    expect(Object.getPrototypeOf(copy.additional_kwargs["hostile"])).toBe(Object.prototype);
  });

  it.each(["Date", "constructor", "__proto__"])("refuses a class named %s", (name) => {
    expect(() => messageFromText(JSON.stringify([name, {}]))).toThrow(/no message class/);
  });

  it("writes a short message short", () => {
    expect(messageToText(new HumanMessage({ content: "hi", id: "1" })).text).toBe(
      '["HumanMessage",{"id":"1","content":"hi"}]',
    );
  });
});
