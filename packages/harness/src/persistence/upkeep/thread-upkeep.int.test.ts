import { afterEach, describe, expect, it } from "vitest";
import { answer, conversingGraph, converse, historyOf, say } from "../../testing/conversing-graph.js";
import { testDatabases } from "../../testing/test-databases.js";
import type { CheckpointRows } from "../checkpoint/checkpoint-rows.js";
import { InterningCheckpointSaver } from "../checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import type { SqlDatabase } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";
import { compactDatabase } from "./compact-database.js";
import { copyThread } from "./copy-thread.js";
import { pruneThread } from "./prune-thread.js";
import { threadStats } from "./thread-stats.js";
import { verifyThread } from "./verify-thread.js";

const configOf = (threadId: string, checkpointId?: string) => ({
  configurable: {
    thread_id: threadId,
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
  },
});

/** A history without the name of its thread. */
const nameless = (history: readonly unknown[], threadId: string): unknown[] =>
  history.map((state) => JSON.parse(JSON.stringify(state).replaceAll(JSON.stringify(threadId), '"?"')));

describe.each(await testDatabases())("upkeep on $name", ({ open, drop }) => {
  const databases: SqlDatabase[] = [];
  const openSaver = async (scope = "local") => {
    const database = await openDatabase(await open());
    databases.push(database);
    const saver = new InterningCheckpointSaver(sqlCheckpointDatabase(database), { scope });
    return { database, saver, graph: conversingGraph(saver) };
  };
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
    await drop();
  });

  describe("copying a thread", () => {
    it("copies its whole past, and both go on by themselves", async () => {
      const { saver, graph } = await openSaver();
      await converse(graph, "a");
      const [before] = await threadStats(saver, "a");
      const report = await copyThread(saver, "a", "b");
      expect(report).toEqual(before?.rows);
      expect(nameless(await historyOf(graph, "b"), "b")).toEqual(nameless(await historyOf(graph, "a"), "a"));
      const whole = await historyOf(graph, "a");
      await answer(graph, "b", "yes");
      await say(graph, "b", "delegate it");
      expect(await historyOf(graph, "a")).toEqual(whole);
      await answer(graph, "a", "no");
      for (const threadId of ["a", "b"]) expect((await verifyThread(saver, threadId)).findings).toEqual([]);
      expect((await threadStats(saver, "b"))[0]?.rows.parts).toBe(before?.rows.parts);
    });

    it("copies the way to one checkpoint and no more", async () => {
      const { saver, graph } = await openSaver();
      await say(graph, "a", "delegate it");
      const early = await graph.getState(configOf("a"));
      const past = await historyOf(graph, "a");
      await say(graph, "a", "look at this");
      await graph.updateState(early.config, { title: "another branch" }, "assistant");
      const report = await copyThread(saver, "a", "b", {
        checkpointId: early.config.configurable?.["checkpoint_id"],
      });
      expect(report.parts).toBe(0);
      expect(nameless(await historyOf(graph, "b"), "b")).toEqual(nameless(past, "a"));
      expect(await verifyThread(saver, "b")).toMatchObject({
        findings: [],
        orphans: { values: 0, messages: 0, parts: 0, writes: 0 },
      });
      await say(graph, "b", "look at this");
      expect((await verifyThread(saver, "b")).findings).toEqual([]);
    });

    it("copies into another database and another scope", async () => {
      const from = await openSaver();
      const to = await openSaver("other");
      await converse(from.graph, "a");
      await copyThread(from.saver, "a", "a", { target: to.saver });
      expect(await historyOf(to.graph, "a")).toEqual(await historyOf(from.graph, "a"));
      expect((await verifyThread(to.saver, "a")).findings).toEqual([]);
      await answer(to.graph, "a", "yes");
    });

    it("refuses a target that is there, and a source or checkpoint that is not", async () => {
      const { saver, graph } = await openSaver();
      await say(graph, "a", "hello");
      await say(graph, "b", "hello");
      const before = await historyOf(graph, "b");
      const refused = (to: string, from = "a", checkpointId?: string) =>
        expect(copyThread(saver, from, to, { checkpointId })).rejects;
      await refused("b").toMatchObject({ code: "thread_exists" });
      await refused("a").toMatchObject({ code: "thread_exists" });
      await refused("c", "none").toMatchObject({ code: "thread_missing" });
      await refused("c", "a", "1f1d0000-0000-6000-8000-000000000000").toMatchObject({
        code: "checkpoint_not_found",
      });
      expect(await historyOf(graph, "b")).toEqual(before);
      expect((await threadStats(saver)).map(({ threadId }) => threadId)).toEqual(["a", "b"]);
    });
  });

  it("counts what each thread takes, and names what is large", async () => {
    const { saver, graph } = await openSaver();
    await say(graph, "a", "hello");
    await say(graph, "b", "look at this");
    const [hello, look] = await threadStats(saver);
    expect(hello).toMatchObject({ threadId: "a", rows: { messages: 3, parts: 0 } });
    expect(look).toMatchObject({ threadId: "b", rows: { parts: 1 } });
    const sizes = (look?.largest ?? []).map(({ bytes }) => bytes);
    expect(sizes).toHaveLength(10);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(look?.largest).toContainEqual(expect.objectContaining({ kind: "value", of: "files" }));
    expect(look?.channels.map(({ channel }) => channel)).toContain("files");
    const { total, ...kinds } = look?.bytes ?? { total: 0 };
    expect(Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
    expect(look?.oldest).toBeLessThanOrEqual(look?.newest ?? 0);
    expect(await threadStats(saver, "b")).toEqual([look]);
    expect(await threadStats(saver, "none")).toEqual([]);
  });

  it("gives the space of removed threads back to the disk", async () => {
    const { saver, graph } = await openSaver();
    for (const threadId of ["a", "b", "c"]) await converse(graph, threadId);
    for (const threadId of ["a", "b"]) await saver.deleteThread(threadId);
    const { before, after } = await compactDatabase(saver);
    expect(before).toBeGreaterThan(0);
    expect(after).toBeLessThanOrEqual(before);
    expect((await verifyThread(saver, "c")).findings).toEqual([]);
  });

  describe("verifying a thread", () => {
    it("finds nothing in a sound one, and nothing at all where there is none", async () => {
      const { saver, graph } = await openSaver();
      await converse(graph, "a");
      const [stats] = await threadStats(saver, "a");
      const report = await verifyThread(saver, "a");
      expect(report).toMatchObject({ exists: true, findings: [], rows: stats?.rows });
      expect(await verifyThread(saver, "none")).toMatchObject({ exists: false, findings: [] });
    });

    /** What somebody does to a table, by hand, and what is said of it. */
    const damages: readonly [string, (rows: CheckpointRows, key: number) => Promise<void>, string, RegExp][] =
      [
        [
          "a message that is gone",
          (rows, key) => rows.removeNumbered("messages", key, [1, 1]),
          "missing",
          /^value/,
        ],
        [
          "an image that is gone",
          (rows, key) => rows.removeNumbered("parts", key, [1, 1]),
          "missing",
          /^message/,
        ],
        [
          "a value that is gone",
          (rows, key) => rows.removeNumbered("values", key, [1, 1]),
          "missing",
          /^checkpoint/,
        ],
        [
          "counters that were set back",
          (rows, key) => rows.setCounters(key, { nextMessage: 1, nextValue: 1, nextPart: 1, generation: 0 }),
          "counter",
          /^the thread/,
        ],
      ];
    it.each(damages)("finds %s", async (_, damage, kind, row) => {
      const { saver, graph } = await openSaver();
      await say(graph, "a", "look at this");
      await saver.storage.database.write(async (rows) => {
        const thread = await rows.findThread("local", "a");
        await damage(rows, thread?.key ?? 0);
      });
      const { findings } = await verifyThread(saver, "a");
      expect(findings).toContainEqual({ kind, row: expect.stringMatching(row), text: expect.any(String) });
      if (kind !== "missing") return;
      // What is missing may have referred to what else would be taken for garbage.
      const before = await threadStats(saver, "a");
      await expect(pruneThread(saver, "a", { keepLast: 100 })).rejects.toMatchObject({
        code: "database_damaged",
      });
      expect(await threadStats(saver, "a")).toEqual(before);
    });

    const tampers: readonly [string, string, string, RegExp][] = [
      ["checkpoint_messages", "x'00'", "changed", /^message 1$/],
      ["checkpoint_parts", "x'00'", "changed", /^part 1$/],
      ["checkpoint_values", "x'0020'", "damaged", /^value/],
      ["checkpoint_writes", "x'01ff'", "damaged", /^write/],
    ];
    it.each(tampers)("finds what was changed in %s", async (table, bytes, kind, row) => {
      const { saver, database, graph } = await openSaver();
      await say(graph, "a", "look at this");
      const literal = database.backend === "postgres" ? `'\\${bytes.slice(0, 1)}${bytes.slice(2)}` : bytes;
      await database.write((session) => session.run(`UPDATE ${table} SET data = ${literal}`));
      const { findings } = await verifyThread(saver, "a");
      expect(findings).toContainEqual({ kind, row: expect.stringMatching(row), text: expect.any(String) });
    });

    it("finds columns that cannot be parsed, and looks at the rest all the same", async () => {
      const { saver, database, graph } = await openSaver();
      await say(graph, "a", "look at this");
      const newest = await graph.getState(configOf("a"));
      const id = String(newest.config.configurable?.["checkpoint_id"]);
      await database.write((session) =>
        session.run("UPDATE checkpoint_messages SET refs = '[' WHERE number = 1"),
      );
      await database.write((session) =>
        session.run("UPDATE checkpoints SET channels = 'nonsense' WHERE checkpoint_id = ?", [id]),
      );
      await saver.storage.database.write(async (rows) =>
        rows.removeNumbered("parts", (await rows.findThread("local", "a"))?.key ?? 0, [1, 1]),
      );
      const { findings } = await verifyThread(saver, "a");
      expect(findings.map(({ kind, row }) => [kind, row])).toEqual(
        expect.arrayContaining([
          ["damaged", "message 1"],
          ["damaged", `checkpoint ${id}`],
          ["missing", expect.stringMatching(/^message/)],
        ]),
      );
    });
  });
});
