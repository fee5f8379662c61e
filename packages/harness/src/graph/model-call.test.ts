import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware, tool, type WrapModelCallHook } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel } from "../testing/scripted-model.js";
import { planAgent } from "./agent-plan.js";
import { callModel } from "./model-call.js";

const known = tool(() => "x", { name: "known", description: "Registered.", schema: z.object({}) });
const other = tool(() => "x", { name: "other", description: "Not registered.", schema: z.object({}) });
const impostor = tool(() => "x", { name: "known", description: "Of the same name.", schema: z.object({}) });
const wrap = (name: string, wrapModelCall: WrapModelCallHook) => createMiddleware({ name, wrapModelCall });

async function call(middleware: readonly AgentMiddleware[], systemPrompt = "S") {
  const model = new ScriptedModel([{ text: "answer" }]);
  const plan = planAgent({ model, tools: [known], middleware, systemPrompt });
  const outcome = await callModel(plan, { messages: [new HumanMessage("go")] }, {});
  return { outcome, prompts: model.calls.map(({ messages }) => messages[0]?.text), model };
}

describe("callModel", () => {
  it("lets each wrap change the prompt for those further in, as text or as a message", async () => {
    const { prompts } = await call([
      wrap("text", (request, next) => next({ ...request, systemPrompt: `${request.systemPrompt}|text` })),
      wrap("message", (request, next) =>
        next({ ...request, systemMessage: new SystemMessage(`${request.systemMessage.text}|message`) }),
      ),
    ]);
    expect(prompts).toEqual(["S|text|message"]);
  });

  it("starts every attempt of a wrap from the prompt that the wrap was given", async () => {
    const { prompts } = await call([
      wrap("twice", async (request, next) => {
        await next({ ...request, systemPrompt: `${request.systemPrompt}|first` });
        return next({ ...request, systemPrompt: `${request.systemPrompt}|second` });
      }),
    ]);
    expect(prompts).toEqual(["S|first", "S|second"]);
  });

  it("keeps the commands of all wraps, and the message that the outermost let through", async () => {
    const inner = new Command({ update: { from: "inner" } });
    const outer = new Command({ update: { from: "outer" } });
    const seen: unknown[] = [];
    const { outcome } = await call([
      wrap("outer", async (request, next) => {
        seen.push(await next(request));
        return outer;
      }),
      wrap("inner", async (request, next) => {
        await next(request);
        return inner;
      }),
    ]);
    expect(outcome.commands).toEqual([inner, outer]);
    expect(outcome.message?.text).toBe("answer");
    expect(seen[0]).toBeInstanceOf(AIMessage);
  });

  it("needs no model when a wrap answers by itself", async () => {
    const { outcome, model } = await call([wrap("cache", () => new AIMessage("cached"))]);
    expect(outcome.message?.text).toBe("cached");
    expect(model.calls).toHaveLength(0);
  });

  it.each<[string, WrapModelCallHook, string]>([
    [
      "changes text and message of the prompt at once",
      (request, next) => next({ ...request, systemPrompt: "a", systemMessage: new SystemMessage("b") }),
      "changed both systemPrompt and systemMessage",
    ],
    [
      "offers a tool that nothing can run",
      (request, next) => next({ ...request, tools: [other] }),
      "offers the model the tool other, which nothing can run",
    ],
    [
      "offers another tool under a registered name",
      (request, next) => next({ ...request, tools: [impostor] }),
      "replaced the registered tool known",
    ],
    [
      "returns no message",
      () => "text" as unknown as AIMessage,
      "returned string where an AIMessage or a Command was expected",
    ],
  ])("refuses a wrap that %s", async (_, wrapModelCall, message) => {
    await expect(call([wrap("w", wrapModelCall)])).rejects.toThrow(message);
  });
});
