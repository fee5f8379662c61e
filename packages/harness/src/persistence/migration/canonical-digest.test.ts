import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { messageFromText, messageToText } from "../checkpoint/message-codec.js";
import { digestOf } from "./canonical-digest.js";

const VALUES: readonly unknown[] = [
  undefined,
  null,
  0,
  -0.5,
  "",
  "undefined",
  "é🙂",
  true,
  [],
  [undefined],
  {},
  { a: 1 },
  { a: "1" },
  [["a", 1]],
  new Map([["a", 1]]),
  new Set(["a"]),
  new Uint8Array([1, 2]),
  /a/i,
  new Error("a"),
  new DeltaSnapshot([1]),
  new HumanMessage("a"),
  new AIMessage("a"),
  new HumanMessage({ content: "a", id: "1" }),
  new HumanMessage({ content: "a", name: "n" }),
  new AIMessage({ content: "a", tool_calls: [{ name: "t", args: {}, id: "c" }] }),
  new ToolMessage({ content: "a", tool_call_id: "c" }),
  new RemoveMessage({ id: "1" }),
];

describe("a canonical digest", () => {
  it("tells values apart", () => {
    expect(new Set(VALUES.map(digestOf)).size).toBe(VALUES.length);
  });

  it("does not mind the order of keys, nor keys without a value", () => {
    expect(digestOf({ a: 1, b: { c: 2, d: 3 } })).toBe(digestOf({ b: { d: 3, c: 2 }, a: 1, e: undefined }));
  });

  it.each(VALUES.filter((value) => value !== undefined).map((value, at) => [at, value] as const))(
    "stays the same through LangGraph's serializer (value %i)",
    async (_at, value) => {
      const serde = new JsonPlusSerializer();
      const [type, bytes] = await serde.dumpsTyped(value);
      expect(digestOf(await serde.loadsTyped(type, bytes))).toBe(digestOf(value));
    },
  );

  it("of a message stays the same through our own form", () => {
    const serialized = new AIMessage({
      content: "a",
      response_metadata: { z: 1, a: { b: 2 } },
      id: "1",
    });
    const { text } = messageToText(serialized);
    expect(digestOf(messageFromText(text))).toBe(digestOf(serialized));
  });
});
