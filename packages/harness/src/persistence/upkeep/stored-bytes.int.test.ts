import { statSync } from "node:fs";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  type BaseCheckpointSaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { testDatabases } from "../../testing/test-databases.js";
import { DatabaseCheckpointSaver } from "../checkpoint/database-checkpoint-saver.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openDatabase } from "../sql/open-database.js";
import { compactDatabase } from "./compact-database.js";
import { pruneThread } from "./prune-thread.js";
import { threadStats } from "./thread-stats.js";
import { verifyThread } from "./verify-thread.js";

/** Text that cannot be made shorter, of about so many characters. */
const noise = (seed: number, length: number): string => {
  let state = seed + 1;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, length);
};

/** A constant of 200 KB, and a message of 1 KB a step. */
const steppingGraph = (checkpointer: BaseCheckpointSaver, steps: number) =>
  new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, constant: Annotation<string>() }))
    .addNode("step", ({ messages }) => ({ messages: [new AIMessage(noise(messages.length, 1000))] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages }) => (messages.length <= steps ? "step" : "__end__"))
    .compile({ checkpointer });

const configOf = (threadId: string, checkpointId?: string) => ({
  recursionLimit: 1000,
  configurable: {
    thread_id: threadId,
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
  },
});

const textsOf = ({ messages }: { messages: BaseMessage[] }): unknown[] =>
  messages.map(({ content }) => content);

const MEGABYTE = 1_000_000;

describe.each(await testDatabases())("what long threads take on $name", ({ backend, open, drop }) => {
  const savers: DatabaseCheckpointSaver[] = [];
  const openSaver = async () => {
    const location: DatabaseLocation = await open();
    const saver = new DatabaseCheckpointSaver(
      { name: "the test's", open: () => openDatabase(location) },
      { scope: "local" },
    );
    savers.push(saver);
    const diskBytes = () =>
      location.backend === "sqlite"
        ? [location.path, `${location.path}-wal`].reduce((sum, file) => sum + statSync(file).size, 0)
        : saver.storage.database.size();
    return { saver, diskBytes };
  };
  afterEach(async () => {
    for (const saver of savers.splice(0)) await saver.close();
    await drop();
  });

  it("is what changed in each step, and little when only the last checkpoints stay", async () => {
    const { saver, diskBytes } = await openSaver();
    const graph = steppingGraph(saver, 50);
    const input = { messages: [new HumanMessage("begin")], constant: noise(1, 200_000) };
    const values = await graph.invoke(input, configOf("t"));
    expect(values.messages).toHaveLength(51);
    const [stats] = await threadStats(saver, "t");
    expect(stats?.bytes.total).toBeLessThan(0.5 * MEGABYTE);
    // Servers take their space in larger pieces, and PostgreSQL shares its files with no other test.
    expect(await diskBytes()).toBeLessThan(3 * MEGABYTE);

    const ids: string[] = [];
    for await (const { config } of saver.list(configOf("t")))
      ids.push(config.configurable?.["checkpoint_id"]);
    expect(ids.length).toBeGreaterThan(50);
    await pruneThread(saver, "t", { keepLast: 5 });
    expect((await threadStats(saver, "t"))[0]?.rows.checkpoints).toBe(5);
    expect(await saver.getTuple(configOf("t", ids.at(-1)))).toBeUndefined();
    const more = await steppingGraph(saver, 60).invoke(
      { messages: [new HumanMessage("more")] },
      configOf("t"),
    );
    expect(textsOf(more).slice(0, 51)).toEqual(textsOf(values));
    expect(more.constant).toBe(input.constant);
    expect((await verifyThread(saver, "t")).findings).toEqual([]);
  });

  it("is given back when threads are deleted: what is left is as large as if it had been alone", async () => {
    const many = await openSaver();
    const alone = await openSaver();
    const run = (saver: BaseCheckpointSaver, thread: number) =>
      steppingGraph(saver, 20).invoke(
        { messages: [new HumanMessage("begin")], constant: noise(thread, 200_000) },
        configOf(`t${thread}`),
      );
    for (let thread = 0; thread < 10; thread += 1) await run(many.saver, thread);
    await run(alone.saver, 9);
    for (let thread = 0; thread < 9; thread += 1) await many.saver.deleteThread(`t${thread}`);
    const { before, after } = await compactDatabase(many.saver);
    await compactDatabase(alone.saver);
    expect(after).toBeLessThanOrEqual(1.5 * (await alone.saver.storage.database.size()));
    if (backend === "sqlite") expect(after).toBeLessThan(before / 3);
    // Only the thread that is left has rows of any kind.
    const listed = await many.saver.storage.database.read((rows) => rows.listThreads({ limit: 100 }));
    expect(listed.map(({ threadId }) => threadId)).toEqual(["t9"]);
    await many.saver.storage.database.read(async (rows) => {
      for (let key = 1; key <= 10; key += 1) {
        if (key === listed[0]?.key) continue;
        const sizes = Object.values(await rows.sizes(key));
        expect(sizes.map((table) => table.rows)).toEqual([0, 0, 0, 0, 0]);
      }
    });
    expect((await verifyThread(many.saver, "t9")).findings).toEqual([]);
  });
});
