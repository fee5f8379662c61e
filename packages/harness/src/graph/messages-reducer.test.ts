import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  type BaseMessageLike,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { messagesStateReducer, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messagesReducer, settleMessages } from "./messages-reducer.js";

const ids = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const message = fc
  .tuple(ids, fc.constantFrom("human", "ai", "tool", "chunk", "raw"), fc.nat(99))
  .map(([id, kind, number]): BaseMessageLike => {
    const content = String(number);
    if (kind === "human") return new HumanMessage({ id, content });
    if (kind === "ai") return new AIMessage({ id, content });
    if (kind === "tool") return new ToolMessage({ id, content, tool_call_id: "t" });
    if (kind === "chunk") return new AIMessageChunk({ id, content });
    return { role: "user", id, content };
  });
/** Mostly appends of fresh ids, as in an agent's life; now and then anything else. */
const write = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.uuid(), { maxLength: 3 })
      .map((fresh) => fresh.map((id) => new AIMessage({ id, content: id }))),
  },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 4 }) },
  { weight: 1, arbitrary: ids.map((id) => [new RemoveMessage({ id })]) },
  {
    weight: 1,
    arbitrary: fc
      .array(message, { maxLength: 2 })
      .map((rest) => [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...rest]),
  },
);
/** Where in the grown lists the write is applied: retries and parallel tasks start from an older list again. */
const step = fc.record({ write, from: fc.nat(3) });

const facts = (list: readonly BaseMessage[]) =>
  list.map((entry) => [entry.constructor.name, entry.id, entry.text, entry.lc_kwargs["id"]]);
const attempt = (reduce: () => BaseMessage[]) => {
  try {
    return reduce();
  } catch (error) {
    return (error as Error).message;
  }
};

describe("messagesReducer", () => {
  it("gives what messagesStateReducer gives where that does not throw, whichever list it grew from", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const lists: BaseMessage[][] = [[]];
        for (const { write: written, from } of steps) {
          const left = lists[Math.max(0, lists.length - 1 - from)] ?? [];
          const before = [...left];
          const ours = messagesReducer(left, written);
          const theirs = attempt(() => messagesStateReducer(left, written));
          if (typeof theirs !== "string") expect(facts(ours)).toEqual(facts(theirs));
          expect(left).toEqual(before);
          lists.push(ours);
        }
      }),
      { numRuns: 120 },
    );
  });

  it("ignores a removal of what is not there, and does the rest of the write", () => {
    const list = ["1", "2", "3"].map((id) => new HumanMessage({ id, content: id }));
    const write = [
      { type: "remove", id: "unknown" },
      new RemoveMessage({ id: "2" }),
      new RemoveMessage({ id: "later" }),
      new HumanMessage({ id: "later", content: "later" }),
    ] as BaseMessageLike[];
    expect(messagesReducer(list, write).map(({ id }) => id)).toEqual(["1", "3", "later"]);
    expect(messagesReducer([], new RemoveMessage({ id: "unknown" }))).toEqual([]);
  });

  it("leaves no removal in the list that follows a remove-all", () => {
    const write = [
      new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
      new HumanMessage({ id: "1", content: "one" }),
      new HumanMessage({ id: "2", content: "two" }),
      new RemoveMessage({ id: "1" }),
      new RemoveMessage({ id: "old" }),
    ];
    const list = messagesReducer([new HumanMessage({ id: "old", content: "old" })], write);
    expect(list.map(({ id }) => id)).toEqual(["2"]);
  });

  it("keeps the instances that it appends", () => {
    const [first, second] = [
      new HumanMessage({ id: "1", content: "x" }),
      new AIMessage({ id: "2", content: "y" }),
    ];
    const list = messagesReducer(messagesReducer([], first), [second]);
    expect(list[0]).toBe(first);
    expect(list[1]).toBe(second);
  });

  it("gives two lists that grew from one their own messages", () => {
    const base = messagesReducer([], [new HumanMessage({ id: "1", content: "x" })]);
    const one = messagesReducer(base, [new AIMessage({ id: "2", content: "one" })]);
    const other = messagesReducer(base, [new AIMessage({ id: "3", content: "other" })]);
    const grown = messagesReducer(other, [new AIMessage({ id: "2", content: "new here" })]);
    expect(one.map(({ id }) => id)).toEqual(["1", "2"]);
    expect(grown.map(({ id }) => id)).toEqual(["1", "3", "2"]);
    expect(
      messagesReducer(one, [new AIMessage({ id: "2", content: "again" })]).map(({ text }) => text),
    ).toEqual(["x", "again"]);
  });

  it("does not go through the whole list to append", () => {
    let reads = 0;
    const watched = (id: string) => {
      const entry = new HumanMessage({ id, content: id });
      return new Proxy(entry, {
        get: (target, key, receiver) => {
          if (key === "id") reads += 1;
          return Reflect.get(target, key, receiver);
        },
      });
    };
    let list = messagesReducer(
      [],
      Array.from({ length: 500 }, (_, number) => watched(`m${number}`)),
    );
    list = messagesReducer(list, [new AIMessage({ id: "next", content: "" })]);
    reads = 0;
    list = messagesReducer(list, [new AIMessage({ id: "one more", content: "" })]);
    expect(list).toHaveLength(502);
    expect(reads).toBeLessThan(5);
  });
});

describe("settleMessages", () => {
  it("makes messages with ids of whatever a client or a hook writes", () => {
    const withoutId = new HumanMessage("in place");
    const settled = settleMessages([
      { role: "user", content: "raw" },
      withoutId,
      new AIMessageChunk({ id: "c", content: "chunk" }),
      { type: "remove", id: "gone" },
      "text",
    ]);
    expect(settled.map((entry) => entry.constructor.name)).toEqual([
      "HumanMessage",
      "HumanMessage",
      "AIMessage",
      "RemoveMessage",
      "HumanMessage",
    ]);
    expect(settled.every((entry) => typeof entry.id === "string" && entry.id.length > 0)).toBe(true);
    expect(settled[1]).toBe(withoutId);
  });

  it("takes nothing for no messages and one message for a list of one", () => {
    expect(settleMessages(undefined)).toEqual([]);
    expect(settleMessages(null)).toEqual([]);
    expect(settleMessages(new HumanMessage({ id: "1", content: "x" }))).toHaveLength(1);
  });
});
