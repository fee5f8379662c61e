import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, messagesStateReducer, Send, StateGraph } from "@langchain/langgraph";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SqliteCheckpointSaver } from "../sqlite/sqlite-checkpoint-saver.js";

/** Text that does not repeat itself, of `length` characters. */
const textOf = (seed: number, length: number): string => {
  let state = seed + 1;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
};

const State = Annotation.Root({
  messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
  brief: Annotation<string>(),
});

/** A model and tools for `steps` rounds; each tool call gets the whole conversation in its Send, as createAgent does it. */
const graphOf = (steps: number, saver: SqliteCheckpointSaver) =>
  new StateGraph(State)
    .addNode("model", ({ messages }) => {
      const round = messages.length;
      const tool_calls = [{ id: `c${round}`, name: "look", args: { round }, type: "tool_call" as const }];
      const more = round < steps * 2;
      return {
        messages: [
          new AIMessage({ id: `ai${round}`, content: textOf(round, 2_000), ...(more ? { tool_calls } : {}) }),
        ],
      };
    })
    .addNode("tool", ({ call }: { call?: string }) => ({
      messages: [
        new ToolMessage({
          id: `r${call}`,
          content: textOf(Number(call?.slice(1)), 2_000),
          tool_call_id: call ?? "",
        }),
      ],
    }))
    .addEdge("__start__", "model")
    .addConditionalEdges("model", ({ messages }) => {
      const calls = (messages.at(-1) as AIMessage).tool_calls ?? [];
      return calls.map(({ id }) => new Send("tool", { messages, call: id }));
    })
    .addEdge("tool", "model")
    .compile({ checkpointer: saver });

describe("the size of stored conversations", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "deerflow-growth-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function bytesOf(steps: number, brief: string): Promise<{ stored: number; content: number }> {
    const path = join(folder, `${steps}-${brief.length}.db`);
    const saver = SqliteCheckpointSaver.fromPath(path);
    await saver.setup();
    const empty = statSync(path).size;
    const { messages } = await graphOf(steps, saver).invoke(
      { messages: [new HumanMessage({ id: "q", content: "go" })], brief },
      { configurable: { thread_id: "7c9e6679-7425-40de-944b-e07fc1f90ae7" }, recursionLimit: 10_000 },
    );
    await saver.close();
    const content = messages.reduce((sum, message) => sum + JSON.stringify(message.toDict()).length, 0);
    return { stored: statSync(path).size - empty, content };
  }

  it("grows with the messages, not with messages times steps", async () => {
    const [short, long] = [await bytesOf(50, ""), await bytesOf(200, "")];
    const perStep = { short: short.stored / 50, long: long.stored / 200 };
    expect(long.stored).toBeLessThan(2 * long.content);
    expect(perStep.long).toBeLessThan(1.2 * perStep.short);
  });

  it("stores a large value that does not change once", async () => {
    const brief = textOf(5, 200_000);
    const [without, withBrief] = [await bytesOf(20, "x"), await bytesOf(20, brief)];
    expect(withBrief.stored - without.stored).toBeLessThan(3 * brief.length);
  });
});
