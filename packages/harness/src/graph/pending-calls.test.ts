import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { endsWithAnswer, lastAnswers, pendingCalls } from "./pending-calls.js";

const calling = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ id, name: "work", args: {} })) });
const answer = (id: string) => new ToolMessage({ content: `answer ${id}`, tool_call_id: id });
const pendingIds = (messages: Parameters<typeof pendingCalls>[0]) =>
  pendingCalls(messages).map(({ id }) => id);

describe("pendingCalls", () => {
  it("gives the calls of the last AI message that lack an answer, in their order", () => {
    expect(pendingIds([calling("a", "b", "c"), answer("b")])).toEqual(["a", "c"]);
    expect(pendingIds([calling("a"), answer("a")])).toEqual([]);
  });

  it("does not look behind the last AI message", () => {
    expect(pendingIds([calling("a"), new AIMessage("done")])).toEqual([]);
    expect(pendingIds([calling("call_0"), answer("call_0"), calling("call_0")])).toEqual(["call_0"]);
  });

  it("finds none without an AI message", () => {
    expect(pendingIds([])).toEqual([]);
    expect(pendingIds(undefined)).toEqual([]);
    expect(pendingIds([new HumanMessage("hi"), answer("a")])).toEqual([]);
  });
});

describe("lastAnswers", () => {
  it("gives the answers to the last AI message, whatever stands between them", () => {
    const messages = [
      calling("x"),
      answer("x"),
      calling("a", "b"),
      answer("a"),
      new HumanMessage("image"),
      answer("b"),
    ];
    expect(lastAnswers(messages).map(({ text }) => text)).toEqual(["answer a", "answer b"]);
  });
});

describe("endsWithAnswer", () => {
  it("is true only after an AI message without calls", () => {
    expect(endsWithAnswer([new AIMessage("done")])).toBe(true);
    expect(endsWithAnswer([calling("a")])).toBe(false);
    expect(endsWithAnswer([new AIMessage("done"), new HumanMessage("more")])).toBe(false);
    expect(endsWithAnswer([])).toBe(false);
  });
});
