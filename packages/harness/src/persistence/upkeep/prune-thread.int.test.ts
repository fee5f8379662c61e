import { v6 } from "@langchain/core/utils/uuid";
import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  interrupt,
  messagesDeltaReducer,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { afterEach, describe, expect, it } from "vitest";
import { answer, conversingGraph, converse, historyOf, say } from "../../testing/conversing-graph.js";
import { testDatabases } from "../../testing/test-databases.js";
import { DatabaseCheckpointSaver } from "../checkpoint/database-checkpoint-saver.js";
import { openDatabase } from "../sql/open-database.js";
import { pruneThread } from "./prune-thread.js";
import { threadStats } from "./thread-stats.js";
import { verifyThread } from "./verify-thread.js";

const configOf = (threadId: string, checkpointId?: string) => ({
  configurable: {
    thread_id: threadId,
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
  },
});

/** Adds one message a step, for as many steps as it is told. */
const countingGraph = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(
    Annotation.Root({
      ...MessagesAnnotation.spec,
      until: Annotation<number>(),
      constant: Annotation<string>(),
    }),
  )
    .addNode("count", ({ messages }) => ({
      messages: [new AIMessage(`${messages.length} ${"x".repeat(900)}`)],
    }))
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ messages, until }) => (messages.length < until ? "count" : "__end__"))
    .compile({ checkpointer });

const texts = (values: unknown): unknown[] =>
  // The state of the graphs of this file.
  (values as { messages: BaseMessage[] }).messages.map(({ content }) => content);

const idsOf = async (graph: ReturnType<typeof countingGraph>, threadId: string): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { config } of graph.getStateHistory(configOf(threadId))) {
    ids.push(String(config.configurable?.["checkpoint_id"]));
  }
  return ids;
};

const SOUND = { findings: [], orphans: { values: 0, messages: 0, parts: 0, writes: 0 } };

describe.each(await testDatabases())("pruning on $name", ({ open, drop }) => {
  const savers: DatabaseCheckpointSaver[] = [];
  const openSaver = async (location?: Awaited<ReturnType<typeof open>>) => {
    const place = location ?? (await open());
    const saver = new DatabaseCheckpointSaver(
      { name: "the test's", open: () => openDatabase(place) },
      { scope: "local" },
    );
    savers.push(saver);
    return saver;
  };
  afterEach(async () => {
    for (const saver of savers.splice(0)) await saver.close();
    await drop();
  });

  it("keeps the last checkpoints of a thread, and the thread goes on", async () => {
    const saver = await openSaver();
    const graph = countingGraph(saver);
    await graph.invoke({ messages: [new HumanMessage("count")], until: 20 }, configOf("t"));
    const before = await historyOfCounting(graph, "t");
    const report = await pruneThread(saver, "t", { keepLast: 5 });
    expect(report).toMatchObject({
      threadId: "t",
      dryRun: false,
      removed: { checkpoints: before.length - 5 },
      kept: { checkpoints: 5, reasons: { newest: 1, last: 4 } },
    });
    expect(await historyOfCounting(graph, "t")).toEqual(before.slice(0, 5));
    expect(
      (await saver.getTuple(configOf("t", (await idsOf(graph, "t")).at(-1))))?.parentConfig,
    ).toBeUndefined();
    expect(await verifyThread(saver, "t")).toMatchObject(SOUND);
    await graph.invoke({ messages: [new HumanMessage("more")], until: 30 }, configOf("t"));
    const { values } = await graph.getState(configOf("t"));
    expect(texts(values)).toHaveLength(30);
    expect(texts(values).slice(0, 20)).toEqual(before[0]);
    expect(await verifyThread(saver, "t")).toMatchObject(SOUND);
    // A saver that knows nothing of what was before reads the same.
    expect(texts((await saver.getTuple(configOf("t")))?.checkpoint.channel_values)).toEqual(texts(values));
  });

  it("says what it would remove, and removes just that", async () => {
    const saver = await openSaver();
    const graph = countingGraph(saver);
    await graph.invoke({ messages: [new HumanMessage("count")], until: 8 }, configOf("t"));
    const before = await idsOf(graph, "t");
    const would = await pruneThread(saver, "t", { keepLast: 2, dryRun: true });
    expect(would.dryRun).toBe(true);
    expect(await idsOf(graph, "t")).toEqual(before);
    const [size] = await threadStats(saver, "t");
    const did = await pruneThread(saver, "t", { keepLast: 2 });
    expect(did).toEqual({ ...would, dryRun: false });
    const [left] = await threadStats(saver, "t");
    expect((size?.bytes.total ?? 0) - (left?.bytes.total ?? 0)).toBe(did.removed.bytes);
    expect((await pruneThread(saver, "t", { keepLast: 2 })).removed).toEqual({
      checkpoints: 0,
      writes: 0,
      values: 0,
      messages: 0,
      parts: 0,
      bytes: 0,
    });
  });

  it("removes by age where it is told so, and never the newest", async () => {
    const saver = await openSaver();
    const graph = countingGraph(saver);
    await graph.invoke({ messages: [new HumanMessage("count")], until: 5 }, configOf("t"));
    const count = (await idsOf(graph, "t")).length;
    const hour = 60 * 60 * 1000;
    expect((await pruneThread(saver, "t", { olderThan: hour })).removed.checkpoints).toBe(0);
    const later = Date.now() + 2 * hour;
    const both = await pruneThread(saver, "t", { olderThan: hour, keepLast: 3, now: later });
    expect(both.removed.checkpoints).toBe(count - 3);
    const old = await pruneThread(saver, "t", { olderThan: hour, now: later });
    expect(old.kept).toEqual({ checkpoints: 1, reasons: { newest: 1 } });
  });

  it("leaves a thread that is not there alone, and refuses what makes no sense", async () => {
    const saver = await openSaver();
    expect((await pruneThread(saver, "none", { keepLast: 1 })).kept.checkpoints).toBe(0);
    expect(await threadStats(saver)).toEqual([]);
    for (const options of [{}, { keepLast: 0 }, { keepLast: 1.5 }, { olderThan: -1 }]) {
      await expect(pruneThread(saver, "t", options)).rejects.toMatchObject({ code: "invalid_request" });
    }
  });

  it("keeps a question that waits, and its answer is taken", async () => {
    const saver = await openSaver();
    const graph = conversingGraph(saver);
    await converse(graph, "t");
    const before = await historyOf(graph, "t");
    await pruneThread(saver, "t", { keepLast: 1, keepForkBases: false });
    const after = await historyOf(graph, "t");
    const { parentConfig: gone, ...newest } = before[0] as { parentConfig?: unknown };
    expect(gone).toBeDefined();
    expect(after).toEqual([newest]);
    await answer(graph, "t", "yes");
    const { values } = await graph.getState(configOf("t"));
    expect(texts(values)).toContain('the answer is "yes"');
    expect(await verifyThread(saver, "t")).toMatchObject({ findings: [] });
  });

  it("keeps both branches of a fork, joined at their base", async () => {
    const saver = await openSaver();
    const graph = countingGraph(saver);
    await graph.invoke({ messages: [new HumanMessage("count")], until: 4 }, configOf("t"));
    const [end, , base] = await idsOf(graph, "t");
    const main = await graph.getState(configOf("t", end));
    await graph.invoke({ messages: [new HumanMessage("otherwise")], until: 8 }, configOf("t", base));
    const branch = await graph.getState(configOf("t"));
    await pruneThread(saver, "t", { keepLast: 1 });
    const ids = await idsOf(graph, "t");
    expect(ids).toHaveLength(3);
    expect(ids.slice(1)).toEqual([end, base]);
    const parents: (string | undefined)[] = [];
    for (const id of ids) {
      parents.push((await saver.getTuple(configOf("t", id)))?.parentConfig?.configurable?.["checkpoint_id"]);
    }
    expect(parents).toEqual([base, base, undefined]);
    expect(texts((await graph.getState(configOf("t", end))).values)).toEqual(texts(main.values));
    expect(texts((await graph.getState(configOf("t"))).values)).toEqual(texts(branch.values));
    expect((await pruneThread(saver, "t", { keepLast: 1 })).removed.checkpoints).toBe(0);
  });

  it("keeps what a subgraph remembers, and drops what ran in checkpoints that went", async () => {
    const saver = await openSaver();
    const graph = conversingGraph(saver);
    for (const text of ["delegate one", "delegate two", "delegate three"]) await say(graph, "t", text);
    const twin = await openSaver();
    const untouched = conversingGraph(twin);
    for (const text of ["delegate one", "delegate two", "delegate three"]) await say(untouched, "t", text);
    await pruneThread(saver, "t", { keepLast: 1 });
    await say(graph, "t", "delegate four");
    await say(untouched, "t", "delegate four");
    const [pruned, whole] = [await graph.getState(configOf("t")), await untouched.getState(configOf("t"))];
    expect(texts(pruned.values)).toEqual(texts(whole.values));
    expect(await verifyThread(saver, "t")).toMatchObject(SOUND);
  });

  it("keeps a subgraph that waits for an answer with the checkpoint that started it", async () => {
    const saver = await openSaver();
    const inner = new StateGraph(MessagesAnnotation)
      .addNode("prepare", () => ({ messages: [new AIMessage("prepared")] }))
      .addNode("ask", () => ({ messages: [new AIMessage(`told ${String(interrupt("which?"))}`)] }))
      .addEdge(START, "prepare")
      .addEdge("prepare", "ask")
      .compile();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("first", () => ({ messages: [new AIMessage("first")] }))
      .addNode("inner", inner)
      .addEdge(START, "first")
      .addEdge("first", "inner")
      .compile({ checkpointer: saver });
    await graph.invoke({ messages: [new HumanMessage("go")] }, configOf("t"));
    await graph.invoke(new Command({ resume: "left" }), configOf("t"));
    await graph.invoke({ messages: [new HumanMessage("again")] }, configOf("t"));
    const { removed } = await pruneThread(saver, "t", { keepLast: 1 });
    expect(removed.checkpoints).toBeGreaterThan(5);
    const { tasks } = await graph.getState(configOf("t"), { subgraphs: true });
    expect(tasks[0]?.interrupts).toMatchObject([{ value: "which?" }]);
    const { messages } = await graph.invoke(new Command({ resume: "right" }), configOf("t"));
    expect(messages.map(({ content }) => content)).toEqual([
      "go",
      "first",
      "prepared",
      "told left",
      "again",
      "first",
      "prepared",
      "told right",
    ]);
    expect(await verifyThread(saver, "t")).toMatchObject(SOUND);
  });

  it("keeps the ancestors that a delta channel is made of", async () => {
    const saver = await openSaver();
    const Delta = Annotation.Root({
      messages: () =>
        new DeltaChannel<BaseMessage[], BaseMessage[]>(messagesDeltaReducer, { snapshotFrequency: 8 }),
      until: Annotation<number>(),
    });
    const graph = new StateGraph(Delta)
      .addNode("count", ({ messages }) => ({
        messages: [new AIMessage({ id: `m${messages.length}`, content: `${messages.length}` })],
      }))
      .addEdge(START, "count")
      .addConditionalEdges("count", ({ messages, until }) => (messages.length < until ? "count" : "__end__"))
      .compile({ checkpointer: saver });
    await graph.invoke(
      { messages: [new HumanMessage({ id: "h", content: "count" })], until: 22 },
      configOf("t"),
    );
    const before = texts((await graph.getState(configOf("t"))).values);
    expect(before).toHaveLength(22);
    const { removed, kept } = await pruneThread(saver, "t", { keepLast: 1 });
    expect(removed.checkpoints).toBeGreaterThan(0);
    expect(kept.reasons).toMatchObject({ newest: 1, history: expect.any(Number) });
    expect(texts((await graph.getState(configOf("t"))).values)).toEqual(before);
    await graph.invoke(
      { messages: [new HumanMessage({ id: "h2", content: "more" })], until: 30 },
      configOf("t"),
    );
    const { values } = await graph.getState(configOf("t"));
    expect(texts(values).slice(0, 22)).toEqual(before);
    expect(texts(values)).toHaveLength(30);
  });

  it("takes nothing from a run that began at a checkpoint which is pruned before it writes", async () => {
    const saver = await openSaver();
    const graph = countingGraph(saver);
    await graph.invoke({ messages: [new HumanMessage("count")], until: 6, constant: "c" }, configOf("t"));
    const old = (await idsOf(graph, "t")).at(3) ?? "";
    const start = await saver.getTuple(configOf("t", old));
    if (start?.metadata === undefined) throw new Error("there is no such checkpoint");
    await pruneThread(saver, "t", { keepLast: 1 });
    expect(await saver.getTuple(configOf("t", old))).toBeUndefined();
    // As LangGraph does it: the next checkpoint names the old one as its parent, and no channel as new.
    const next = { ...start.checkpoint, id: uuid6(0) };
    await saver.putWrites(start.config, [["messages", [new AIMessage("late")]]], "task");
    await saver.put(start.config, next, start.metadata, {});
    const read = await saver.getTuple(configOf("t", next.id));
    expect(read?.checkpoint.channel_values["constant"]).toBe("c");
    expect(texts(read?.checkpoint.channel_values)).toEqual(texts(start.checkpoint.channel_values));
    // The write belongs to a checkpoint that is gone: it is no damage, and goes when it is old.
    expect(await verifyThread(saver, "t")).toMatchObject({ findings: [], orphans: { writes: 1 } });
  });

  it("removes writes whose checkpoint never came, once it cannot come any more", async () => {
    const saver = await openSaver();
    await countingGraph(saver).invoke({ messages: [new HumanMessage("count")], until: 2 }, configOf("t"));
    const hour = 60 * 60 * 1000;
    for (const made of [Date.now() - 2 * hour, Date.now() - hour / 2, Date.now() + hour]) {
      const id = v6({ msecs: made, nsecs: 0, clockseq: 1 });
      await saver.putWrites(configOf("t", id), [["messages", [new AIMessage(`of ${made}`)]]], "task");
    }
    const { removed } = await pruneThread(saver, "t", { keepLast: 100 });
    expect(removed).toMatchObject({ checkpoints: 0, writes: 1, messages: 1 });
    expect(await verifyThread(saver, "t")).toMatchObject({
      findings: [],
      orphans: { writes: 2, messages: 0 },
    });
  });

  it("removes messages and images that no checkpoint holds any more", async () => {
    const saver = await openSaver();
    const graph = conversingGraph(saver);
    await say(graph, "t", "look at this");
    const { values } = await graph.getState(configOf("t"));
    const removals = (values.messages as BaseMessage[]).map(({ id = "" }) => new RemoveMessage({ id }));
    await graph.updateState(
      configOf("t"),
      { messages: [...removals, new HumanMessage("forgotten")] },
      "assistant",
    );
    const report = await pruneThread(saver, "t", { keepLast: 1 });
    expect(report.removed).toMatchObject({ parts: 1 });
    expect(report.removed.messages).toBeGreaterThanOrEqual(removals.length);
    expect(await verifyThread(saver, "t")).toMatchObject(SOUND);
    // The same image again is stored again, though this saver knows that it had been.
    await say(graph, "t", "look at this");
    expect(await verifyThread(saver, "t")).toMatchObject({ findings: [] });
    expect((await threadStats(saver, "t"))[0]?.rows.parts).toBeGreaterThan(0);
  });
});

async function historyOfCounting(
  graph: ReturnType<typeof countingGraph>,
  threadId: string,
): Promise<unknown[]> {
  const history: unknown[] = [];
  for await (const { values } of graph.getStateHistory(configOf(threadId))) {
    history.push("messages" in values ? texts(values) : []);
  }
  return history;
}
