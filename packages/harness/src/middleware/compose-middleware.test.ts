import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { Command, StateSchema } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { composeMiddleware } from "./compose-middleware.js";

const echo = tool(({ text }) => text, { name: "echo", schema: z.object({ text: z.string() }) });

/** The two ways of building an agent from the same model and middleware. */
const BUILDERS = [
  {
    name: "a plain createAgent",
    build: (model: ScriptedModel, middleware: AgentMiddleware[], systemPrompt: string) =>
      createAgent({ model, middleware, systemPrompt }),
  },
  {
    name: "our own graph",
    build: (model: ScriptedModel, middleware: AgentMiddleware[], systemPrompt: string) =>
      createAgentGraph({ model, middleware, systemPrompt }),
  },
] as const;

const traced = (name: string, log: string[]) =>
  createMiddleware({
    name,
    async wrapModelCall(request, next) {
      log.push(`${name} model in`);
      const answer = await next({ ...request, systemPrompt: `${request.systemPrompt} ${name}` });
      log.push(`${name} model out`);
      return answer;
    },
    async wrapToolCall(request, next) {
      log.push(`${name} tool in`);
      const answer = await next(request);
      log.push(`${name} tool out`);
      return answer;
    },
  });

const callThenEnd = () =>
  new ScriptedModel([{ calls: [{ name: "echo", args: { text: "hi" } }] }, { text: "done" }]);

const wrapOnly = (name: string, wrapModelCall: NonNullable<AgentMiddleware["wrapModelCall"]>) =>
  createMiddleware({ name, wrapModelCall });

describe.each(BUILDERS)("composed middleware in $name", ({ build: agentOf }) => {
  it("runs its parts' wraps in onion order, and each sees the prompt of those outside it", async () => {
    const log: string[] = [];
    const model = callThenEnd();
    const composed = composeMiddleware("both", [
      traced("outer", log),
      traced("inner", log),
      createMiddleware({ name: "tools", tools: [echo] }),
    ]);
    const { messages } = await agentOf(model, [composed], "base").invoke({
      messages: [new HumanMessage("go")],
    });
    const call = ["outer model in", "inner model in", "inner model out", "outer model out"];
    const run = ["outer tool in", "inner tool in", "inner tool out", "outer tool out"];
    expect(log).toEqual([...call, ...run, ...call]);
    expect(model.calls.map(({ messages: [first] }) => first?.text)).toEqual([
      "base outer inner",
      "base outer inner",
    ]);
    expect(messages.at(-2)?.text).toBe("hi");
  });

  it("hands on a prompt that one part changes as text and another as message", async () => {
    const model = new ScriptedModel([{ text: "done" }]);
    const composed = composeMiddleware("both", [
      wrapOnly("message", (request, next) =>
        next({ ...request, systemMessage: new SystemMessage("as message") }),
      ),
      wrapOnly("text", (request, next) =>
        next({ ...request, systemPrompt: `${request.systemPrompt}, as text` }),
      ),
    ]);
    await agentOf(model, [composed], "base").invoke({ messages: [new HumanMessage("go")] });
    expect(model.calls[0]?.messages[0]?.text).toBe("as message, as text");
  });

  it("hands a part's command on to the agent, while the part outside sees the model's answer", async () => {
    const seen: unknown[] = [];
    const composed = composeMiddleware("both", [
      wrapOnly("outer", async (request, next) => {
        const answer = await next(request);
        seen.push(answer);
        return answer;
      }),
      wrapOnly("inner", async (request, next) => {
        await next(request);
        const [first] = request.messages;
        return new Command({
          update: {
            messages: [new HumanMessage({ ...(first?.id ? { id: first.id } : {}), content: "tagged" })],
          },
        });
      }),
    ]);
    const agent = agentOf(new ScriptedModel([{ text: "done" }]), [composed], "");
    const { messages } = await agent.invoke({ messages: [new HumanMessage({ id: "h", content: "go" })] });
    expect(AIMessage.isInstance(seen[0])).toBe(true);
    expect(messages.map((message) => message.text)).toEqual(["tagged", "done"]);
  });

  it("keeps the one hook of each phase, with where it may jump", async () => {
    const composed = composeMiddleware("both", [
      createMiddleware({
        name: "stop",
        beforeModel: {
          canJumpTo: ["end"],
          hook: () => ({ messages: [new AIMessage("stopped")], jumpTo: "end" as const }),
        },
      }),
      createMiddleware({ name: "other", beforeAgent: () => ({ messages: [new HumanMessage("first")] }) }),
    ]);
    const agent = agentOf(new ScriptedModel([{ text: "never" }]), [composed], "");
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(messages.map((message) => message.text)).toEqual(["go", "first", "stopped"]);
  });
});

describe("composed middleware", () => {
  it("gives a tool wrap the state that an outer one changed", async () => {
    const composed = composeMiddleware("both", [
      createMiddleware({
        name: "outer",
        wrapToolCall: (request, next) => next({ ...request, state: { ...request.state, messages: [] } }),
      }),
      createMiddleware({
        name: "inner",
        wrapToolCall: (request) =>
          new ToolMessage({ tool_call_id: "1", content: String(request.state.messages.length) }),
      }),
    ]);
    const request = {
      toolCall: { id: "1", name: "echo", args: {} },
      state: { messages: [new HumanMessage("a")] },
    };
    // The cast gives only what these two wraps look at.
    const wrap = composed.wrapToolCall as unknown as (given: unknown, next: unknown) => Promise<ToolMessage>;
    expect((await wrap(request, undefined)).text).toBe("0");
  });

  it("merges several state schemas into one", () => {
    const composed = composeMiddleware("both", [
      createMiddleware({ name: "a", stateSchema: new StateSchema({ one: z.string().optional() }) }),
      createMiddleware({ name: "b", stateSchema: new StateSchema({ two: z.number().optional() }) }),
    ]);
    const { stateSchema } = composed;
    expect(StateSchema.isInstance(stateSchema) && Object.keys(stateSchema.fields)).toEqual(["one", "two"]);
  });

  it.each([
    [
      "two hooks of one phase",
      [
        createMiddleware({ name: "a", afterModel: () => undefined }),
        createMiddleware({ name: "b", afterModel: () => undefined }),
      ],
      /a and b have afterModel/,
    ],
    [
      "a context schema",
      [createMiddleware({ name: "a", contextSchema: z.object({ user: z.string() }) })],
      /a has contextSchema/,
    ],
    [
      "two state schemas with one field",
      [
        createMiddleware({ name: "a", stateSchema: new StateSchema({ one: z.string().optional() }) }),
        createMiddleware({ name: "b", stateSchema: new StateSchema({ one: z.string().optional() }) }),
      ],
      /b has the field one/,
    ],
  ] as const)("refuses %s when it is built", (_what, parts, reason) => {
    expect(() => composeMiddleware("both", parts as unknown as AgentMiddleware[])).toThrow(reason);
  });

  it("fails loudly rather than lose one of two commands", async () => {
    const commanding = (name: string) =>
      wrapOnly(name, async (request, next) => {
        await next(request);
        return new Command({ update: {} });
      });
    const composed = composeMiddleware("both", [commanding("a"), commanding("b")]);
    const agent = createAgent({ model: new ScriptedModel([{ text: "x" }]), middleware: [composed] });
    await expect(agent.invoke({ messages: [new HumanMessage("go")] })).rejects.toThrow(
      /two parts returned a Command/,
    );
  });
});
