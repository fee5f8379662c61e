import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { silentLogger } from "../base/logger.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { fileToolFailures } from "./file-tool-failures.js";

const throwing = (thrown: unknown) =>
  tool(
    () => {
      throw thrown;
    },
    { name: "read_file", schema: z.object({}) },
  );

const run = async (failing: ReturnType<typeof throwing>, isOwn = true) => {
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (_text: string, facts?: unknown) => void warned.push(facts) };
  const agent = createAgent({
    model: new ScriptedModel([{ calls: [{ name: "read_file" }] }, { text: "done" }]),
    tools: [failing],
    middleware: [fileToolFailures({ tools: isOwn ? [failing] : [], logger })],
  });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  // The cast is sound: the script makes one call, so the message before the last is its answer.
  return { answer: messages.at(-2) as ToolMessage, last: messages.at(-1)?.text, warned };
};

describe("file-tool-failures in a plain createAgent", () => {
  it.each([
    [
      "an error of Node with a host path",
      new Error("ENOENT: /home/someone/secret"),
      "failed inside (unforeseen). Try once more",
    ],
    ["no error at all", null, "failed inside (unforeseen)"],
    [
      "our own error that a model cannot mend",
      new DeerflowError("graph_state_missing"),
      "cannot be used as it is set up (graph_state_missing). Another try fails",
    ],
  ])("answers %s without its message, and tells it to the log", async (_what, thrown, kind) => {
    const { answer, last, warned } = await run(throwing(thrown));
    expect(answer).toMatchObject({ status: "error", tool_call_id: "call-0-0" });
    expect(answer.text).toContain(`read_file ${kind}`);
    expect(answer.text).not.toContain("/home");
    expect(last).toBe("done");
    expect(warned).toHaveLength(1);
  });

  it("answers what the model can mend with the sentence for it", async () => {
    const { answer, warned } = await run(throwing(new DeerflowError("path_not_found", { path: "/a" })));
    expect(answer.text).toContain("Nothing is at /a.");
    expect(warned).toEqual([]);
  });

  it("lets the failure of another's tool end the run", async () => {
    await expect(run(throwing(new Error("theirs")), false)).rejects.toThrow("theirs");
  });

  it("lets the failure of another middleware end the run", async () => {
    const own = throwing(new Error("never reached"));
    const agent = createAgent({
      model: new ScriptedModel([{ calls: [{ name: "read_file" }] }, { text: "done" }]),
      tools: [own],
      middleware: [
        fileToolFailures({ tools: [own], logger: silentLogger }),
        createMiddleware({
          name: "broken",
          wrapToolCall: () => {
            throw new Error("broken middleware");
          },
        }),
      ],
    });
    await expect(agent.invoke({ messages: [new HumanMessage("go")] })).rejects.toThrow("broken middleware");
  });

  it("lets an interrupt inside a tool pause the run", async () => {
    const asking = tool(() => String(interrupt("may I?")), { name: "read_file", schema: z.object({}) });
    const agent = createAgent({
      model: new ScriptedModel([{ calls: [{ name: "read_file" }] }, { text: "done" }]),
      tools: [asking],
      middleware: [fileToolFailures({ tools: [asking], logger: silentLogger })],
      checkpointer: new MemorySaver(),
    });
    const paused = await agent.invoke(
      { messages: [new HumanMessage("go")] },
      { configurable: { thread_id: "t" } },
    );
    expect(JSON.stringify(paused)).toContain("may I?");
  });

  it("lets the user's stop through", async () => {
    const stop = new AbortController();
    const slow = tool(
      () => {
        stop.abort(new Error("stopped by the user"));
        throw new Error("cut off");
      },
      { name: "read_file", schema: z.object({}) },
    );
    const agent = createAgent({
      model: new ScriptedModel([{ calls: [{ name: "read_file" }] }, { text: "done" }]),
      tools: [slow],
      middleware: [fileToolFailures({ tools: [slow], logger: silentLogger })],
    });
    await expect(
      agent.invoke({ messages: [new HumanMessage("go")] }, { signal: stop.signal }),
    ).rejects.toThrow();
  });
});
