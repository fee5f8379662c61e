/** Fails when an upgrade of LangGraph moves what the harness relies on without being promised it. */
import { createRequire } from "node:module";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  getCurrentTaskInput,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesValue,
  Overwrite,
  ReducedValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { overwriteOf, pendingSends, readState, setTaskInput } from "./private-keys.js";

interface State {
  messages: BaseMessage[];
  title?: string;
}

const schema = new StateSchema({ messages: MessagesValue, title: z.string().optional() });
const config = { configurable: { thread_id: "t" } };
const start = { messages: [new HumanMessage({ id: "1", content: "hi" })], title: "T" };

function sending(node: (input: unknown, config: LangGraphRunnableConfig) => object) {
  return new StateGraph(schema)
    .addNode("node", node)
    .addConditionalEdges(START, () => new Send("node", { only: "this" }), ["node"])
    .compile({ checkpointer: new MemorySaver() });
}

describe("what LangGraph leaves undocumented", () => {
  it("was proven with this version; after an upgrade run every test of this room before changing the number", () => {
    const { version } = createRequire(import.meta.url)("@langchain/langgraph/package.json");
    expect(version).toBe("1.7.3");
  });

  it("lets a task that a Send started read the whole state", async () => {
    let state: State | undefined;
    let given: unknown;
    await sending((input, nodeConfig) => {
      given = input;
      state = readState(nodeConfig, ["messages", "title"]);
      return {};
    }).invoke(start, config);
    expect(given).toEqual({ only: "this" });
    expect(state?.title).toBe("T");
    expect(state?.messages.map(({ text }) => text)).toEqual(["hi"]);
  });

  it("lets such a task say what its input is", async () => {
    let seen: unknown;
    await sending((_input, nodeConfig) => {
      setTaskInput(nodeConfig, { messages: [], note: "set" });
      seen = getCurrentTaskInput(nodeConfig);
      return {};
    }).invoke(start, config);
    expect(seen).toEqual({ messages: [], note: "set" });
  });

  it("keeps the Sends that have not begun in the checkpoint", async () => {
    const graph = sending(() => {
      throw new Error("not yet");
    });
    await expect(graph.invoke(start, config)).rejects.toThrow("not yet");
    const tuple = await (graph.checkpointer as MemorySaver).getTuple(config);
    expect(pendingSends(tuple).map(({ node, args }) => ({ node, args }))).toEqual([
      { node: "node", args: { only: "this" } },
    ]);
    expect(pendingSends(undefined)).toEqual([]);
  });

  it("marks an overwrite in the same way before and after validation", async () => {
    const list = new StateSchema({
      list: new ReducedValue(z.array(z.string()), { reducer: (left, right) => [...left, ...right] }),
    });
    const { list: parsed } = await list.validateInput({ list: new Overwrite(["x"]) });
    expect(overwriteOf(parsed)).toEqual({ value: ["x"] });
    expect(overwriteOf(new Overwrite(null))).toEqual({ value: null });
    expect(overwriteOf(["x"])).toBeUndefined();
    expect(overwriteOf(null)).toBeUndefined();
  });

  it("complains aloud outside of a task", () => {
    expect(() => readState({}, ["messages"])).toThrow("__pregel_read");
    expect(() => setTaskInput({}, { messages: [] })).toThrow("__pregel_scratchpad");
  });
});
