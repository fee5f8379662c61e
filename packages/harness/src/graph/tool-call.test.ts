import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, GraphInterrupt } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  createMiddleware,
  MiddlewareError,
  tool,
  ToolInvocationError,
  type ToolRuntime,
} from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { planAgent } from "./agent-plan.js";
import { answerFailure, runToolCall } from "./tool-call.js";
import { toCommands } from "./tools-node.js";

const call = { id: "c1", name: "work", args: {} };
const state = { messages: [new HumanMessage("go")], count: 3 };

function run(
  work: (input: object, runtime: ToolRuntime) => unknown,
  middleware: readonly AgentMiddleware[] = [],
  signal?: AbortSignal,
) {
  const made = tool(work, { name: "work", description: "Works.", schema: z.object({}) });
  const plan = planAgent({ model: new ScriptedModel([]), tools: [made], middleware });
  return runToolCall({ plan, state, config: signal === undefined ? {} : { signal } }, call);
}
const throwing = (error: Error) => () => {
  throw error;
};

describe("runToolCall", () => {
  it("makes a message of whatever a tool returns, with an id", async () => {
    expect(await run(() => "text")).toMatchObject({
      content: "text",
      name: "work",
      tool_call_id: "c1",
      id: expect.any(String),
    });
    expect(await run(() => ({ a: 1 }))).toMatchObject({ content: '{"a":1}' });
  });

  it("gives the tool the whole state and the id of its call", async () => {
    const outcome = await run(
      (_input, runtime) => `${Object.keys(runtime.state as object)} ${runtime.toolCallId}`,
    );
    expect(outcome).toMatchObject({ content: "messages,count c1" });
  });

  it("lets a wrap see its own fields, and the next one in the whole state with what the first one changed", async () => {
    const seen: unknown[] = [];
    const outer = createMiddleware({
      name: "outer",
      wrapToolCall(request, next) {
        seen.push(Object.keys(request.state));
        return next({ ...request, state: { ...request.state, messages: [] } });
      },
    });
    const inner = createMiddleware({
      name: "inner",
      stateSchema: z.object({ count: z.number() }),
      wrapToolCall(request, next) {
        seen.push([request.state.count, request.state.messages.length]);
        return next(request);
      },
    });
    await run(() => "x", [outer, inner]);
    expect(seen).toEqual([["messages"], [3, 0]]);
  });

  it("lets an interrupt and an aborted run pass, also through a wrap", async () => {
    const pass = createMiddleware({ name: "pass", wrapToolCall: (request, next) => next(request) });
    await expect(run(throwing(new GraphInterrupt()), [pass])).rejects.toBeInstanceOf(GraphInterrupt);
    await expect(run(throwing(new Error("stopped")), [pass], AbortSignal.abort())).rejects.toThrow();
    expect(await run(throwing(new Error("broken")), [pass])).toMatchObject({ status: "error" });
  });

  it("ends the run when a wrap fails or answers with nonsense", async () => {
    const broken = createMiddleware({
      name: "broken",
      wrapToolCall: throwing(new RangeError("in the wrap")),
    });
    await expect(run(() => "x", [broken])).rejects.toMatchObject({
      name: "RangeError",
      message: "in the wrap",
    });
    const odd = createMiddleware({ name: "odd", wrapToolCall: () => "text" as unknown as ToolMessage });
    await expect(run(() => "x", [odd])).rejects.toThrow(
      "returned string where a ToolMessage or a Command was expected",
    );
  });
});

describe("answerFailure", () => {
  it("answers for a tool, and says the next step where the failure knows one", () => {
    expect(answerFailure(call, new Error("no"), false).text).toBe("Error: no\n Please fix your mistakes.");
    const known = new DeerflowError("thread_id_invalid", { threadId: "?" });
    expect(answerFailure(call, known, false).text).toBe(known.sentence);
  });

  it("answers for wrong arguments however often they were wrapped, and throws what is a middleware's own", () => {
    const wrong = new ToolInvocationError(new Error("bad"), call);
    const wrapped = MiddlewareError.wrap(MiddlewareError.wrap(wrong, "a"), "b");
    expect(answerFailure(call, wrapped, true).text).toBe(wrong.message);
    const own = MiddlewareError.wrap(new Error("own"), "a");
    expect(() => answerFailure(call, own, false)).toThrow("own");
    expect(() => answerFailure(call, new Error("of the tool"), true)).toThrow("of the tool");
  });
});

describe("toCommands", () => {
  it("keeps the order of the calls between messages and commands", () => {
    const message = (id: string) => new ToolMessage({ content: id, tool_call_id: id });
    const [a, b, c] = [message("a"), message("b"), message("c")];
    const command = new Command({ update: { x: 1 } });
    expect(toCommands([a, b, command, c]).map(({ update }) => update)).toEqual([
      { messages: [a, b] },
      { x: 1 },
      { messages: [c] },
    ]);
    expect(toCommands([]).map(({ update }) => update)).toEqual([{}]);
  });
});
