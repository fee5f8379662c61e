/** What a migration from LangGraph's own SQLite saver does where not everything is as it should be. */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseCheckpointSaver, type Checkpoint, emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { migrateCheckpoints, SqliteCheckpointSaver } from "@deerflow/harness/persistence";
import { migrateDatabase } from "../packages/harness/src/persistence/migration/migrate-database.js";
import {
  answer,
  converse,
  conversingGraph,
  historyOf,
  say,
} from "../packages/harness/src/testing/conversing-graph.js";
import { officialSavers } from "./support/official-savers.js";

const savers = await officialSavers();
const folder = mkdtempSync(join(tmpdir(), "deerflow-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let inner: string;
let source: string;
let to: { backend: "sqlite"; path: string };
beforeEach(() => {
  inner = mkdtempSync(join(folder, "case-"));
  source = join(inner, "official.sqlite");
  to = { backend: "sqlite", path: join(inner, "target", "deerflow.db") };
});

const openOfficial = () => {
  if (savers === undefined) throw new Error("skipped below");
  return savers.SqliteSaver.fromConnString(source);
};

async function withTarget<T>(work: (saver: SqliteCheckpointSaver) => Promise<T>): Promise<T> {
  const saver = SqliteCheckpointSaver.fromPath(to.path);
  try {
    return await work(saver);
  } finally {
    await saver.close();
  }
}

const migrate = (options: Partial<Parameters<typeof migrateCheckpoints>[0]> = {}) =>
  migrateCheckpoints({ from: { backend: "langgraph-sqlite", path: source }, to, ...options });

describe.skipIf(savers === undefined)("a migration from LangGraph's own SQLite saver", () => {
  it("takes what a program that was interrupted left in its log, and changes no byte of it", async () => {
    const official = openOfficial();
    await converse(conversingGraph(official), "t");
    const history = await historyOf(conversingGraph(official), "t");
    const place = mkdtempSync(join(inner, "left-"));
    for (const end of ["", "-wal", "-shm"])
      copyFileSync(`${source}${end}`, join(place, `official.sqlite${end}`));
    official.db.close();
    const fingerprint = () =>
      readdirSync(place)
        .sort()
        .map(
          (name) =>
            `${name} ${createHash("sha256")
              .update(readFileSync(join(place, name)))
              .digest("hex")}`,
        );
    const before = fingerprint();
    expect(before).toHaveLength(3);
    await migrate({ from: { backend: "sqlite", path: join(place, "official.sqlite") } });
    expect(fingerprint()).toEqual(before);
    await withTarget(async (saver) => expect(await historyOf(conversingGraph(saver), "t")).toEqual(history));
  });

  it("reads what a program that still runs has written so far, and the rest when it is run again", async () => {
    const official = openOfficial();
    const graph = conversingGraph(official);
    await converse(graph, "t");
    expect((await migrate()).totals).toMatchObject({ copied: 1 });
    await answer(graph, "t", "go on");
    await say(graph, "other", "hello");
    expect((await migrate()).totals).toMatchObject({ updated: 1, copied: 1 });
    await withTarget(async (saver) => {
      expect(await historyOf(conversingGraph(saver), "t")).toEqual(await historyOf(graph, "t"));
    });
    official.db.close();
  });

  it("reports a thread that cannot be read, and moves the others", async () => {
    const official = openOfficial();
    for (const threadId of ["a", "b", "c"]) await say(conversingGraph(official), threadId, "hello");
    official.db.exec("UPDATE checkpoints SET type = 'msgpack' WHERE thread_id = 'b'");
    official.db.close();
    const path = join(inner, "report.json");
    const report = await migrate({ report: path });
    expect(report).toMatchObject({ status: "incomplete", totals: { copied: 2, failed: 1 } });
    expect(report.threads.find(({ threadId }) => threadId === "b")).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("msgpack"),
    });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(JSON.parse(JSON.stringify(report)));
    await withTarget(async (saver) => {
      expect(await saver.getTuple({ configurable: { thread_id: "b" } })).toBeUndefined();
    });
  });

  it("leaves another thread of the same id alone", async () => {
    const official = openOfficial();
    await say(conversingGraph(official), "t", "one");
    official.db.close();
    await withTarget((saver) => say(conversingGraph(saver), "t", "another"));
    const before = await withTarget((saver) => historyOf(conversingGraph(saver), "t"));
    expect(await migrate()).toMatchObject({ status: "incomplete", totals: { conflict: 1 } });
    expect(await withTarget((saver) => historyOf(conversingGraph(saver), "t"))).toEqual(before);
  });

  it("keeps the Sends of old formats, which lie with the checkpoint before", async () => {
    const official = openOfficial();
    await putOldSends(official);
    const config = { configurable: { thread_id: "old" } };
    const expected = await official.getTuple(config);
    official.db.close();
    expect((await migrate()).totals).toMatchObject({ copied: 1, failed: 0 });
    expect((await migrate()).totals).toMatchObject({ unchanged: 1 });
    const found = await withTarget((saver) => saver.getTuple(config));
    expect(found?.checkpoint).toEqual(expected?.checkpoint);
    expect(found?.checkpoint.channel_values["__pregel_tasks"]).toEqual([{ node: "tool", args: { n: 1 } }]);
  });

  it("says where it stopped when it is cancelled, and goes on from there", async () => {
    const official = openOfficial();
    for (const threadId of ["a", "b", "c"]) await say(conversingGraph(official), threadId, "hello");
    official.db.close();
    const stop = new AbortController();
    const seen: string[] = [];
    const report = await migrate({
      signal: stop.signal,
      onProgress({ done, total, thread }) {
        seen.push(`${done} of ${total}: ${thread.threadId}`);
        stop.abort();
      },
    });
    expect(seen).toEqual(["1 of 3: a"]);
    expect(report).toMatchObject({ status: "cancelled", totals: { copied: 1 } });
    expect((await migrate()).totals).toMatchObject({ unchanged: 1, copied: 2 });
  });

  it("only says what it would do, when it is only tried", async () => {
    const official = openOfficial();
    await say(conversingGraph(official), "t", "hello");
    official.db.close();
    expect(await migrate({ dryRun: true })).toMatchObject({ dryRun: true, totals: { copied: 1, bytes: 0 } });
    expect(existsSync(to.path)).toBe(false);
    await migrate();
    expect(await migrate({ dryRun: true })).toMatchObject({ totals: { unchanged: 1 } });
  });

  it("gives the threads to the tenant that it is told", async () => {
    const official = openOfficial();
    await say(conversingGraph(official), "t", "hello");
    official.db.close();
    await migrate({ scope: "7" });
    await withTarget(async (saver) =>
      expect(await saver.getTuple({ configurable: { thread_id: "t" } })).toBeUndefined(),
    );
    const other = SqliteCheckpointSaver.fromPath(to.path, { scope: "7" });
    expect(await other.getTuple({ configurable: { thread_id: "t" } })).toBeDefined();
    await other.close();
  });
});

describe("a migration that cannot be", () => {
  it("names what is wrong with the source", async () => {
    const unknown = { code: "migration_source_unknown" };
    await expect(migrate()).rejects.toMatchObject(unknown);
    writeFileSync(source, "");
    await expect(migrate()).rejects.toMatchObject(unknown);
    await expect(migrate({ from: { backend: "memory" } })).rejects.toMatchObject(unknown);
    writeFileSync(source, "not a database ".repeat(100));
    await expect(migrate()).rejects.toMatchObject({ code: "database_damaged" });
    expect(existsSync(to.path)).toBe(false);
  });

  it("refuses to move a database to itself, and checkpoints of LangGraph where all of a database is asked for", async () => {
    await expect(migrateDatabase({ from: to, to })).rejects.toMatchObject({
      code: "migration_same_database",
    });
    if (savers === undefined) return;
    const official = openOfficial();
    await say(conversingGraph(official), "t", "hello");
    official.db.close();
    const from = { backend: "sqlite" as const, path: source };
    await expect(migrateDatabase({ from, to })).rejects.toMatchObject({ code: "migration_checkpoints_only" });
  });
});

/** A checkpoint as LangGraph wrote it before Sends were a channel. */
async function putOldSends(saver: BaseCheckpointSaver): Promise<void> {
  const metadata = { source: "loop" as const, step: 1, parents: {} };
  const checkpoint = (id: string): Checkpoint => ({
    ...emptyCheckpoint(),
    v: 1,
    id,
    channel_values: { messages: ["a"] },
    channel_versions: { messages: 1 },
  });
  const first = await saver.put(
    { configurable: { thread_id: "old", checkpoint_ns: "" } },
    checkpoint("1"),
    metadata,
    {
      messages: 1,
    },
  );
  await saver.putWrites(first, [["__pregel_tasks", { node: "tool", args: { n: 1 } }]], "task-1");
  await saver.put(first, checkpoint("2"), metadata, {});
}
