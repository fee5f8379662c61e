import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";

const config = { configurable: { thread_id: "t" } };
const start = { messages: [new HumanMessage({ id: "h", content: "go" })] };
const call = (id: string) => ({ name: "ask", args: { id }, id });
const ask = tool(({ id }) => (id.startsWith("free") ? `free ${id}` : `${id}=${interrupt(id)}`), {
  name: "ask",
  description: "Asks the user.",
  schema: z.object({ id: z.string() }),
});
const titled = createMiddleware({ name: "titled", stateSchema: z.object({ title: z.string().optional() }) });

function agentOf(calls: readonly ReturnType<typeof call>[], middleware: AgentMiddleware[] = [titled]) {
  const model = new ScriptedModel([{ text: "let me", calls }, { text: "done" }]);
  return {
    model,
    graph: createAgentGraph({ model, tools: [ask], middleware, checkpointer: new MemorySaver() }),
  };
}
const texts = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text);

describe("updateState", () => {
  it.each([undefined, "model"])("of a title leaves open calls open (asNode %s)", async (asNode) => {
    const { graph, model } = agentOf([call("a"), call("free-b"), call("c")]);
    await graph.invoke(start, config);
    await graph.updateState(config, { title: "New" }, asNode);
    const { values, next } = await graph.getState(config);
    expect([next, values["title"]]).toEqual([["tools", "tools"], "New"]);
    // The finished call is part of the state now, and the two others ask afresh.
    expect(texts(values.messages)).toEqual(["go", "let me", "free free-b"]);
    await graph.invoke(null, config);
    const ids = (await graph.getState(config)).tasks.flatMap((task) =>
      task.interrupts.map(({ id }) => String(id)),
    );
    const { messages } = await graph.invoke(
      new Command({ resume: Object.fromEntries(ids.map((id) => [id, "yes"])) }),
      config,
    );
    expect(texts(messages)).toEqual(["go", "let me", "free free-b", "a=yes", "c=yes", "done"]);
    expect(model.calls).toHaveLength(2);
  });

  it("of a title leaves a finished thread finished, even when a call was never answered", async () => {
    const stop = createMiddleware({
      name: "stop",
      afterModel: { canJumpTo: ["end"], hook: () => ({ jumpTo: "end" as const }) },
    });
    const { graph } = agentOf([call("a")], [titled, stop]);
    await graph.invoke(start, config);
    await graph.updateState(config, { title: "New" });
    const { values, next } = await graph.getState(config);
    expect([next, values["title"]]).toEqual([[], "New"]);
  });

  it("of a title leaves a hook that waits for approval waiting", async () => {
    const approve = createMiddleware({
      name: "approve",
      afterModel: ({ messages }) => {
        if (((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0) interrupt("may they?");
      },
    });
    const { graph, model } = agentOf([call("free")], [titled, approve]);
    await graph.invoke(start, config);
    await graph.updateState(config, { title: "New" });
    expect((await graph.getState(config)).next).toEqual(["model"]);
    await graph.invoke(null, config);
    const { messages } = await graph.invoke(new Command({ resume: "yes" }), config);
    expect(texts(messages)).toEqual(["go", "let me", "free free", "done"]);
    expect(model.calls).toHaveLength(2);
  });

  it("of the messages goes where the new messages lead", async () => {
    const { graph } = agentOf([call("a"), call("b")]);
    await graph.invoke(start, config);
    const answer = (id: string) =>
      new ToolMessage({ content: `by hand ${id}`, tool_call_id: id, name: "ask" });
    await graph.updateState(config, { messages: [answer("a")] }, "model");
    expect((await graph.getState(config)).next).toEqual(["tools"]);
    await graph.updateState(config, { messages: [answer("b")] }, "model");
    expect((await graph.getState(config)).next).toEqual([]);
    const edited = new AIMessage({ id: "edited", content: "", tool_calls: [call("c"), call("d")] });
    await graph.updateState(config, { messages: [edited] }, "model");
    expect((await graph.getState(config)).next).toEqual(["tools", "tools"]);
  });

  it("in the name of the tools goes on to the model", async () => {
    const { graph, model } = agentOf([call("a")]);
    await graph.invoke(start, config);
    const answer = new ToolMessage({ content: "by hand", tool_call_id: "a", name: "ask" });
    await graph.updateState(config, { messages: [answer] }, "tools");
    const { messages } = await graph.invoke(null, config);
    expect(texts(messages)).toEqual(["go", "let me", "by hand", "done"]);
    expect(model.calls).toHaveLength(2);
  });

  it("of a thread that does not exist yet gives it a first state", async () => {
    const { graph } = agentOf([]);
    await graph.updateState(config, { messages: [new HumanMessage("first")], title: "T" });
    const { values } = await graph.getState(config);
    expect([texts(values.messages), values["title"]]).toEqual([["first"], "T"]);
  });

  it("of a question that the model failed to answer lets the model answer the new one", async () => {
    let isDown = false;
    const model = new ScriptedModel([
      () => {
        if (isDown) throw new Error("model down");
        return { text: "fine" };
      },
    ]);
    const graph = createAgentGraph({ model, checkpointer: new MemorySaver() });
    await graph.invoke(start, config);
    isDown = true;
    await expect(
      graph.invoke({ messages: [new HumanMessage({ id: "h2", content: "wrong" })] }, config),
    ).rejects.toThrow();
    isDown = false;
    await graph.updateState(config, { messages: [new HumanMessage({ id: "h2", content: "right" })] });
    expect((await graph.getState(config)).next).toEqual(["model"]);
    const { messages } = await graph.invoke(null, config);
    expect(texts(messages)).toEqual(["go", "fine", "right", "fine"]);
  });

  it("lets a command through as it is", async () => {
    const { graph } = agentOf([call("a")]);
    await graph.invoke(start, config);
    await graph.updateState(config, new Command({ update: { title: "X" }, goto: "tools" }), "model");
    expect((await graph.getState(config)).next).toEqual(["tools"]);
  });

  it("edits an older checkpoint into a fork of its own", async () => {
    const { graph, model } = agentOf([call("free")]);
    await graph.invoke(start, config);
    const history = [];
    for await (const snapshot of graph.getStateHistory(config)) history.push(snapshot);
    const beforeTools = history.find(({ next }) => next[0] === "tools");
    const edited = new AIMessage({ id: "ai-0", content: "edited", tool_calls: [call("free-2")] });
    const fork = await graph.updateState(beforeTools?.config ?? {}, { messages: [edited] }, "model");
    const { messages } = await graph.invoke(null, fork);
    expect(texts(messages)).toEqual(["go", "edited", "free free-2", "done"]);
    expect(model.calls).toHaveLength(3);
  });
});
