/** Interrupts and failures in hooks: nothing that ran before them runs again. */
import { type AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command, INTERRUPT, interrupt, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware, tool } from "langchain";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

const work = tool(() => "worked", { name: "work", description: "Works.", schema: z.object({}) });
const turns = [{ calls: [{ name: "work" }] }, { text: "done" }];
const start = { messages: [new HumanMessage({ id: "h", content: "go" })] };
const config = { configurable: { thread_id: "t" } };

const hasCalls = (messages: readonly BaseMessage[]) =>
  ((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0;

type HookName = "beforeAgent" | "beforeModel" | "afterModel" | "afterAgent";

/** Logs every hook; asks once in the hooks named, and only while `when` holds. */
const asking = (
  name: string,
  hooks: readonly HookName[],
  when: (messages: BaseMessage[]) => boolean,
): AgentMiddleware =>
  createMiddleware({
    name,
    ...Object.fromEntries(
      (["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const).map((hook) => [
        hook,
        ({ messages }: { messages: BaseMessage[] }) => {
          ran.push(`${name}.${hook}`);
          if (hooks.includes(hook) && when(messages))
            ran.push(`${name}.${hook}=${interrupt(`${name}.${hook}`)}`);
        },
      ]),
    ),
  });

function agentOf(middleware: readonly AgentMiddleware[]) {
  const model = new ScriptedModel(turns);
  const checkpointer = new MemorySaver();
  const build = (chain = middleware) =>
    createAgentGraph({ model, tools: [work], middleware: chain, checkpointer });
  return { model, build, graph: build() };
}
const asked = (result: object) =>
  isInterrupted<string>(result) ? result[INTERRUPT].map(({ value }) => value) : [];

describe("an interrupt in a hook", () => {
  it("after the model call repeats neither the call nor the hooks before it, one hook after the other", async () => {
    const { graph, model } = agentOf([
      asking("A", ["afterModel"], hasCalls),
      asking("B", ["afterModel"], hasCalls),
      asking("C", [], () => false),
    ]);
    const first = await graph.invoke(start, config);
    expect(asked(first)).toEqual(["B.afterModel"]);
    expect(model.calls).toHaveLength(1);
    ran = [];
    const second = await graph.invoke(new Command({ resume: "yes" }), config);
    expect(asked(second)).toEqual(["A.afterModel"]);
    // A was entered, interrupted and entered again in a superstep of its own.
    expect(ran).toEqual(["B.afterModel", "B.afterModel=yes", "A.afterModel", "A.afterModel"]);
    ran = [];
    const third = await graph.invoke(new Command({ resume: "sure" }), config);
    expect(ran.slice(0, 2)).toEqual(["A.afterModel", "A.afterModel=sure"]);
    expect(third.messages.map((message: BaseMessage) => message.text)).toEqual(["go", "", "worked", "done"]);
    expect(model.calls).toHaveLength(2);
  });

  it.each(["beforeAgent", "beforeModel", "afterAgent"] as const)("works in %s", async (hook) => {
    // beforeModel comes round twice; it asks in the first round only.
    const when = (messages: BaseMessage[]) => hook !== "beforeModel" || messages.length === 1;
    const { graph, model } = agentOf([asking("A", [], () => false), asking("B", [hook], when)]);
    const first = await graph.invoke(start, config);
    expect(asked(first)).toEqual([`B.${hook}`]);
    const modelCallsBefore = model.calls.length;
    ran = [];
    const result = await graph.invoke(new Command({ resume: "yes" }), config);
    expect(ran.slice(0, 2)).toEqual([`B.${hook}`, `B.${hook}=yes`]);
    expect(modelCallsBefore).toBe(hook === "afterAgent" ? 2 : 0);
    expect(model.calls).toHaveLength(2);
    expect(result.messages.map((message: BaseMessage) => message.text)).toEqual(["go", "", "worked", "done"]);
  });

  it("is found again by the name of its middleware when the chain has changed meanwhile", async () => {
    const middleware = [asking("A", ["afterModel"], hasCalls), asking("B", [], () => false)];
    const { graph, build, model } = agentOf(middleware);
    await graph.invoke(start, config);
    ran = [];
    const longer = build([asking("New", [], () => false), ...middleware, asking("Last", [], () => false)]);
    await longer.invoke(new Command({ resume: "yes" }), config);
    expect(ran.slice(0, 3)).toEqual(["A.afterModel", "A.afterModel=yes", "New.afterModel"]);
    expect(model.calls).toHaveLength(2);
  });

  it("in wrapModelCall does not repeat the hooks before the model", async () => {
    const gate = createMiddleware({
      name: "gate",
      wrapModelCall(request, next) {
        if (request.messages.length === 1) ran.push(`gate=${interrupt("call it?")}`);
        return next(request);
      },
    });
    const { graph, model } = agentOf([asking("A", [], () => false), gate]);
    await graph.invoke(start, config);
    expect(ran).toEqual(["A.beforeAgent", "A.beforeModel"]);
    expect(model.calls).toHaveLength(0);
    ran = [];
    await graph.invoke(new Command({ resume: "yes" }), config);
    expect(ran.slice(0, 2)).toEqual(["gate=yes", "A.afterModel"]);
    expect(model.calls).toHaveLength(2);
  });
});

describe("a failure in a hook after the model call", () => {
  it("keeps the AI message, so that a retry does not pay for it again", async () => {
    let broken = true;
    const flaky = createMiddleware({
      name: "flaky",
      afterModel: () => {
        ran.push("flaky");
        if (broken) throw new Error("no luck");
      },
    });
    const { graph, model, build } = agentOf([flaky]);
    await expect(graph.invoke(start, config)).rejects.toThrow("no luck");
    const { values, next } = await graph.getState(config);
    expect(values.messages).toHaveLength(2);
    expect(next).toEqual(["model"]);
    broken = false;
    const result = await build().invoke(null, config);
    expect(model.calls).toHaveLength(2);
    expect(result.messages.at(-1)?.text).toBe("done");
  });
});
