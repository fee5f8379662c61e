/** LangChain's own middleware runs unchanged, and runs end as under `createAgent` when they are stopped. */
import { type AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ClientTool } from "@langchain/core/tools";
import { Command, INTERRUPT, isInterrupted, MemorySaver } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  dynamicSystemPromptMiddleware,
  humanInTheLoopMiddleware,
  modelCallLimitMiddleware,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  piiMiddleware,
  summarizationMiddleware,
  todoListMiddleware,
  tool,
  toolCallLimitMiddleware,
  toolRetryMiddleware,
  type ToolRuntime,
} from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";

interface Parts {
  readonly model: ScriptedModel;
  readonly tools: ClientTool[];
  readonly middleware?: AgentMiddleware[];
  readonly checkpointer: MemorySaver;
}
interface Runnable {
  invoke(input: unknown, config: object): Promise<Record<string, unknown> & { messages: BaseMessage[] }>;
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
  getState(config: object): Promise<{ next: string[]; values: { messages: BaseMessage[] } }>;
}
type Build = (parts: Parts) => Runnable;

const ours: Build = (parts) => createAgentGraph({ ...parts, parity: true }) as unknown as Runnable;
const theirs: Build = (parts) => createAgent(parts).graph as unknown as Runnable;
const start = () => ({ messages: [new HumanMessage({ id: "h", content: "mail a@b.co" })] });
const config = { configurable: { thread_id: "t" }, recursionLimit: 100 };

class BrokenModel extends ScriptedModel {
  override bindTools(): this {
    return this;
  }
  override _generate(): never {
    throw new Error("model down");
  }
}

const ROUNDS: readonly ScriptedTurn[] = [
  ...["1", "2", "3"].map((a) => ({ calls: [{ name: "work", args: { a } }] })),
  { text: "end" },
];
const FLAKY: readonly ScriptedTurn[] = [{ calls: [{ name: "flaky" }] }, { text: "end" }];
const TODOS: readonly ScriptedTurn[] = [
  { calls: [{ name: "write_todos", args: { todos: [{ content: "a", status: "pending" }] } }] },
  { text: "end" },
];
const MAIL: readonly ScriptedTurn[] = [{ text: "mail me" }];

interface BuiltIn {
  readonly name: string;
  // LangChain types these with Zod 3 and without exactOptionalPropertyTypes; they do not fit its own interface here.
  readonly middleware: () => unknown;
  readonly turns?: readonly ScriptedTurn[];
  readonly modelIsDown?: boolean;
}

const BUILT_INS: readonly BuiltIn[] = [
  { name: "todoList", middleware: () => todoListMiddleware(), turns: TODOS },
  {
    name: "modelFallback",
    middleware: () => modelFallbackMiddleware(new ScriptedModel(ROUNDS)),
    modelIsDown: true,
  },
  {
    name: "modelCallLimit",
    middleware: () => modelCallLimitMiddleware({ runLimit: 2, exitBehavior: "end" } as never),
  },
  {
    name: "toolCallLimit",
    middleware: () => toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "continue" } as never),
  },
  {
    name: "toolRetry",
    middleware: () => toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 0 }),
    turns: FLAKY,
  },
  {
    name: "modelRetry",
    middleware: () => modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 0, onFailure: "continue" }),
    modelIsDown: true,
  },
  {
    name: "contextEditing",
    middleware: () =>
      contextEditingMiddleware({
        edits: [new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 1 } })],
      }),
  },
  {
    name: "dynamicSystemPrompt",
    middleware: () => dynamicSystemPromptMiddleware((state) => `P${state.messages.length}`),
  },
  {
    name: "pii",
    middleware: () => piiMiddleware("email", { strategy: "redact", applyToInput: true }),
    turns: MAIL,
  },
  {
    name: "summarization",
    middleware: () =>
      summarizationMiddleware({
        model: new ScriptedModel([{ text: "SUMMARY" }]),
        trigger: { messages: 4 },
        keep: { messages: 2 },
      } as never),
  },
];

function workTools() {
  let attempts = 0;
  const work = tool(({ a }) => `worked ${a}`, {
    name: "work",
    description: "Works.",
    schema: z.object({ a: z.string().optional() }),
  });
  const flaky = tool(
    () => {
      attempts += 1;
      if (attempts % 2 === 1) throw new Error("flaky");
      return "fine";
    },
    { name: "flaky", description: "Works every other time.", schema: z.object({}) },
  );
  return [work, flaky];
}

describe("a built-in middleware gives what it gives under createAgent", () => {
  it.each(BUILT_INS)("$name", async ({ middleware, turns = ROUNDS, modelIsDown = false }) => {
    const outcome = async (build: Build) => {
      const model = modelIsDown ? new BrokenModel(turns) : new ScriptedModel(turns);
      const graph = build({
        model,
        tools: workTools(),
        middleware: [middleware() as AgentMiddleware],
        checkpointer: new MemorySaver(),
      });
      const { messages, structuredResponse: _, ...fields } = await graph.invoke(start(), config);
      return {
        fields,
        messages: messages.map((message) => [
          message.getType(),
          message.text,
          (message as AIMessage).tool_calls?.length,
        ]),
        calls: model.calls.map(({ messages, tools }) => [messages.map(({ text }) => text), tools]),
      };
    };
    const actual = await outcome(ours);
    expect(actual).toEqual(await outcome(theirs));
    expect(actual.messages.length).toBeGreaterThan(1);
  });

  it("humanInTheLoop, with one gated call beside one that is not", async () => {
    const outcome = async (build: Build) => {
      const model = new ScriptedModel([
        { calls: [{ name: "work", args: { a: "1" } }, { name: "flaky" }] },
        { text: "end" },
      ]);
      const middleware = [
        humanInTheLoopMiddleware({ interruptOn: { work: true } } as never) as AgentMiddleware,
      ];
      const graph = build({ model, tools: workTools(), middleware, checkpointer: new MemorySaver() });
      const first = await graph.invoke(start(), config);
      const asked = isInterrupted(first) ? first[INTERRUPT].map(({ value }) => value) : [];
      const { messages } = await graph.invoke(
        new Command({ resume: { decisions: [{ type: "approve" }] } }),
        config,
      );
      return {
        asked,
        messages: messages.map((message) => [message.getType(), message.text]),
        calls: model.calls.length,
      };
    };
    const actual = await outcome(ours);
    expect(actual).toEqual(await outcome(theirs));
    expect(actual.asked).toHaveLength(1);
    expect(actual.calls).toBe(2);
  });
});

describe("a run that is stopped", () => {
  it("by an abort fails at once, its tools hear the signal, and the calls stay open", async () => {
    const outcome = async (build: Build) => {
      const stop = new AbortController();
      let started = 0;
      let heard = 0;
      const slow = tool(
        (_input, runtime: ToolRuntime) =>
          new Promise<string>((_resolve, reject) => {
            runtime.signal?.addEventListener("abort", () => {
              heard += 1;
              reject(new Error("stopped in the tool"));
            });
            started += 1;
            if (started === 2) stop.abort();
          }),
        { name: "slow", description: "Never ends.", schema: z.object({}) },
      );
      const model = new ScriptedModel([{ calls: [{ name: "slow" }, { name: "slow" }] }, { text: "done" }]);
      const graph = build({ model, tools: [slow], checkpointer: new MemorySaver() });
      const failure = await graph.invoke(start(), { ...config, signal: stop.signal }).then(
        () => "no failure",
        (error: Error) => error.name,
      );
      const { next, values } = await graph.getState(config);
      return { failure, heard, next, messages: values.messages.length, calls: model.calls.length };
    };
    const actual = await outcome(ours);
    expect(actual).toEqual(await outcome(theirs));
    expect(actual).toEqual({
      failure: "AbortError",
      heard: 2,
      next: ["tools", "tools"],
      messages: 2,
      calls: 1,
    });
  });

  it("by the recursion limit keeps its state; a round of model and tools costs two supersteps", async () => {
    const again = tool(() => "again", { name: "again", description: "Again.", schema: z.object({}) });
    const outcome = async (build: Build) => {
      const model = new ScriptedModel([{ calls: [{ name: "again" }] }]);
      const graph = build({ model, tools: [again], checkpointer: new MemorySaver() });
      const failure = await graph
        .invoke(start(), { ...config, recursionLimit: 11 })
        .catch((error: Error) => error.name);
      return { failure, messages: (await graph.getState(config)).values.messages.length };
    };
    const actual = await outcome(ours);
    expect(actual).toEqual(await outcome(theirs));
    expect(actual).toEqual({ failure: "GraphRecursionError", messages: 12 });
  });
});
