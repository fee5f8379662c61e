import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { answerDanglingToolCalls } from "./dangling-tool-calls.js";

const ask = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ id, name: "ls", args: {} })) });
const answer = (id: string) => new ToolMessage({ content: `answer ${id}`, tool_call_id: id, name: "ls" });
const shape = (messages: ReturnType<typeof answerDanglingToolCalls>) =>
  messages.map((message) =>
    ToolMessage.isInstance(message) ? `${message.tool_call_id}:${message.status ?? "ok"}` : message.getType(),
  );

describe("answerDanglingToolCalls", () => {
  it("changes nothing where every call has its answer", () => {
    const messages = [new HumanMessage("go"), ask("1", "2"), answer("1"), answer("2"), new AIMessage("done")];
    expect(answerDanglingToolCalls(messages)).toEqual(messages);
  });

  it("answers an interrupted call directly behind the message that asked", () => {
    const messages = [new HumanMessage("go"), ask("1", "2"), answer("2"), new HumanMessage("continue")];
    expect(shape(answerDanglingToolCalls(messages))).toEqual(["human", "ai", "1:error", "2:ok", "human"]);
  });

  it("moves an answer that came late behind its question", () => {
    const messages = [ask("1"), new HumanMessage("and?"), answer("1")];
    expect(shape(answerDanglingToolCalls(messages))).toEqual(["ai", "1:ok", "human"]);
  });

  it("gives every message its own answers where a server numbers the calls of each afresh", () => {
    const reply = (text: string) => new ToolMessage({ content: text, tool_call_id: "call_0", name: "ls" });
    const messages = [ask("call_0"), reply("one"), ask("call_0"), reply("two"), ask("call_0")];
    expect(answerDanglingToolCalls(messages).map((message) => message.text)).toEqual([
      "",
      "one",
      "",
      "two",
      "",
      expect.stringContaining("interrupted"),
    ]);
  });

  it("leaves out an answer whose question was cut away", () => {
    expect(shape(answerDanglingToolCalls([answer("gone"), new HumanMessage("go")]))).toEqual(["human"]);
  });
});
