import { HumanMessage } from "@langchain/core/messages";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markMessages, unmarkMessages } from "./message-marks.js";

const [a, b] = [new HumanMessage({ content: "a", id: "a" }), new HumanMessage({ content: "b", id: "b" })];
const through = (value: unknown) => {
  const marked = markMessages(value);
  return unmarkMessages(JSON.parse(JSON.stringify(marked.value)), marked.messages);
};

describe("message marks", () => {
  it("leaves a list of messages as one range, and each message once", () => {
    expect(markMessages([a, b])).toEqual({
      value: { $deerflow: "messages", at: [0, 1] },
      messages: [a, b],
      marked: true,
    });
    expect(markMessages({ x: [a, b], y: a }).messages).toEqual([a, b]);
  });

  it("gives back values with messages at any depth, as the same objects", () => {
    const value = { list: [a, b, a], mixed: [a, "text", null, { deep: [[b]] }], single: b, plain: { n: 1 } };
    const copy = through(value) as typeof value;
    expect(copy).toEqual(value);
    expect(copy.single).toBe(b);
  });

  it("gives back values that look like marks, and any other JSON, unchanged", () => {
    const mark = fc.record({
      $deerflow: fc.constantFrom("message", "messages", "object"),
      at: fc.nat(),
      entries: fc.jsonValue(),
    });
    const json = fc.oneof(
      fc.jsonValue(),
      mark,
      fc.array(mark),
      fc.record({ inner: mark, __proto__: fc.nat() }),
    );
    fc.assert(
      fc.property(json, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(through(plain)).toEqual(plain);
      }),
    );
  });

  it("looks into Sends and delta snapshots", () => {
    const send = { lg_name: "Send", node: "tools", args: { messages: [a] } };
    const { value, messages } = markMessages([send, new DeltaSnapshot([b])]);
    expect(messages).toEqual([a, b]);
    expect(unmarkMessages(value, messages)).toEqual([
      { node: "tools", args: { messages: [a] } },
      new DeltaSnapshot([b]),
    ]);
  });

  it("does not mark what holds no message", () => {
    expect(markMessages({ files: { "a.txt": "text" } }).marked).toBe(false);
  });
});
