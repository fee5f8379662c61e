import { setImmediate as nextTurn } from "node:timers/promises";
import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import {
  Annotation,
  type BaseCheckpointSaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { scaled } from "../../testing/test-scale.js";
import { testDatabases } from "../../testing/test-databases.js";
import { InterningCheckpointSaver } from "../checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import type { SqlDatabase } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";
import { copyThread } from "./copy-thread.js";
import { pruneThread } from "./prune-thread.js";
import { verifyThread } from "./verify-thread.js";

const configOf = (threadId: string) => ({ configurable: { thread_id: threadId } });

/** The same for everybody, so that it is removed and stored again all the time. */
const IMAGE = {
  type: "image_url",
  image_url: { url: `data:image/png;base64,${Buffer.alloc(3_000, "p").toString("base64")}` },
};

/** Each round replaces what the round before said, so that everything becomes garbage soon. */
const roundsGraph = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(
    Annotation.Root({
      ...MessagesAnnotation.spec,
      round: Annotation<number>(),
      constant: Annotation<string>(),
      log: Annotation<readonly number[]>({
        reducer: (before, more) => [...before, ...more],
        default: () => [],
      }),
      files: Annotation<Record<string, string>>({
        reducer: (before, more) => ({ ...before, ...more }),
        default: () => ({}),
      }),
    }),
  )
    .addNode("say", ({ messages, round, log }) => ({
      messages: [
        ...messages.slice(0, -3).flatMap(({ id }) => (id === undefined ? [] : [new RemoveMessage({ id })])),
        new AIMessage(`round ${round} step ${log.length}`),
        new HumanMessage({ content: [{ type: "text", text: `look ${round}` }, IMAGE] }),
      ],
      log: [log.length],
      files: { [`f${log.length % 5}`]: "x".repeat(1_000) + round },
    }))
    .addNode("check", () => ({ messages: [new AIMessage("checked")] }))
    .addEdge(START, "say")
    .addEdge("say", "check")
    .compile({ checkpointer });

const databases = (await testDatabases()).filter(({ backend }) => backend !== "memory");

describe.each(databases)("pruning on $name while runs write", ({ open, drop }) => {
  const opened: SqlDatabase[] = [];
  const openSaver = async (location: DatabaseLocation) => {
    const database = await openDatabase(location);
    opened.push(database);
    return new InterningCheckpointSaver(sqlCheckpointDatabase(database), { scope: "local" });
  };
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
    await drop();
  });

  it("loses nothing, on two connections", async () => {
    const location = await open();
    const [writer, other, pruner] = [
      await openSaver(location),
      await openSaver(location),
      await openSaver(location),
    ];
    const rounds = scaled(500, 12);
    const threadIds = ["a", "b"];
    const over = new AbortController();
    // The same thread is written from two savers in turn: each must notice what the others removed.
    const runs = threadIds.map(async (threadId) => {
      for (let round = 0; round < rounds; round += 1) {
        const graph = roundsGraph(round % 2 === 0 ? writer : other);
        const first = round === 0 ? { constant: "c".repeat(20_000) } : {};
        const values = await graph.invoke({ round, ...first }, configOf(threadId));
        expect(values.log).toEqual(Array.from({ length: round + 1 }, (_, index) => index));
        expect(values.constant).toBe("c".repeat(20_000));
      }
    });
    let removed = 0;
    const prune = async (): Promise<void> => {
      while (!over.signal.aborted) {
        // SQLite answers at once: this loop alone would keep the writers from their turns.
        await nextTurn();
        for (const threadId of threadIds) {
          removed += (await pruneThread(pruner, threadId, { keepLast: 1 })).removed.checkpoints;
          const tuple = await pruner.getTuple(configOf(threadId));
          if (tuple !== undefined) expect(tuple.checkpoint.channel_versions).toBeDefined();
          // Not every moment: a thread of which nothing is left to check would be looked at most of the time.
          if (removed % 5 === 0) expect((await verifyThread(pruner, threadId)).findings).toEqual([]);
        }
      }
    };
    const pruning = prune();
    await Promise.all(runs).finally(() => {
      over.abort();
    });
    await pruning;
    expect(removed).toBeGreaterThan(rounds);
    for (const threadId of threadIds) {
      await pruneThread(pruner, threadId, { keepLast: 1 });
      const report = await verifyThread(pruner, threadId);
      expect(report).toMatchObject({
        findings: [],
        rows: { checkpoints: 1, parts: 1 },
        orphans: { values: 0, messages: 0, parts: 0, writes: 0 },
      });
      const { values } = await roundsGraph(other).getState(configOf(threadId));
      expect(values.log).toHaveLength(rounds);
    }
  }, 600_000);

  it("copies a whole thread or none of it", async () => {
    const [location, elsewhere] = [await open(), await open()];
    const [writer, pruner, target] = [
      await openSaver(location),
      await openSaver(location),
      await openSaver(elsewhere),
    ];
    const graph = roundsGraph(writer);
    const rounds = scaled(100, 6);
    await graph.invoke({ round: 0, constant: "c" }, configOf("a"));
    const over = new AbortController();
    const copying = (async () => {
      let copies = 0;
      for (; !over.signal.aborted; copies += 1) {
        const place = copies % 2 === 0 ? { target } : {};
        await copyThread(pruner, "a", `copy-${copies}`, place);
        const saver = place.target ?? pruner;
        expect((await verifyThread(saver, `copy-${copies}`)).findings).toEqual([]);
      }
      return copies;
    })();
    for (let round = 1; round < rounds; round += 1) {
      await graph.invoke({ round }, configOf("a"));
      await pruneThread(writer, "a", { keepLast: 2 });
    }
    over.abort();
    expect(await copying).toBeGreaterThan(0);
  }, 600_000);
});
