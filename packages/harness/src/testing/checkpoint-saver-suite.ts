/** What every checkpoint saver of ours must keep, beside LangGraph's own validation. A new driver is done when this passes. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  interrupt,
  MessagesAnnotation,
  messagesStateReducer,
  Send,
  StateGraph,
} from "@langchain/langgraph";
import { type CheckpointTuple, uuid6 } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InterningCheckpointSaver } from "../persistence/checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../persistence/checkpoint/sql-checkpoint-rows.js";
import type { SqlDatabase } from "../persistence/sql/contract.js";

const metadata = { source: "loop", step: 0, parents: {} } as const;
const checkpointOf = (id: string, values: Record<string, unknown>, versions: Record<string, number>) => ({
  v: 4,
  id,
  ts: "2026-01-01T00:00:00.000Z",
  channel_values: values,
  channel_versions: versions,
  versions_seen: {},
});
const human = (id: string, content = id) => new HumanMessage({ id, content });
const configOf = (thread_id: string) => ({ configurable: { thread_id, checkpoint_ns: "" } });
const messagesOf = (tuple: CheckpointTuple | undefined) =>
  tuple?.checkpoint.channel_values["messages"] as BaseMessage[];
const textsOf = (tuple: CheckpointTuple | undefined) => messagesOf(tuple).map(({ text }) => text);

/** @param open - a new, empty database of the newest schema, for each test */
export function checkpointSaverSuite(name: string, open: () => Promise<SqlDatabase>): void {
  describe(`${name} keeps the contract of checkpoint savers`, () => {
    let database: SqlDatabase;
    let saver: InterningCheckpointSaver;
    const saverOf = (scope: string) =>
      new InterningCheckpointSaver(sqlCheckpointDatabase(database), { scope });
    /** A saver that remembers nothing. */
    const reopened = () => saverOf("local");
    const all = (sql: string) => database.read((session) => session.all(sql));
    const count = async (table: string) =>
      Number((await all(`SELECT count(*) AS n FROM ${table}`))[0]?.["n"]);

    beforeEach(async () => {
      database = await open();
      saver = reopened();
    });
    afterEach(async () => {
      await saver.settled();
      await database.close();
    });

    /** Writes one checkpoint after `parent` and returns its config. */
    const put = (
      parent: Parameters<InterningCheckpointSaver["put"]>[0],
      messages: BaseMessage[],
      version: number,
    ) =>
      saver.put(parent, checkpointOf(uuid6(version), { messages }, { messages: version }), metadata, {
        messages: version,
      });

    it("stores each message once, however many checkpoints, writes and Sends hold it", async () => {
      const messages: BaseMessage[] = [];
      let config: Parameters<typeof put>[0] = configOf("t");
      for (let step = 1; step <= 10; step += 1) {
        messages.push(human(`m${step}`));
        config = await put(config, [...messages], step);
        await saver.putWrites(
          config,
          [["__pregel_tasks", new Send("tools", { messages: [...messages] })]],
          `task${step}`,
        );
      }
      expect(await count("checkpoint_messages")).toBe(10);
      const tuple = await reopened().getTuple(config);
      expect(textsOf(tuple)).toEqual(messages.map(({ text }) => text));
      expect(tuple?.pendingWrites).toEqual([
        ["task10", "__pregel_tasks", { node: "tools", args: { messages } }],
      ]);
    });

    it("stores a message read from the database and one of equal content once", async () => {
      await put(configOf("t"), [human("a")], 1);
      const tuple = await reopened().getTuple(configOf("t"));
      await put(tuple?.config ?? {}, [...messagesOf(tuple), human("b")], 2);
      await put(configOf("t"), [human("a"), human("b")], 3);
      expect(await count("checkpoint_messages")).toBe(2);
    });

    it("stores a message again when an id was stamped on it", async () => {
      const message = new HumanMessage("hello");
      const config = await put(configOf("t"), [message], 1);
      message.id = "stamped";
      await put(config, [message], 2);
      expect(messagesOf(await reopened().getTuple(configOf("t")))[0]?.id).toBe("stamped");
      expect(messagesOf(await reopened().getTuple(config))[0]?.id).toBeUndefined();
    });

    it("shares the decoded messages between the entries of a history", async () => {
      const [a, b] = [human("a"), human("b")];
      await put(await put(configOf("t"), [a], 1), [a, b], 2);
      const history: CheckpointTuple[] = [];
      for await (const tuple of reopened().list(configOf("t"))) history.push(tuple);
      expect(history.map(textsOf)).toEqual([["a", "b"], ["a"]]);
      expect(messagesOf(history[0])[0]).toBe(messagesOf(history[1])[0]);
    });

    it("keeps the range of a conversation whole when parallel results finish out of order", async () => {
      const calls = ["c1", "c2", "c3"].map((id) => ({
        id,
        name: "look",
        args: {},
        type: "tool_call" as const,
      }));
      const ask = new AIMessage({ id: "ai", content: "", tool_calls: calls });
      const config = await put(configOf("t"), [human("q"), ask], 1);
      const results = calls.map(
        ({ id }) => new ToolMessage({ id: `r-${id}`, content: id, tool_call_id: id }),
      );
      for (const result of [...results].reverse()) {
        await saver.putWrites(config, [["messages", [result]]], `task-${result.tool_call_id}`);
      }
      await put(config, [human("q"), ask, ...results, human("next")], 2);
      const newest = (await all("SELECT refs FROM checkpoint_values ORDER BY number DESC"))[0]?.["refs"];
      expect(newest).toBe("[1,6]");
    });

    it("lets two branches of one parent load their own messages, although their versions are equal", async () => {
      const parent = await put(configOf("t"), [human("q")], 1);
      const left = await put(parent, [human("q"), human("left")], 2);
      const right = await put(parent, [human("q"), human("right")], 2);
      const unchanged = { messages: 2, other: 1 };
      const childOf = async (config: typeof left) =>
        saver.put(config, checkpointOf(uuid6(9), { other: 1, messages: [] }, unchanged), metadata, {
          other: 1,
        });
      const [leftChild, rightChild] = [await childOf(left), await childOf(right)];
      const texts = async (config: typeof left) => textsOf(await reopened().getTuple(config));
      expect(await Promise.all([left, right, leftChild, rightChild].map(texts))).toEqual([
        ["q", "left"],
        ["q", "right"],
        ["q", "left"],
        ["q", "right"],
      ]);
    });

    it("keeps the first of two writes with one index, and the last of the special ones", async () => {
      const config = await put(configOf("t"), [], 1);
      for (const value of ["first", "second"]) {
        await saver.putWrites(
          config,
          [
            ["answer", value],
            ["__interrupt__", value],
          ],
          "task",
        );
      }
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([
        ["task", "__interrupt__", "second"],
        ["task", "answer", "first"],
      ]);
    });

    it("commits the calls of one turn together, and a failing one alone", async () => {
      const config = await put(configOf("t"), [], 1);
      const circular: { self?: unknown } = {};
      const calls = [1, 2, 3, 4].map((n) => saver.putWrites(config, [["c", n]], `task${n}`, `p${n}`));
      await Promise.all(calls);
      expect((await saver.getTuple(config))?.pendingWrites?.map(([, , value]) => value)).toEqual([
        1, 2, 3, 4,
      ]);

      const refused = saver.putWrites(config, [["c", 5]], undefined as never);
      const kept = saver.putWrites(config, [["c", circular]], "task6");
      await expect(refused).rejects.toThrow(/undefined cannot be stored/);
      await kept;
      expect((await saver.getTuple(config))?.pendingWrites).toHaveLength(5);
    });

    it("filters a history by top-level metadata of any kind, and never ignores a key", async () => {
      const add = (id: string, extra: object) =>
        saver.put(configOf("t"), checkpointOf(id, {}, {}), { ...metadata, ...extra }, {});
      await add("1", { team: "north", tags: ["x"], flag: true });
      await add("2", { team: "south", none: null });
      const ids = async (filter: Record<string, unknown>) => {
        const found: string[] = [];
        for await (const { checkpoint } of saver.list(configOf("t"), { filter })) found.push(checkpoint.id);
        return found;
      };
      expect(await ids({ team: "north" })).toEqual(["1"]);
      expect(await ids({ team: "nosuch" })).toEqual([]);
      expect(await ids({ tags: ["x"], flag: true })).toEqual(["1"]);
      expect(await ids({ none: null })).toEqual(["2"]);
      expect(await ids({ "team' OR 1=1 --": "x" })).toEqual([]);
      expect(await ids({ toString: Object.prototype.toString })).toEqual([]);
    });

    it("pages through a long history with every limit, filter and cursor", async () => {
      let config: Parameters<typeof put>[0] = configOf("t");
      for (let step = 1; step <= 120; step += 1) {
        const checkpoint = checkpointOf(String(step).padStart(4, "0"), {}, {});
        config = await saver.put(config, checkpoint, { ...metadata, step }, {});
      }
      const ids = async (options: Parameters<typeof saver.list>[1]) => {
        const found: number[] = [];
        for await (const { checkpoint } of saver.list(configOf("t"), options))
          found.push(Number(checkpoint.id));
        return found;
      };
      expect(await ids({})).toEqual(Array.from({ length: 120 }, (_, index) => 120 - index));
      expect(await ids({ limit: 60 })).toHaveLength(60);
      expect(await ids({ filter: { step: 3 }, limit: 1 })).toEqual([3]);
      expect(await ids({ limit: 2, before: { configurable: { checkpoint_id: "0010" } } })).toEqual([9, 8]);
    });

    it("deletes a thread with all that belongs to it, and nothing of another thread or scope", async () => {
      const other = saverOf("other");
      for (const owner of [saver, other]) {
        for (const thread of ["gone", "kept"]) {
          const checkpoint = checkpointOf(uuid6(1), { messages: [human("a")] }, { messages: 1 });
          const config = await owner.put(configOf(thread), checkpoint, metadata, { messages: 1 });
          await owner.putWrites(config, [["messages", [human("b")]]], "task");
        }
      }
      await saver.deleteThread("gone");
      expect(await saver.getTuple(configOf("gone"))).toBeUndefined();
      expect(textsOf(await saver.getTuple(configOf("kept")))).toEqual(["a"]);
      expect(textsOf(await other.getTuple(configOf("gone")))).toEqual(["a"]);
      for (const table of ["checkpoints", "checkpoint_values", "checkpoint_writes"])
        expect(await count(table)).toBe(3);
      expect(await count("checkpoint_messages")).toBe(6);
    });

    it("starts a deleted thread afresh, with the message objects it knew before", async () => {
      const message = human("a");
      await put(configOf("t"), [message], 1);
      await saver.deleteThread("t");
      await put(configOf("t"), [message], 1);
      expect(textsOf(await reopened().getTuple(configOf("t")))).toEqual(["a"]);
    });

    it("hides threads of another scope, also from a list without a thread", async () => {
      await put(configOf("t"), [human("a")], 1);
      const other = saverOf("other");
      expect(await other.getTuple(configOf("t"))).toBeUndefined();
      for await (const _ of other.list({})) throw new Error("a foreign checkpoint was listed");
      await other.deleteThread("t");
      expect(await saver.getTuple(configOf("t"))).toBeDefined();
    });

    it("tells threads, namespaces and tasks apart by every character", async () => {
      const names = ["a", "A", "a ", "\u00e4", "a\u0308", "\ud83e\udd8c"];
      for (const name of names) {
        const checkpoint = checkpointOf(uuid6(1), { name }, { name: 1 });
        const config = { configurable: { thread_id: name, checkpoint_ns: `${name}|ns` } };
        const stored = await saver.put(config, checkpoint, metadata, { name: 1 });
        for (const task of names) await saver.putWrites(stored, [["c", task]], task);
      }
      for (const name of names) {
        const found = await reopened().getTuple({
          configurable: { thread_id: name, checkpoint_ns: `${name}|ns` },
        });
        expect(found?.checkpoint.channel_values).toEqual({ name });
        expect(found?.config.configurable).toMatchObject({ thread_id: name, checkpoint_ns: `${name}|ns` });
        expect(found?.pendingWrites?.map(([task]) => task).toSorted()).toEqual(names.toSorted());
      }
    });

    it.each([undefined, "", null, {}, true])("refuses %j as a thread id", async (thread_id) => {
      await expect(put({ configurable: { thread_id } }, [], 1)).rejects.toMatchObject({
        code: "invalid_request",
      });
    });

    it("loads parallel results in the order of their calls, 10 threads of 10", async () => {
      const State = Annotation.Root({
        messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
      });
      const calls = [0, 1, 2, 3, 4].map((n) => ({
        id: `c${n}`,
        name: "look",
        args: { n },
        type: "tool_call" as const,
      }));
      const graph = new StateGraph(State)
        .addNode("model", () => ({ messages: [new AIMessage({ id: "ai", content: "", tool_calls: calls })] }))
        .addNode("tool", async (call: { id?: string; args?: { n: number } }) => {
          // The later the call, the sooner it is done.
          for (let turn = 0; turn < 5 - (call.args?.n ?? 0); turn += 1) await new Promise(setImmediate);
          const { id = "" } = call;
          return { messages: [new ToolMessage({ id: `r-${id}`, content: id, tool_call_id: id })] };
        })
        .addEdge("__start__", "model")
        .addConditionalEdges("model", () => calls.map((call) => new Send("tool", call)))
        .compile({ checkpointer: saver });
      for (let thread = 0; thread < 10; thread += 1) {
        const config = { configurable: { thread_id: `t${thread}` } };
        const live = await graph.invoke({ messages: [human("q")] }, config);
        const expected = live.messages.map(({ id }) => id);
        expect(expected).toEqual(["q", "ai", "r-c0", "r-c1", "r-c2", "r-c3", "r-c4"]);
        const [last] = await collect(reopened().list(configOf(`t${thread}`)));
        expect(messagesOf(last).map(({ id }) => id)).toEqual(expected);
        // What a resumed step would apply: the stored writes of the parallel tasks.
        const [, before] = await collect(reopened().list(configOf(`t${thread}`)));
        const written = before?.pendingWrites?.filter(([, channel]) => channel === "messages") ?? [];
        expect(written.flatMap(([, , value]) => value as BaseMessage[]).map(({ id }) => id)).toEqual(
          expected.slice(2),
        );
      }
    });

    it("resumes an interrupted graph after a restart, without running finished work again", async () => {
      const ran: string[] = [];
      const graphOf = (checkpointer: InterningCheckpointSaver) =>
        new StateGraph(MessagesAnnotation)
          .addNode("quick", () => {
            ran.push("quick");
            return { messages: [human("quick")] };
          })
          .addNode("ask", () => ({ messages: [human(`told ${interrupt("well?")}`)] }))
          .addEdge("__start__", "quick")
          .addEdge("__start__", "ask")
          .compile({ checkpointer });
      const config = { configurable: { thread_id: "t" } };
      await graphOf(saver).invoke({ messages: [human("q")] }, config);
      const later = graphOf(reopened());
      expect((await later.getState(config)).tasks.flatMap(({ interrupts }) => interrupts)).toMatchObject([
        { value: "well?" },
      ]);
      const { messages } = await later.invoke(new Command({ resume: "yes" }), config);
      expect(messages.map(({ id }) => id)).toEqual(["q", "told yes", "quick"]);
      expect(ran).toEqual(["quick"]);
    });

    it("forks a checkpoint by copying, and goes on from the copy", async () => {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("answer", ({ messages }) => ({
          messages: [new AIMessage({ id: `a${messages.length}`, content: "ok" })],
        }))
        .addEdge("__start__", "answer")
        .compile({ checkpointer: saver });
      const config = { configurable: { thread_id: "t" } };
      await graph.invoke({ messages: [human("q1")] }, config);
      const first = await graph.getState(config);
      await graph.invoke({ messages: [human("q2")] }, config);
      const copy = await graph.updateState(first.config, null, "__copy__");
      const ids = async (at: typeof copy) =>
        (await graph.getState(at)).values.messages.map(({ id }: BaseMessage) => id);
      expect(await ids(copy)).toEqual(["q1", "a1"]);
      await graph.invoke({ messages: [human("q3")] }, copy);
      expect(await ids(config)).toEqual(["q1", "a1", "q3", "a3"]);
    });
  });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
