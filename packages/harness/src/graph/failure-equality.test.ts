/** The contract with LangChain on failures: with `parity`, each ends or continues the run as under `createAgent`. */
import { type AIMessage, type BaseMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import type { ClientTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";

type Build = (parts: {
  model: ScriptedModel;
  tools: ClientTool[];
  middleware: AgentMiddleware[];
  checkpointer: MemorySaver;
}) => { invoke(input: unknown, config: object): Promise<unknown> };

const ours: Build = (parts) => createAgentGraph({ ...parts, parity: true });
const theirs: Build = (parts) => createAgent(parts).graph as unknown as ReturnType<Build>;

const described = (message: BaseMessage) => ({
  type: message.getType(),
  name: message.name,
  // `createAgent` shows the model the stack of an argument error; ours does not.
  text: message.text.replaceAll(/\n\s+at .*/g, ""),
  status: (message as ToolMessage).status,
});

const WORKING: readonly ScriptedTurn[] = [{ calls: [{ name: "fails" }] }, { text: "done" }];
const WRONG_ARGUMENTS: readonly ScriptedTurn[] = [
  { calls: [{ name: "fails", args: { n: "x" } }] },
  { text: "done" },
];
const throws = (error: Error) => () => {
  throw error;
};

const FAILURES: readonly {
  readonly name: string;
  readonly middleware?: () => AgentMiddleware;
  readonly turns?: readonly ScriptedTurn[];
  /** Our own wording differs, on purpose. */
  readonly ownWords?: boolean;
}[] = [
  { name: "a tool throws and no middleware wraps it" },
  {
    name: "a tool throws inside a wrap",
    middleware: () => createMiddleware({ name: "W", wrapToolCall: (request, next) => next(request) }),
  },
  { name: "arguments do not fit", turns: WRONG_ARGUMENTS },
  {
    name: "arguments do not fit inside a wrap",
    turns: WRONG_ARGUMENTS,
    middleware: () => createMiddleware({ name: "W", wrapToolCall: (request, next) => next(request) }),
  },
  {
    name: "wrapToolCall throws",
    middleware: () => createMiddleware({ name: "W", wrapToolCall: throws(new RangeError("wrap")) }),
  },
  {
    name: "wrapModelCall throws",
    middleware: () => createMiddleware({ name: "W", wrapModelCall: throws(new RangeError("wrap")) }),
  },
  {
    name: "a hook throws",
    middleware: () => createMiddleware({ name: "W", beforeModel: throws(new RangeError("hook")) }),
  },
  {
    name: "a hook after the model throws",
    middleware: () => createMiddleware({ name: "W", afterModel: throws(new RangeError("hook")) }),
  },
  {
    name: "the context lacks what a middleware needs",
    middleware: () =>
      createMiddleware({
        name: "W",
        contextSchema: z.object({ user: z.string() }),
        beforeModel: () => undefined,
      }),
  },
  {
    name: "a jump is not allowed",
    middleware: () =>
      createMiddleware({
        name: "W",
        beforeModel: { canJumpTo: ["end"], hook: () => ({ jumpTo: "tools" }) },
      }),
    ownWords: true,
  },
  {
    name: "wrapModelCall returns nonsense",
    middleware: () => createMiddleware({ name: "W", wrapModelCall: () => 5 as unknown as AIMessage }),
    ownWords: true,
  },
];

describe("a failure ends or continues the run as under createAgent", () => {
  const fails = tool(throws(new TypeError("kaboom")), {
    name: "fails",
    description: "Throws.",
    schema: z.object({ n: z.number().optional() }),
  });

  it.each(FAILURES)("when $name", async ({ middleware, turns = WORKING, ownWords = false }) => {
    const outcome = async (build: Build) => {
      const parts = {
        model: new ScriptedModel(turns),
        tools: [fails],
        middleware: middleware ? [middleware()] : [],
      };
      const graph = build({ ...parts, checkpointer: new MemorySaver() });
      try {
        const { messages } = (await graph.invoke(
          { messages: [new HumanMessage({ id: "go", content: "go" })] },
          { configurable: { thread_id: "t" } },
        )) as { messages: BaseMessage[] };
        return { messages: messages.map(described) };
      } catch (error) {
        const { name, message, cause } = error as Error;
        return ownWords ? { threw: true } : { name, message, cause: (cause as Error | undefined)?.name };
      }
    };
    expect(await outcome(ours)).toEqual(await outcome(theirs));
  });
});
