/** What the agent graph promises beyond `createAgent`, and the parts of an agent that have to work together. */
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import {
  Command,
  MemorySaver,
  MessagesValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware, type JumpToTarget, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AgentGraph } from "../agent/contract.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";

const config = { configurable: { thread_id: "t" } };
const start = () => ({ messages: [new HumanMessage({ id: "h", content: "go" })] });
const work = tool(({ id = 0 }) => `worked ${id}`, {
  name: "work",
  description: "Works.",
  schema: z.object({ id: z.number().optional() }),
});
const deliver = tool(() => "delivered", {
  name: "deliver",
  description: "Ends.",
  schema: z.object({}),
  returnDirect: true,
});
const ROUND: readonly ScriptedTurn[] = [{ calls: [{ name: "work" }] }, { text: "done" }];

const texts = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text);

/** Logs every hook; one of them jumps, the first time it runs. */
function logging(ran: string[], jump?: { from: string; to: JumpToTarget }): AgentMiddleware {
  let jumps = 0;
  const phases = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;
  return createMiddleware({
    name: "logging",
    ...Object.fromEntries(
      phases.map((phase) => [
        phase,
        {
          canJumpTo: ["end", "model", "tools"],
          hook: () => {
            ran.push(phase);
            if (jump?.from !== phase || jumps > 0) return undefined;
            jumps += 1;
            return { jumpTo: jump.to };
          },
        },
      ]),
    ),
    wrapModelCall(request, next) {
      ran.push("model");
      return next(request);
    },
  });
}
async function hooksRun(turns: readonly ScriptedTurn[], jump?: { from: string; to: JumpToTarget }) {
  const ran: string[] = [];
  const graph = createAgentGraph({
    model: new ScriptedModel(turns),
    tools: [work, deliver],
    middleware: [logging(ran, jump)],
  });
  await graph.invoke(start());
  return ran.join(" ");
}

describe("the saner rules", () => {
  it.each([
    ["beforeAgent", "end", "beforeAgent afterAgent"],
    ["beforeModel", "end", "beforeAgent beforeModel afterAgent"],
    ["afterModel", "end", "beforeAgent beforeModel model afterModel afterAgent"],
    [
      "afterModel",
      "model",
      "beforeAgent beforeModel model afterModel beforeModel model afterModel afterAgent",
    ],
    [
      "afterAgent",
      "model",
      "beforeAgent beforeModel model afterModel afterAgent beforeModel model afterModel afterAgent",
    ],
    ["beforeAgent", "model", "beforeAgent beforeModel model afterModel afterAgent"],
  ] as const)("let a jump from %s to %s pass every hook on its way", async (from, to, expected) => {
    expect(await hooksRun([{ text: "done" }], { from, to })).toBe(expected);
  });

  it("end the run after the batch when any of its answers is direct, through afterAgent", async () => {
    const calls = [{ name: "deliver" }, { name: "work" }];
    expect(await hooksRun([{ calls }, { text: "not reached" }])).toBe(
      "beforeAgent beforeModel model afterModel afterAgent",
    );
  });

  it.each([
    ["a removal of a message that is not there", { messages: [new RemoveMessage({ id: "unknown" })] }],
    ["a task for the tools that holds no state", new Command({ goto: new Send("tools", { x: 1 }) })],
  ])("let a thread live on after %s", async (_what, input) => {
    const model = new ScriptedModel([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const graph = createAgentGraph({ model, tools: [work], checkpointer: new MemorySaver() });
    await graph.invoke(start(), config);
    await graph.invoke(input, config);
    expect(texts((await graph.getState(config)).values.messages)).toEqual(["go", "one", "two"]);
    const { messages } = await graph.invoke(
      { messages: [new HumanMessage({ id: "h2", content: "more" })] },
      config,
    );
    expect(texts(messages)).toEqual(["go", "one", "two", "more", "three"]);
  });

  it("do not take a direct answer of the last run for one of this run", async () => {
    const model = new ScriptedModel([{ calls: [{ name: "deliver" }] }, { text: "second" }]);
    const graph = createAgentGraph({ model, tools: [deliver], checkpointer: new MemorySaver() });
    await graph.invoke(start(), config);
    const { messages } = await graph.invoke(
      { messages: [new HumanMessage({ id: "h2", content: "more" })] },
      config,
    );
    expect(texts(messages)).toEqual(["go", "", "delivered", "more", "second"]);
  });

  it("give hooks the context of the run also without a schema of their own", async () => {
    let seen: unknown;
    const middleware = createMiddleware({
      name: "curious",
      beforeModel: (_state, { context }) => {
        seen = context;
      },
    });
    const graph = createAgentGraph({ model: new ScriptedModel([{ text: "x" }]), middleware: [middleware] });
    await graph.invoke(start(), { context: { user: "u" } });
    expect(seen).toEqual({ user: "u" });
  });

  it("answer the model when it calls a tool though there is none", async () => {
    const graph = createAgentGraph({ model: new ScriptedModel(ROUND) });
    const { messages } = await graph.invoke(start());
    expect(texts(messages)).toEqual(["go", "", "Error: work is not a valid tool, try one of [].", "done"]);
  });

  it("show the model no stack trace when arguments do not fit", async () => {
    const graph = createAgentGraph({
      model: new ScriptedModel([{ calls: [{ name: "work", args: { id: "x" } }] }, { text: "done" }]),
      tools: [work],
      middleware: [createMiddleware({ name: "pass", wrapToolCall: (request, next) => next(request) })],
    });
    const { messages } = await graph.invoke(start());
    const [answer] = messages.filter((message) => ToolMessage.isInstance(message));
    expect(answer?.status).toBe("error");
    expect(answer?.text).toContain("expected number, received string");
    expect(answer?.text).not.toMatch(/node_modules|\n\s+at /);
  });
});

describe("an agent graph", () => {
  it("takes as many checkpoints with twenty middleware as with none", async () => {
    const count = async (length: number) => {
      const checkpointer = new MemorySaver();
      const middleware = Array.from({ length }, (_, number) => ({ ...logging([]), name: `m${number}` }));
      const graph = createAgentGraph({
        model: new ScriptedModel(ROUND),
        tools: [work],
        middleware,
        checkpointer,
      });
      await graph.invoke(start(), config);
      let checkpoints = 0;
      for await (const _ of checkpointer.list(config)) checkpoints += 1;
      return checkpoints;
    };
    expect([await count(0), await count(20)]).toEqual([5, 5]);
  });

  it("runs a tool that a middleware brings, and one that only a wrap knows", async () => {
    const secret = tool(() => "found", {
      name: "secret",
      description: "Unregistered.",
      schema: z.object({}),
    });
    const model = new ScriptedModel([{ calls: [{ name: "work" }, { name: "secret" }] }, { text: "done" }]);
    const brings = createMiddleware({ name: "brings", tools: [work] });
    const knows = createMiddleware({
      name: "knows",
      wrapModelCall: (request, next) => next({ ...request, tools: [...request.tools, secret] }),
      wrapToolCall: (request, next) =>
        next(request.toolCall.name === "secret" ? { ...request, tool: secret } : request),
    });
    const { messages } = await createAgentGraph({ model, middleware: [brings, knows] }).invoke(start());
    expect(texts(messages)).toEqual(["go", "", "worked 0", "found", "done"]);
    expect(model.calls[0]?.tools).toEqual(["work", "secret"]);
  });

  it("puts its name on its AI messages and an id on every message, before they are stored", async () => {
    const checkpointer = new MemorySaver();
    const graph = createAgentGraph({
      model: new ScriptedModel(ROUND),
      tools: [work],
      checkpointer,
      name: "lead",
    });
    await graph.invoke({ messages: [{ role: "user", content: "raw" }, new HumanMessage("no id")] }, config);
    for await (const { checkpoint, pendingWrites } of checkpointer.list(config)) {
      const written = (pendingWrites ?? []).flatMap(([, channel, value]) =>
        channel === "messages" ? value : [],
      );
      const stored = checkpoint.channel_values["messages"] ?? [];
      for (const message of [written, stored].flat() as BaseMessage[]) expect(message.id).toBeTruthy();
    }
    const { values } = await graph.getState(config);
    expect((values.messages as BaseMessage[]).map(({ name }) => name)).toEqual([
      undefined,
      undefined,
      "lead",
      "work",
      "lead",
    ]);
    expect(new Set((values.messages as BaseMessage[]).map(({ id }) => id)).size).toBe(5);
  });

  it("gives the system prompt to the model only, as text or as a message", async () => {
    for (const systemPrompt of ["Be brief.", new SystemMessage("Be brief.")]) {
      const model = new ScriptedModel([{ text: "ok" }]);
      const { messages } = await createAgentGraph({ model, systemPrompt }).invoke(start());
      expect(texts(model.calls[0]?.messages ?? [])).toEqual(["Be brief.", "go"]);
      expect(texts(messages)).toEqual(["go", "ok"]);
    }
  });

  it("follows the command of a wrap around the model back to the model", async () => {
    const model = new ScriptedModel([{ text: "too short" }, { text: "long enough" }]);
    const insist = createMiddleware({
      name: "insist",
      async wrapModelCall(request, next) {
        const response = await next(request);
        if (response.text !== "too short") return response;
        return new Command({ update: { messages: [new HumanMessage("longer, please")] }, goto: "model" });
      },
    });
    const { messages } = await createAgentGraph({ model, middleware: [insist] }).invoke(start());
    expect(texts(messages)).toEqual(["go", "too short", "longer, please", "long enough"]);
  });

  it("hands a command for the parent graph to the parent graph", async () => {
    const leave = createMiddleware({
      name: "leave",
      wrapToolCall: () => new Command({ graph: Command.PARENT, goto: "elsewhere" }),
    });
    const agent = createAgentGraph({ model: new ScriptedModel(ROUND), tools: [work], middleware: [leave] });
    const parent = new StateGraph(
      new StateSchema({ messages: MessagesValue, place: z.string().default("start") }),
    )
      .addNode("agent", agent, { ends: ["elsewhere"] })
      .addNode("elsewhere", () => ({ place: "elsewhere" }))
      .addEdge(START, "agent")
      .compile();
    expect(await parent.invoke(start())).toMatchObject({ place: "elsewhere" });
  });

  it("checks the context against its schema before anything runs", async () => {
    const model = new ScriptedModel([{ text: "ok" }]);
    const graph = createAgentGraph({ model, contextSchema: z.object({ user: z.string() }) });
    await expect(graph.invoke(start(), { context: { user: 5 as unknown as string } })).rejects.toThrow(
      "expected string",
    );
    expect(model.calls).toHaveLength(0);
    await graph.invoke(start(), { context: { user: "u" } });
    expect(model.calls).toHaveLength(1);
  });

  it("serves ten threads side by side", async () => {
    const graph = createAgentGraph({
      model: new ScriptedModel(ROUND),
      tools: [work],
      checkpointer: new MemorySaver(),
    });
    const threads = Array.from({ length: 10 }, (_, number) => `thread ${number}`);
    const results = await Promise.all(
      threads.map((thread) =>
        graph.invoke(
          { messages: [new HumanMessage({ id: thread, content: thread })] },
          { configurable: { thread_id: thread } },
        ),
      ),
    );
    expect(results.map(({ messages }) => texts(messages))).toEqual(
      threads.map((thread) => [thread, "", "worked 0", "done"]),
    );
  });

  it("refuses two middleware or two tools of one name", () => {
    const model = new ScriptedModel([]);
    const twin = createMiddleware({ name: "twin", tools: [] });
    expect(() => createAgentGraph({ model, middleware: [twin, twin] })).toThrow(
      "Two middleware are both named twin.",
    );
    expect(() => createAgentGraph({ model, tools: [work, work] })).toThrow("Two tools are both named work.");
  });

  it("is what the runtime drives", async () => {
    const graph: AgentGraph = createAgentGraph({ model: new ScriptedModel([{ text: "ok" }]) });
    const chunks = [];
    for await (const chunk of await graph.stream(start(), { streamMode: ["values"] })) chunks.push(chunk);
    expect(chunks.at(-1)).toMatchObject(["values", { messages: [{ id: "h" }, expect.any(AIMessage)] }]);
  });
});
