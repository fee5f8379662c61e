import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import { testDatabases } from "../testing/test-databases.js";
import type { Persistence } from "./contract.js";
import { openPersistence } from "./open-persistence.js";
import type { DatabaseLocation } from "./sql/database-location.js";
import { openDatabase } from "./sql/open-database.js";

const THREAD = { configurable: { thread_id: "t", checkpoint_ns: "" } };
const SUPERSEDED = { code: "run_superseded", details: { runId: "r" } };

const put = (saver: BaseCheckpointSaver, text: string) =>
  saver.put(
    THREAD,
    {
      ...emptyCheckpoint(),
      channel_values: { messages: [new HumanMessage({ id: text, content: text })] },
      channel_versions: { messages: 1 },
    },
    { source: "loop", step: 0, parents: {} },
    { messages: 1 },
  );

async function textsOf(saver: BaseCheckpointSaver): Promise<unknown[]> {
  const texts = [];
  for await (const { checkpoint } of saver.list(THREAD)) {
    texts.push((checkpoint.channel_values["messages"] as { content: unknown }[])[0]?.content);
  }
  return texts;
}

/** A running run, its fence, and the checkpointer that it writes with. */
async function startRun(persistence: Persistence) {
  const { threads, runs } = persistence;
  await threads.create(LOCAL_PRINCIPAL, { threadId: "t" });
  await runs.create(LOCAL_PRINCIPAL, {
    runId: "r",
    threadId: "t",
    assistantId: "lead_agent",
    multitaskStrategy: "enqueue",
    onDisconnect: "continue",
    request: {},
    metadata: {},
    owner: "here",
  });
  const { epoch = 0 } = (await runs.claim(LOCAL_PRINCIPAL, "t", "r")) ?? {};
  const fence = { threadId: "t", runId: "r", epoch };
  return { fence, saver: persistence.checkpointer(LOCAL_PRINCIPAL, fence) };
}

async function expectFenced(persistence: Persistence): Promise<void> {
  const free = persistence.checkpointer(LOCAL_PRINCIPAL);
  const { fence, saver } = await startRun(persistence);
  const config = await put(saver, "mine");
  await saver.putWrites(config, [["messages", []]], "task", "");
  const older = persistence.checkpointer(LOCAL_PRINCIPAL, { ...fence, epoch: 0 });
  await expect(put(older, "older")).rejects.toMatchObject(SUPERSEDED);
  const elsewhere = { status: "error", error: "The server stopped." } as const;
  expect(await persistence.runs.reconcile(elsewhere, () => false)).toHaveLength(1);
  await expect(put(saver, "late")).rejects.toMatchObject(SUPERSEDED);
  await expect(saver.putWrites(config, [["messages", []]], "late", "")).rejects.toMatchObject(SUPERSEDED);
  expect(await textsOf(saver)).toEqual(["mine"]);
  expect((await saver.getTuple(config))?.pendingWrites?.map(([task]) => task)).toEqual(["task"]);
  await put(free, "without a fence");
  expect(await textsOf(free)).toHaveLength(2);
}

const databases = await testDatabases();
const files = databases.find(({ backend }) => backend === "sqlite");
const openFile = async () => {
  const location = await files?.open();
  if (location?.backend !== "sqlite") throw new Error("files are always there");
  return location;
};

afterAll(async () => {
  for (const { drop } of databases) await drop();
});

describe.each(databases)("everything durable on $name", ({ backend, open }) => {
  it("refuses the checkpoints of a run that was taken over", async () => {
    const persistence = await openPersistence(await open());
    await expectFenced(persistence);
    await persistence.close();
  });

  it("refuses them also where the checkpoints lie in another database, and keeps nothing of them in its own", async () => {
    const location = await open();
    const persistence = await openPersistence({ database: location, checkpointer: await openFile() });
    await expectFenced(persistence);
    await persistence.close();
    if (location.backend === "memory") return;
    const database = await openDatabase(location);
    const count = (table: string) => database.read((session) => session.all(`SELECT 1 FROM ${table}`));
    expect(await count("checkpoints")).toEqual([]);
    expect(await count("runs")).toHaveLength(1);
    await database.close();
  });

  it("says what it is without a password", async () => {
    const location = await open();
    const persistence = await openPersistence({ database: location, checkpointer: { backend: "memory" } });
    expect(persistence.backend).toBe(backend);
    expect(persistence.description).toContain(
      { sqlite: "deerflow.db", memory: "memory", postgres: "127.0.0.1", mysql: "127.0.0.1" }[backend],
    );
    if (backend !== "memory") expect(persistence.description).toContain(", checkpoints in memory");
    await persistence.close();
  });

  it("takes the same place named twice for one database", async () => {
    const location = await open();
    const persistence = await openPersistence({ database: location, checkpointer: { ...location } });
    expect(persistence.description).not.toContain("checkpoints in");
    await persistence.close();
  });

  it("stays closed when the database of the checkpoints cannot be opened", async () => {
    const location = await open();
    const folder = join((await openFile()).path, "..");
    const checkpointer: DatabaseLocation = { backend: "sqlite", path: folder };
    await expect(openPersistence({ database: location, checkpointer })).rejects.toMatchObject({
      code: "database_unreadable",
    });
    await (await openPersistence(location)).close();
  });
});
