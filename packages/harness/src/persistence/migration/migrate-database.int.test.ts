import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { answer, converse, conversingGraph, historyOf, say } from "../../testing/conversing-graph.js";
import { type TestDatabase, testDatabases } from "../../testing/test-databases.js";
import type { Persistence } from "../contract.js";
import { openPersistence } from "../open-persistence.js";
import { openStore } from "../open-store.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { migrateCheckpoints } from "./migrate-checkpoints.js";
import { migrateDatabase } from "./migrate-database.js";

const OTHER = { tenantId: "7", userId: "8" };
const databases = (await testDatabases()).filter(({ backend }) => backend !== "memory");
const folder = mkdtempSync(join(tmpdir(), "deerflow-moving-"));

const newRun = (threadId: string, runId: string) => ({
  runId,
  threadId,
  assistantId: "lead_agent",
  multitaskStrategy: "enqueue" as const,
  onDisconnect: "continue" as const,
  request: { input: "ü 🙂" },
  metadata: {},
  owner: "nobody/1/2",
});

/** Two tenants, finished and unfinished runs, events, items, a real conversation. */
async function fill(location: DatabaseLocation): Promise<void> {
  const persistence = await openPersistence(location);
  await talk(persistence, "talk");
  await persistence.threads.create(OTHER, { threadId: "talk", metadata: { title: "another tenant's" } });
  await persistence.runs.create(OTHER, newRun("talk", "left"));
  await persistence.runs.claim(OTHER, "talk", "left");
  await say(conversingGraph(persistence.checkpointer(OTHER)), "talk", "hello");
  await persistence.close();
  const store = await openStore(location);
  for (let at = 0; at < 120; at += 1)
    await store.put(["memories", `u${at % 3}`], `k${at}`, { text: `é ${at}` });
  await store.stop();
}

async function talk(persistence: Persistence, threadId: string): Promise<void> {
  const { threads, runs, events } = persistence;
  await threads.create(LOCAL_PRINCIPAL, { threadId, metadata: { colour: "grün" } });
  await runs.create(LOCAL_PRINCIPAL, newRun(threadId, "first"));
  const claimed = await runs.claim(LOCAL_PRINCIPAL, threadId, "first");
  await converse(conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL)), threadId);
  await events.append(
    LOCAL_PRINCIPAL,
    threadId,
    Array.from({ length: 250 }, (_, at) => ({ runId: "first", eventType: "message.ai", content: { at } })),
  );
  await runs.finish(
    LOCAL_PRINCIPAL,
    { threadId, runId: "first", epoch: claimed?.epoch ?? 0 },
    { status: "success" },
  );
  await threads.update(LOCAL_PRINCIPAL, threadId, { values: { title: "Ein Gespräch" } });
}

/** All that a person sees of a thread. */
async function seen(location: DatabaseLocation, principal = LOCAL_PRINCIPAL) {
  const persistence = await openPersistence(location);
  const { threads, runs, events } = persistence;
  const all = {
    list: await threads.search(principal, { limit: 50, offset: 0 }),
    runs: await runs.list(principal, "talk", { limit: 50, offset: 0 }),
    events: await events.list(principal, "talk", { limit: 1000 }),
    history: await historyOf(conversingGraph(persistence.checkpointer(principal)), "talk"),
  };
  await persistence.close();
  return all;
}

/** A file that this process never had open: the driver lets go of one that it had at some later time. */
function asLeftBehind(made: DatabaseLocation): DatabaseLocation {
  if (made.backend !== "sqlite") return made;
  const path = join(mkdtempSync(join(folder, "left-")), "deerflow.db");
  copyFileSync(made.path, path);
  return { backend: "sqlite", path };
}

const fingerprint = (path: string): string =>
  readdirSync(dirname(path))
    .sort()
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(dirname(path), name)))
          .digest("hex")}`,
    )
    .join("\n");

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const { drop } of databases) await drop();
});

describe.each(databases)("everything of a database on $name", (source) => {
  it.each(databases)("is on $name after a migration, and goes on there", async (target: TestDatabase) => {
    const [made, to] = [await source.open(), await target.open()];
    await fill(made);
    const before = await seen(made);
    const ofOther = await seen(made, OTHER);
    const from = asLeftBehind(made);
    const bytes = from.backend === "sqlite" ? fingerprint(from.path) : "";

    const report = await migrateDatabase({ from, to });
    expect(report).toMatchObject({ status: "done", totals: { threads: 2, copied: 2 } });
    expect(report.items).toEqual({ items: 120, copied: 120, updated: 0, unchanged: 0, kept: 0 });
    for (const { digests } of report.threads) expect(digests.target).toBe(digests.source);
    const unfinished = report.threads.flatMap(({ unfinishedRuns }) => unfinishedRuns ?? []);
    expect(unfinished).toEqual(["left"]);
    if (from.backend === "sqlite") expect(fingerprint(from.path)).toBe(bytes);
    expect(await seen(to)).toEqual(before);
    expect(await seen(to, OTHER)).toEqual(ofOther);

    const again = await migrateDatabase({ from, to });
    expect(again).toMatchObject({
      status: "done",
      totals: { unchanged: 2, copied: 0, updated: 0, bytes: 0 },
    });
    expect(again.items).toMatchObject({ unchanged: 120, copied: 0 });

    const persistence = await openPersistence(to);
    const graph = conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL));
    const resumed = await answer(graph, "talk", "yes");
    expect(resumed.messages.map(({ text }) => text)).toContain('the answer is "yes"');
    const [first] = await persistence.events.list(LOCAL_PRINCIPAL, "talk", { limit: 1, afterSeq: 249 });
    expect(first?.seq).toBe(250);
    expect(
      await persistence.events.append(LOCAL_PRINCIPAL, "talk", [
        { runId: "x", eventType: "run.end", content: {} },
      ]),
    ).toBe(251);
    await persistence.close();
    const store = await openStore(to);
    expect((await store.get(["memories", "u2"], "k2"))?.value).toEqual({ text: "é 2" });
    expect(await store.search(["memories"], { limit: 200 })).toHaveLength(120);
    await store.stop();
  });
});

describe("a migration that is run again", () => {
  let from: DatabaseLocation & { backend: "sqlite" };
  let to: DatabaseLocation & { backend: "sqlite" };

  beforeEach(async () => {
    const inner = mkdtempSync(join(folder, "again-"));
    from = { backend: "sqlite", path: join(inner, "a", "deerflow.db") };
    to = { backend: "sqlite", path: join(inner, "b", "deerflow.db") };
    await fill(from);
    await migrateDatabase({ from, to });
  });

  it("brings what the source went on with", async () => {
    const persistence = await openPersistence(from);
    await answer(conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL)), "talk", "later");
    await persistence.threads.update(LOCAL_PRINCIPAL, "talk", { values: { title: "Later" } });
    await persistence.close();
    const report = await migrateDatabase({ from, to });
    expect(report.totals).toMatchObject({ updated: 1, unchanged: 1, conflict: 0 });
    expect(await seen(to)).toEqual(await seen(from));
  });

  it("leaves alone what the target went on with", async () => {
    const persistence = await openPersistence(to);
    await answer(conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL)), "talk", "here");
    await persistence.close();
    const before = await seen(to);
    const report = await migrateDatabase({ from, to });
    expect(report).toMatchObject({ status: "done", totals: { unchanged: 2 } });
    expect(await seen(to)).toEqual(before);
  });

  it("names a conflict where both went on, and changes nothing of it", async () => {
    for (const location of [from, to]) {
      const persistence = await openPersistence(location);
      await answer(conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL)), "talk", location.path);
      await persistence.close();
    }
    const before = await seen(to);
    const report = await migrateDatabase({ from, to });
    expect(report).toMatchObject({ status: "incomplete", totals: { conflict: 1, unchanged: 1 } });
    expect(report.threads.find(({ status }) => status === "conflict")?.reason).toMatch(/only the|differs/);
    expect(await seen(to)).toEqual(before);
  });

  it("takes the newer item of the store, whichever side has it", async () => {
    const store = await openStore(from);
    await store.put(["memories", "u1"], "k1", { text: "newer" });
    await store.stop();
    const other = await openStore(to);
    await other.put(["memories", "u2"], "k2", { text: "newest" });
    await other.stop();
    expect((await migrateDatabase({ from, to })).items).toMatchObject({
      updated: 1,
      kept: 1,
      unchanged: 118,
    });
    const after = await openStore(to);
    expect((await after.get(["memories", "u1"], "k1"))?.value).toEqual({ text: "newer" });
    expect((await after.get(["memories", "u2"], "k2"))?.value).toEqual({ text: "newest" });
    await after.stop();
  });
});

describe("a migration that is only tried", () => {
  let inner: string;
  beforeEach(() => {
    inner = mkdtempSync(join(folder, "dry-"));
  });
  afterEach(() => rmSync(inner, { recursive: true }));

  it("says what it would do, and makes nothing", async () => {
    const from = { backend: "sqlite" as const, path: join(inner, "a.db") };
    const to = { backend: "sqlite" as const, path: join(inner, "b", "b.db") };
    await fill(from);
    const report = await migrateDatabase({ from, to, dryRun: true });
    expect(report).toMatchObject({ dryRun: true, status: "done", totals: { copied: 2, bytes: 0 } });
    expect(readdirSync(inner)).not.toContain("b");
  });

  it("moves the chosen threads only, and no items then", async () => {
    const from = { backend: "sqlite" as const, path: join(inner, "a.db") };
    await fill(from);
    const persistence = await openPersistence(from);
    await persistence.threads.create(LOCAL_PRINCIPAL, { threadId: "chosen" });
    await persistence.close();
    const to = { backend: "sqlite" as const, path: join(inner, "b.db") };
    const report = await migrateDatabase({ from, to, threads: ["chosen"] });
    expect(report.threads.map(({ threadId, status }) => [threadId, status])).toEqual([["chosen", "copied"]]);
    expect(report.items).toBeUndefined();
  });

  it("makes no target for threads of which one is not there", async () => {
    const from = { backend: "sqlite" as const, path: join(inner, "a.db") };
    await fill(from);
    const to = { backend: "sqlite" as const, path: join(inner, "b.db") };
    for (const move of [migrateDatabase, migrateCheckpoints]) {
      await expect(move({ from, to, threads: ["talk", "nosuch"] })).rejects.toMatchObject({
        code: "migration_thread_missing",
        details: { threads: "nosuch" },
      });
    }
    expect(readdirSync(inner)).not.toContain("b.db");
  });
});
