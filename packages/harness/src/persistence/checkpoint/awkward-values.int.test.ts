import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { afterAll, describe, expect, it } from "vitest";
import { testDatabases } from "../../testing/test-databases.js";
import { openDatabase } from "../sql/open-database.js";
import { pruneThread } from "../upkeep/prune-thread.js";
import type { CheckpointDatabase, CheckpointRows } from "./checkpoint-rows.js";
import { DatabaseCheckpointSaver } from "./database-checkpoint-saver.js";
import { InterningCheckpointSaver } from "./interning-checkpoint-saver.js";

const at = (thread: string, id?: string, ns = "") => ({
  configurable: { thread_id: thread, checkpoint_ns: ns, ...(id === undefined ? {} : { checkpoint_id: id }) },
});
interface PutOptions {
  parent?: string;
  versions?: Record<string, number>;
  newVersions?: Record<string, number>;
}
function put(
  saver: Pick<InterningCheckpointSaver, "put">,
  [thread, id]: readonly [thread: string, id: string],
  values: Record<string, unknown>,
  { parent, versions, newVersions }: PutOptions = {},
) {
  const channel_versions = versions ?? Object.fromEntries(Object.keys(values).map((key) => [key, 1]));
  const checkpoint = {
    v: 4,
    id,
    ts: "2026-01-01T00:00:00Z",
    channel_values: values,
    channel_versions,
    versions_seen: {},
  };
  const metadata = { source: "loop", step: 1, parents: {} } as const;
  return saver.put(at(thread, parent), checkpoint, metadata, newVersions ?? channel_versions);
}
const valuesOf = async (saver: InterningCheckpointSaver, thread: string, id?: string) =>
  (await saver.getTuple(at(thread, id)))?.checkpoint.channel_values;
const contents = (messages: unknown) => (messages as BaseMessage[]).map(({ content }) => content);

describe.each(await testDatabases())("$name", ({ name, open, drop }) => {
  const savers: DatabaseCheckpointSaver[] = [];
  const fresh = async () => {
    const location = await open();
    const saver = new DatabaseCheckpointSaver(
      { name, open: () => openDatabase(location) },
      { scope: "local" },
    );
    await saver.setup();
    savers.push(saver);
    return saver;
  };
  afterAll(async () => {
    for (const saver of savers) await saver.close();
    await drop();
  });

  it("keeps every result of a tool call after a commit whose answer was lost", async () => {
    const saver = await fresh();
    const inner = saver.storage.database;
    let answerIsLost = false;
    const database: CheckpointDatabase = {
      name: inner.name,
      read: (work) => inner.read(work),
      size: () => inner.size(),
      compact: () => inner.compact(),
      // What `retrying` does after a connection that broke during COMMIT, which the server had done.
      async write(work) {
        if (answerIsLost) {
          answerIsLost = false;
          await inner.write(work);
        }
        return inner.write(work);
      },
    };
    const retried = new InterningCheckpointSaver(database, { scope: "local" });
    const asked = [
      new HumanMessage({ id: "h", content: "question" }),
      new AIMessage({ id: "a", content: "", tool_calls: [{ id: "call", name: "tool", args: {} }] }),
    ];
    const answered = (id: string, content: string) => ({
      messages: [...asked, new ToolMessage({ id, tool_call_id: "call", content })],
    });
    await put(retried, ["thread", "1"], { messages: asked });
    answerIsLost = true;
    await put(retried, ["thread", "2"], answered("r1", "first"), { parent: "1", versions: { messages: 2 } });
    // Time travel to 1, and the tool answers something else.
    await put(retried, ["thread", "3"], answered("r2", "second"), { parent: "1", versions: { messages: 2 } });
    expect(contents((await valuesOf(saver, "thread", "3"))?.["messages"]).at(-1)).toBe("second");
  });

  it("never stores a thread's checkpoint in another thread of its group", async () => {
    const saver = await fresh();
    // Any id that does not come back as it was given shifts those after it; so does one that is deleted meanwhile.
    const odd = "\ud801z";
    await Promise.allSettled([
      put(saver, [odd, "1"], { x: "of the odd one" }),
      put(saver, ["\ue000", "1"], { x: "mine" }),
    ]);
    expect(await valuesOf(saver, "\ue000")).toEqual({ x: "mine" });
  });
  it("never acknowledges a checkpoint that it did not store", async () => {
    const saver = await fresh();
    const stored = await put(saver, ["\ud800", "1"], { x: "lost" }).then(
      () => true,
      () => false,
    );
    expect(stored).toBe(false);
    await expect(valuesOf(saver, "\ud800")).rejects.toMatchObject({ code: "invalid_request" });
  });
  it("keeps threads apart whose ids differ after a zero character only", async () => {
    const saver = await fresh();
    await put(saver, ["a", "1"], { x: "A1" });
    await Promise.allSettled([put(saver, ["a\0b", "2"], { x: "N2" }), put(saver, ["a", "2"], { x: "A2" })]);
    await Promise.allSettled([put(saver, ["a\0b", "3"], { x: "N3" }), put(saver, ["a", "3"], { x: "A3" })]);
    expect(await valuesOf(saver, "a")).toEqual({ x: "A3" });
  });

  it("copies a checkpoint whose parent was pruned with its own values", async () => {
    const State = Annotation.Root({
      x: Annotation<string>({ reducer: (_, next) => next, default: () => "" }),
    });
    const saver = await fresh();
    const graph = new StateGraph(State)
      .addNode("n", async ({ x }) => ({ x: `${x}!` }))
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "thread" } };
    await graph.invoke({ x: "the first of two long values" }, config);
    const history = [];
    for await (const state of graph.getStateHistory(config)) history.push(state);
    const [end, before] = history;
    await graph.updateState(before!.config, { x: "the value of another branch" }, "n");
    await pruneThread(saver, "thread", { keepLast: 2, keepForkBases: false });
    const copy = await graph.updateState(end!.config, null, "__copy__");
    expect((await graph.getState(copy)).values).toEqual(end!.values);
  });
  it("looks for versions without reading every channel of every checkpoint again for each channel", async () => {
    const saver = await fresh();
    const values = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`c${index}`, `a longer value ${index}`]),
    );
    const versions = (version: number) =>
      Object.fromEntries(Object.keys(values).map((key) => [key, version]));
    for (const id of ["1", "2", "3"])
      await put(saver, ["thread", id], values, { versions: versions(Number(id)) });
    const inner = saver.storage.database;
    let readings = 0;
    const counted = (rows: CheckpointRows) =>
      new Proxy(rows, {
        get(target, key) {
          if (key === "recentCheckpoints") readings += 1;
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    const database = {
      ...inner,
      write: <T>(work: (rows: CheckpointRows) => Promise<T>) => inner.write((rows) => work(counted(rows))),
    };
    const counting = new InterningCheckpointSaver(database, { scope: "local" });
    await put(counting, ["thread", "4"], values, { versions: versions(9), newVersions: {} });
    expect(readings).toBe(1);
  });

  it("reads media whose type is given as empty text", async () => {
    const saver = await fresh();
    const data = Buffer.alloc(3000, 7).toString("base64");
    await put(saver, ["thread", "1"], {
      m: [new HumanMessage({ id: "h", content: [{ type: "image", data, mime_type: "" }] })],
    });
    expect(contents((await valuesOf(saver, "thread"))?.["m"])).toEqual([
      [{ type: "image", data, mime_type: "" }],
    ]);
  });
  it("stores media whatever its type says", async () => {
    const saver = await fresh();
    const data = Buffer.alloc(3000, 7).toString("base64");
    for (const mime_type of ["a\0b", "x".repeat(2000)]) {
      const content = [{ type: "image", data, mime_type }];
      await put(saver, [`thread ${mime_type.length}`, "1"], { m: [new HumanMessage({ id: "h", content })] });
    }
  });

  it("reads a large record with a function in it, as MemorySaver does", async () => {
    const saver = await fresh();
    const long = "y".repeat(3000);
    await put(saver, ["thread", "1"], { files: { a: long, b: long, run: () => 1 } });
    expect(await valuesOf(saver, "thread")).toEqual({ files: { a: long, b: long } });
  });
  it("stores a checkpoint one of whose channels holds a function, as MemorySaver does", async () => {
    const saver = await fresh();
    await put(saver, ["thread", "1"], { x: "kept", run: () => 1 });
    expect(await valuesOf(saver, "thread")).toEqual({ x: "kept" });
  });
  it("reads a thread after a task wrote a function", async () => {
    const saver = await fresh();
    await put(saver, ["thread", "1"], { x: 1 });
    await saver.putWrites(at("thread", "1"), [["x", () => 1]], "task").catch(() => undefined);
    expect(await valuesOf(saver, "thread")).toEqual({ x: 1 });
  });

  it("is settled when what was put before is stored, and closes after it", async () => {
    const location = await open();
    const place = { name, open: () => openDatabase(location) };
    const saver = new DatabaseCheckpointSaver(place, { scope: "local" });
    await saver.setup();
    const writing = put(saver, ["thread", "1"], { x: "z".repeat(1_000_000) });
    await saver.settled();
    expect(await valuesOf(saver, "thread")).toBeDefined();
    await writing;
    const last = put(saver, ["thread", "2"], { x: "y".repeat(1_000_000) });
    await saver.close();
    await expect(last).resolves.toBeDefined();
  });

  it("refuses what would not be read as it was", async () => {
    const saver = await fresh();
    await expect(put(saver, ["thread", "1"], { x: { count: 1n } })).rejects.toMatchObject({
      code: "database_value_invalid",
    });
    await put(saver, ["thread", "2"], { x: "kept" });
    expect(await valuesOf(saver, "thread")).toEqual({ x: "kept" });
  });
  it("reads data that looks like a serialized object as data", async () => {
    const saver = await fresh();
    const x = {
      unknown: { lc: 1, type: "constructor", id: ["foo"], kwargs: {} },
      known: { lc: 2, type: "constructor", id: ["Set"], args: [[1, 2]] },
      listed: [{ lc: 1, type: "not_implemented", id: ["langchain_core", "messages", "HumanMessage"] }],
    };
    await put(saver, ["thread", "1"], { x });
    expect(await valuesOf(saver, "thread")).toEqual({ x });
  });
  it("gives messages in maps, sets and objects of classes back", async () => {
    const saver = await fresh();
    const message = new HumanMessage({ id: "h", content: "q" });
    await put(saver, ["thread", "1"], {
      x: { map: new Map([["a", [message]]]), set: new Set([message, 1]) },
    });
    const x = (await valuesOf(saver, "thread"))?.["x"] as {
      map: Map<string, BaseMessage[]>;
      set: Set<unknown>;
    };
    expect(contents(x.map.get("a"))).toEqual(["q"]);
    expect([...x.set].map((item) => (item === 1 ? 1 : (item as BaseMessage).content))).toEqual(["q", 1]);
  });
  it("takes limits that are no whole numbers, and a namespace of null", async () => {
    const saver = await fresh();
    for (const id of ["1", "2", "3"]) await put(saver, ["thread", id], { x: 1 });
    const ids: string[] = [];
    for await (const { checkpoint } of saver.list(at("thread"), { limit: 1.5 })) ids.push(checkpoint.id);
    expect(ids).toEqual(["3", "2"]);
    const nothing = { configurable: { thread_id: "thread", checkpoint_ns: null } };
    expect((await saver.getTuple(nothing))?.checkpoint.id).toBe("3");
  });
  it("is of no use after it was closed, and says so", async () => {
    const saver = await fresh();
    await saver.close();
    await expect(put(saver, ["thread", "1"], { x: 1 })).rejects.toMatchObject({
      code: "database_unreachable",
    });
  });

  it.each(["constructor", "toString", "__proto__"])(
    "keeps writes to a channel called %s",
    async (channel) => {
      const saver = await fresh();
      await put(saver, ["thread", "1"], { x: 1 });
      await saver.putWrites(at("thread", "1"), [[channel, "value"]], "task");
      expect((await saver.getTuple(at("thread")))?.pendingWrites).toEqual([["task", channel, "value"]]);
    },
  );

  it("does not take an object of a class for a mark of its own", async () => {
    const saver = await fresh();
    class Holder {
      constructor(readonly payload: unknown) {}
    }
    const payload: unknown = JSON.parse('{"$deerflow":"messages","at":[0,2]}');
    await put(saver, ["thread", "1"], {
      x: { m: new HumanMessage({ id: "h", content: "q" }), held: new Holder(payload) },
    });
    expect(await valuesOf(saver, "thread")).toMatchObject({ x: { held: { payload } } });
  });

  it("keeps the order of a record's entries", async () => {
    const saver = await fresh();
    const [a, b, c] = ["a", "b", "c"].map((letter) => letter.repeat(3000));
    await put(saver, ["thread", "1"], { files: { a, b, c } });
    await put(saver, ["thread", "2"], { files: { b, c, a } }, { parent: "1", versions: { files: 2 } });
    expect(Object.keys((await valuesOf(saver, "thread"))?.["files"] as object)).toEqual(["b", "c", "a"]);
  });

  it("makes no thread for a write that is refused", async () => {
    const saver = await fresh();
    const checkpoint = { v: 4, id: "1", ts: "", channel_values: {}, channel_versions: {}, versions_seen: {} };
    const refused = saver.storeCheckpoint({
      config: at("ghost"),
      checkpoint,
      metadata: { source: "loop", step: 1, parents: {} },
      newVersions: {},
      fence: { threadId: "ghost", runId: "gone", epoch: 1 },
    });
    await expect(refused).rejects.toThrow();
    const threads = await saver.storage.database.read((rows) => rows.listThreads({ limit: 10 }));
    expect(threads).toEqual([]);
  });
});
