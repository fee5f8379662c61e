/** Calls of one message: side by side, in order, interrupted, resumed, failed and retried. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver, ReducedValue, StateSchema } from "@langchain/langgraph";
import { createMiddleware, tool, type ToolRuntime } from "langchain";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";
import type { AgentTool } from "./tool-registry.js";

let ran: string[] = [];
let mustFail = false;
beforeEach(() => {
  ran = [];
  mustFail = false;
});

/** A tool that lets go only when all of `parties` calls have come in: it hangs unless calls run side by side. */
function meeting(parties: number) {
  const waiting: (() => void)[] = [];
  return tool(
    async ({ id }) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        // The last to come leaves first, so the results arrive against the order of the calls.
        if (waiting.length === parties) for (const leave of waiting.toReversed()) leave();
      });
      return `met ${id}`;
    },
    { name: "meet", description: "Waits for the others.", schema: z.object({ id: z.number() }) },
  );
}
const plain = tool(
  ({ id }) => {
    ran.push(`plain ${id}`);
    return `plain ${id}`;
  },
  { name: "plain", description: "Answers.", schema: z.object({ id: z.number() }) },
);
const ask = tool(
  ({ question }) => {
    ran.push(`ask ${question}`);
    const answer = interrupt({ question });
    ran.push(`got ${question}`);
    return `${question}=${answer}`;
  },
  { name: "ask", description: "Asks the user.", schema: z.object({ question: z.string() }) },
);
const record = tool(
  ({ line }, runtime: ToolRuntime) => {
    ran.push(`record ${line}`);
    const message = new ToolMessage({
      content: `recorded ${line}`,
      tool_call_id: runtime.toolCallId,
      name: "record",
    });
    return new Command({ update: { lines: [line], messages: [message] } });
  },
  { name: "record", description: "Records.", schema: z.object({ line: z.string() }) },
);
const fragile = createMiddleware({
  name: "fragile",
  stateSchema: new StateSchema({
    lines: new ReducedValue(
      z.array(z.string()).default(() => []),
      { inputSchema: z.array(z.string()), reducer: (current, added) => [...current, ...added] },
    ),
  }),
  async wrapToolCall(request, next) {
    const outcome = await next(request);
    if (mustFail && request.toolCall.args["id"] === 13) throw new Error("the wrap failed");
    return outcome;
  },
});

const call = (name: string, args: Record<string, unknown>) => ({ name, args });
const turnsOf = (calls: ReturnType<typeof call>[]): ScriptedTurn[] => [{ calls }, { text: "done" }];
const start = { messages: [new HumanMessage({ id: "h", content: "go" })] };
const config = { configurable: { thread_id: "t" } };

function agentOf(calls: ReturnType<typeof call>[], tools: AgentTool[] = [plain, ask, record]) {
  const model = new ScriptedModel(turnsOf(calls));
  const checkpointer = new MemorySaver();
  const build = () => createAgentGraph({ model, tools, middleware: [fragile], checkpointer });
  return { model, build, graph: build() };
}
const idsOfCalls = (message: AIMessage) => (message.tool_calls ?? []).map(({ id }) => id);
const answers = (state: { messages: BaseMessage[] }) =>
  state.messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.text);
const openInterrupts = async (graph: ReturnType<typeof createAgentGraph>) =>
  (await graph.getState(config)).tasks
    .filter((task) => task.result === undefined)
    .flatMap((task) =>
      task.interrupts.map(({ id, value }) => ({ id: String(id), question: value.question })),
    );

describe("calls of one message", () => {
  it("run side by side, and their results stand in the order of the calls, live and after a reload", async () => {
    const ids = Array.from({ length: 12 }, (_, position) => position);
    const calls = ids.map((id) => call("meet", { id }));
    const { graph, build } = agentOf([...calls, call("record", { line: "x" })], [meeting(12), record]);
    const result = await graph.invoke(start, config);
    const expected = [...ids.map((id) => `met ${id}`), "recorded x"];
    expect(answers(result)).toEqual(expected);
    const { values } = await build().getState(config);
    expect(answers(values)).toEqual(expected);
    expect(values.messages.map((message: BaseMessage) => message.id)).toEqual(
      result.messages.map((message: BaseMessage) => message.id),
    );
    expect(result.lines).toEqual(["x"]);
  });

  it("print no warning of a leak, however many of them wait for one signal", async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on("warning", note);
    const calls = Array.from({ length: 25 }, (_, id) => call("meet", { id }));
    const { graph } = agentOf(calls, [meeting(25)]);
    const result = await graph.invoke(start, { ...config, signal: new AbortController().signal });
    // A warning is told on the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(answers(result)).toHaveLength(25);
    expect(warnings).not.toContain("MaxListenersExceededWarning");
  });

  it("interrupt each by itself and are resumed together by a map of ids, without a finished one running again", async () => {
    const { graph, model, build } = agentOf([
      call("plain", { id: 1 }),
      call("ask", { question: "one" }),
      call("record", { line: "z" }),
      call("ask", { question: "two" }),
    ]);
    const first = await graph.invoke(start, config);
    expect(first.__interrupt__).toHaveLength(2);
    const open = await openInterrupts(graph);
    expect(new Set(open.map(({ id }) => id)).size).toBe(2);
    ran = [];
    const resume = Object.fromEntries(open.map(({ id, question }) => [id, `answer to ${question}`]));
    const result = await build().invoke(new Command({ resume }), config);
    expect(ran.toSorted()).toEqual(["ask one", "ask two", "got one", "got two"]);
    expect(answers(result)).toEqual(["plain 1", "one=answer to one", "recorded z", "two=answer to two"]);
    expect(result.lines).toEqual(["z"]);
    expect(model.calls).toHaveLength(2);
  });

  it("are resumed one after the other when only one is answered", async () => {
    const { graph, model } = agentOf([
      call("ask", { question: "one" }),
      call("plain", { id: 1 }),
      call("ask", { question: "two" }),
    ]);
    await graph.invoke(start, config);
    const [one, two] = await openInterrupts(graph);
    ran = [];
    await graph.invoke(new Command({ resume: { [two?.id ?? ""]: "second" } }), config);
    expect(ran).not.toContain("plain 1");
    expect(await openInterrupts(graph)).toEqual([one]);
    const result = await graph.invoke(new Command({ resume: { [one?.id ?? ""]: "first" } }), config);
    expect(answers(result)).toEqual(["one=first", "plain 1", "two=second"]);
    expect(model.calls).toHaveLength(2);
  });

  it("accept a plain resume when one of them interrupted", async () => {
    const { graph, model } = agentOf([call("ask", { question: "one" }), call("plain", { id: 1 })]);
    await graph.invoke(start, config);
    ran = [];
    const result = await graph.invoke(new Command({ resume: "yes" }), config);
    expect(ran).toEqual(["ask one", "got one"]);
    expect(answers(result)).toEqual(["one=yes", "plain 1"]);
    expect(model.calls).toHaveLength(2);
  });

  it("keep what finished when one fails, and a retry runs only the failed one", async () => {
    const { graph, model, build } = agentOf([
      call("plain", { id: 1 }),
      call("plain", { id: 13 }),
      call("record", { line: "k" }),
    ]);
    mustFail = true;
    await expect(graph.invoke(start, config)).rejects.toThrow("the wrap failed");
    mustFail = false;
    ran = [];
    const result = await build().invoke(null, config);
    expect(ran).toEqual(["plain 13"]);
    expect(answers(result)).toEqual(["plain 1", "plain 13", "recorded k"]);
    expect(result.lines).toEqual(["k"]);
    expect(model.calls).toHaveLength(2);
  });

  it("get ids of their own when the model gives none, or one to several", async () => {
    const model = new ScriptedModel([
      {
        calls: [
          { ...call("plain", { id: 1 }), id: "same" },
          { ...call("plain", { id: 2 }), id: "same" },
          { ...call("plain", { id: 3 }), id: "" },
        ],
      },
      { text: "done" },
    ]);
    const graph = createAgentGraph({ model, tools: [plain] });
    const { messages } = await graph.invoke(start);
    expect(answers({ messages })).toEqual(["plain 1", "plain 2", "plain 3"]);
    const asked = messages.filter((message) => AIMessage.isInstance(message)).flatMap(idsOfCalls);
    const answered = messages.flatMap((message) =>
      ToolMessage.isInstance(message) ? [message.tool_call_id] : [],
    );
    expect(answered).toEqual(asked);
    expect(new Set(asked).size).toBe(3);
    expect(asked[0]).toBe("same");
  });

  it("share an interrupt of a wrap: the tool runs only after the approval", async () => {
    const approve = createMiddleware({
      name: "approve",
      wrapToolCall(request, next) {
        if (request.toolCall.args["id"] !== 2) return next(request);
        const verdict = interrupt({ question: "may it?" });
        if (verdict === "yes") return next(request);
        return new ToolMessage({
          content: "refused",
          tool_call_id: request.toolCall.id ?? "",
          name: "plain",
        });
      },
    });
    const model = new ScriptedModel(turnsOf([call("plain", { id: 1 }), call("plain", { id: 2 })]));
    const graph = createAgentGraph({
      model,
      tools: [plain],
      middleware: [approve],
      checkpointer: new MemorySaver(),
    });
    await graph.invoke(start, config);
    expect(ran).toEqual(["plain 1"]);
    const result = await graph.invoke(new Command({ resume: "yes" }), config);
    expect(ran).toEqual(["plain 1", "plain 2"]);
    expect(answers(result)).toEqual(["plain 1", "plain 2"]);
  });
});
