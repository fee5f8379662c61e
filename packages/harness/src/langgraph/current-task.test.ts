/** Fails when an upgrade of LangGraph or LangChain moves what the files in a graph's state rely on. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Command,
  DeltaValue,
  isInterrupted,
  interrupt,
  MemorySaver,
  ReducedValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel } from "../testing/scripted-model.js";
import { currentTask, type GraphTask, knownToCreateAgent, type StoredWrite } from "./private-keys.js";

type Facts = Readonly<Record<string, number>>;

const merge = (facts: Facts, updates: Facts | readonly Facts[]): Facts =>
  Object.assign({}, facts, ...[updates].flat());
const facts = () =>
  knownToCreateAgent(
    new DeltaValue<Facts, Facts | undefined>(
      z.record(z.string(), z.number()).default(() => ({})),
      { inputSchema: z.record(z.string(), z.number()).optional(), reducer: merge as never },
    ),
  );
const schema = () => new StateSchema({ facts: facts(), note: z.string().optional() });

type Work = (task: GraphTask, name: string) => Promise<void> | void;

/** Two tasks of one step, a and b, and then a task of the next step, c. */
function threeTasks(work: Work, checkpointer?: MemorySaver) {
  const node = async (input: { name?: string }) => {
    const task = currentTask();
    if (task === undefined) throw new Error("no task");
    await work(task, input.name ?? "c");
    return {};
  };
  return new StateGraph(schema())
    .addNode("pair", node)
    .addNode("after", node)
    .addConditionalEdges(START, () => ["a", "b"].map((name) => new Send("pair", { name })), ["pair"])
    .addEdge("pair", "after")
    .compile(checkpointer === undefined ? {} : { checkpointer });
}

const config = { configurable: { thread_id: "t" } };

describe("the task that runs", () => {
  it("is none outside of a graph", () => {
    expect(currentTask()).toBeUndefined();
  });

  it.each([
    ["with a checkpointer", new MemorySaver()],
    ["without", undefined],
  ])("shares its checkpoint and the field as it was with the tasks beside it only, %s", async (_, saver) => {
    const seen = new Map<string, { task: GraphTask; before: unknown }>();
    await threeTasks((task, name) => {
      seen.set(name, { task, before: task.read("facts") });
    }, saver).invoke({ facts: { x: 1 } }, saver === undefined ? {} : config);
    const [a, b, c] = ["a", "b", "c"].map((name) => seen.get(name));
    expect(a?.task.checkpointId).toBe(b?.task.checkpointId);
    expect(a?.task.checkpointId).not.toBe(c?.task.checkpointId);
    expect(a?.before).toEqual({ x: 1 });
    expect(a?.before).toBe(b?.before);
    expect(a?.task.id).not.toBe(b?.task.id);
    expect(a?.task.life).not.toBe(b?.task.life);
    expect(a?.task.threadId).toBe(saver === undefined ? undefined : "t");
    expect(a?.task.namespace).toBe("");
  });

  it("writes to a field, sees that at once as its own, by reference, and leaves it to the next step", async () => {
    const value = { y: 2 };
    const seen: unknown[] = [];
    const end = await threeTasks((task, name) => {
      if (name === "b") task.write("facts", value);
      seen.push(task.read("facts"), task.readOwn("facts"));
    }).invoke({ facts: { x: 1 } });
    expect(seen).toEqual([{ x: 1 }, { x: 1 }, { x: 1 }, { x: 1, y: 2 }, { x: 1, y: 2 }, { x: 1, y: 2 }]);
    expect(end.facts).toEqual({ x: 1, y: 2 });
  });

  it("finds no field that the schema does not name", async () => {
    let seen: unknown = "nothing";
    await threeTasks((task) => {
      seen = task.read("files");
    }).invoke({});
    expect(seen).toBeUndefined();
  });

  it("learns after a break what the other task had stored, and nothing when the run goes straight on", async () => {
    const saver = new MemorySaver();
    const stored: (readonly StoredWrite[])[] = [];
    const repeats: boolean[] = [];
    let broken = true;
    const graph = threeTasks(async (task, name) => {
      repeats.push(task.mayRepeat);
      stored.push(await task.readStored("facts"));
      if (name === "b" && broken) throw new Error("broken");
      task.write("facts", { [name]: 1 });
    }, saver);
    await expect(graph.invoke({}, config)).rejects.toThrow("broken");
    expect(stored).toEqual([[], []]);
    broken = false;
    const end = await graph.invoke(null, config);
    expect(stored.slice(2)).toEqual([[{ taskId: expect.any(String), update: { a: 1 } }], []]);
    expect(end.facts).toEqual({ a: 1, b: 1, c: 1 });
    expect(repeats).toEqual([false, false, true, false]);
  });

  it("knows that it may have been begun before when a node is tried again, and has lost what it wrote", async () => {
    const seen: unknown[] = [];
    const graph = new StateGraph(schema())
      .addNode(
        "work",
        () => {
          const task = currentTask();
          seen.push([task?.mayRepeat, task?.readOwn("facts")]);
          task?.write("facts", { x: 1 });
          if (seen.length === 1) throw new Error("try again");
          return {};
        },
        { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false } },
      )
      .addEdge(START, "work")
      .compile();
    expect((await graph.invoke({})).facts).toEqual({ x: 1 });
    expect(seen).toEqual([
      [false, {}],
      [true, {}],
    ]);
  });

  it("loses what it wrote when it stops to ask, and gets a new life when it is run again", async () => {
    const lives: object[] = [];
    const graph = threeTasks((task, name) => {
      if (name !== "a") return;
      lives.push(task.life);
      expect(task.readOwn("facts")).toEqual({});
      task.write("facts", { a: lives.length });
      interrupt("go on?");
    }, new MemorySaver());
    expect(isInterrupted(await graph.invoke({}, config))).toBe(true);
    const end = await graph.invoke(new Command({ resume: "yes" }), config);
    expect(end.facts).toEqual({ a: 2 });
    expect(new Set(lives).size).toBe(2);
  });

  it("belongs to the namespace of its own graph when one graph runs inside another", async () => {
    let inner: GraphTask | undefined;
    const outer: (GraphTask | undefined)[] = [];
    const nested = threeTasks((task) => {
      inner = task;
    });
    await new StateGraph(schema())
      .addNode("outer", async () => {
        outer.push(currentTask());
        await nested.invoke({ facts: { inner: 1 } });
        return {};
      })
      .addEdge(START, "outer")
      .compile({ checkpointer: new MemorySaver() })
      .invoke({ facts: { outer: 1 } }, config);
    expect(outer[0]?.namespace).toBe("");
    expect(inner?.namespace).toMatch(/^outer:/);
    expect(inner?.read("facts")).toEqual({ inner: 1 });
  });
});

describe("a DeltaValue that createAgent knows", () => {
  it("is one for LangGraph, and a ReducedValue for LangChain", () => {
    expect(DeltaValue.isInstance(facts())).toBe(true);
    expect(ReducedValue.isInstance(facts())).toBe(true);
    expect(schema().getChannels()["facts"]?.lc_graph_name).toBe("DeltaChannel");
  });

  it("is a field of createAgent's state, which begins with its default and takes input", async () => {
    const seen: unknown[] = [];
    const note = tool(
      () => {
        seen.push(currentTask()?.read("facts"));
        currentTask()?.write("facts", { tool: 1 });
        return "noted";
      },
      { name: "note", description: "Notes.", schema: z.object({}) },
    );
    const agent = () =>
      createAgent({
        model: new ScriptedModel([{ calls: [{ name: "note" }] }, { text: "done" }]),
        tools: [note],
        middleware: [createMiddleware({ name: "facts", stateSchema: new StateSchema({ facts: facts() }) })],
      });
    const start = { messages: [new HumanMessage("go")] };
    const first = await agent().invoke(start);
    const second = await agent().invoke({ ...start, facts: { given: 1 } } as typeof start);
    expect(seen).toEqual([{}, { given: 1 }]);
    expect(first).toMatchObject({ facts: { tool: 1 } });
    expect(second).toMatchObject({ facts: { given: 1, tool: 1 } });
    expect(AIMessage.isInstance(first.messages.at(-1))).toBe(true);
  });
});
