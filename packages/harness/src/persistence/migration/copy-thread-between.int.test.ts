import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { answer, converse, conversingGraph, historyOf, say } from "../../testing/conversing-graph.js";
import { testDatabases } from "../../testing/test-databases.js";
import type { Persistence } from "../contract.js";
import { persistenceOver } from "../open-persistence.js";
import type { SqlDatabase } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";
import { copyThreadBetween } from "./copy-thread-between.js";
import { moveItems } from "./move-items.js";

const databases = await testDatabases();
const ADDRESS = { scope: LOCAL_PRINCIPAL.tenantId, threadId: "t" };
afterAll(async () => {
  for (const { drop } of databases) await drop();
});

interface Side {
  readonly app: SqlDatabase;
  readonly checkpoints: SqlDatabase;
  readonly persistence: Persistence;
}

const graphOf = ({ persistence }: Side) => conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL));

async function seen(side: Side) {
  const { threads, runs } = side.persistence;
  return {
    thread: await threads.find(LOCAL_PRINCIPAL, "t"),
    runs: await runs.list(LOCAL_PRINCIPAL, "t", { limit: 9, offset: 0 }),
    history: await historyOf(graphOf(side), "t"),
  };
}

async function fill(side: Side): Promise<void> {
  await side.persistence.threads.create(LOCAL_PRINCIPAL, { threadId: "t", metadata: { a: 1 } });
  await converse(graphOf(side), "t");
}

describe.each(databases)("a thread that is copied to $name", ({ backend, open }) => {
  let from: Side;
  let to: Side;
  const opened: SqlDatabase[] = [];

  async function sideOf(location: Awaited<ReturnType<typeof open>>, beside?: SqlDatabase): Promise<Side> {
    const app = await openDatabase(location);
    opened.push(app);
    const checkpoints = beside ?? app;
    return { app, checkpoints, persistence: persistenceOver({ app, checkpoints, backend }) };
  }

  beforeEach(async () => {
    from = await sideOf({ backend: "memory" });
    to = await sideOf(await open());
    await fill(from);
    return async () => {
      for (const database of opened.splice(0)) await database.close();
    };
  });

  it("is there with all that belongs to it, and copied once only", async () => {
    expect(await copyThreadBetween(from, to, ADDRESS)).toMatchObject({ status: "copied" });
    expect(await seen(to)).toEqual(await seen(from));
    expect(await copyThreadBetween(from, to, ADDRESS)).toMatchObject({ status: "unchanged", bytes: 0 });
  });

  it("takes the place of an older copy, also where the source has less by now", async () => {
    await copyThreadBetween(from, to, ADDRESS);
    await answer(graphOf(from), "t", "yes");
    expect(await copyThreadBetween(from, to, ADDRESS)).toMatchObject({ status: "updated" });
    await from.persistence.checkpointer(LOCAL_PRINCIPAL).deleteThread("t");
    expect(await copyThreadBetween(from, to, ADDRESS)).toMatchObject({ status: "unchanged" });
    expect(await copyThreadBetween(from, to, ADDRESS, { replace: true })).toMatchObject({
      status: "updated",
    });
    expect(await seen(to)).toEqual(await seen(from));
  });

  it("is removed in the target when the source has none, if that is asked for", async () => {
    await copyThreadBetween(from, to, ADDRESS);
    await from.persistence.threads.remove(LOCAL_PRINCIPAL, "t");
    await from.persistence.checkpointer(LOCAL_PRINCIPAL).deleteThread("t");
    await copyThreadBetween(from, to, ADDRESS);
    expect((await seen(to)).thread).toBeDefined();
    await copyThreadBetween(from, to, ADDRESS, { replace: true });
    expect(await seen(to)).toEqual({ thread: undefined, runs: [], history: [] });
  });

  it.each([false, true])("never takes the place of another thread (replace: %s)", async (replace) => {
    await to.persistence.threads.create({ tenantId: "local", userId: "another" }, { threadId: "t" });
    await say(graphOf(to), "t", "mine");
    const before = await historyOf(graphOf(to), "t");
    await expect(copyThreadBetween(from, to, ADDRESS, { replace })).rejects.toMatchObject({
      code: "migration_target_taken",
    });
    expect(await historyOf(graphOf(to), "t")).toEqual(before);
  });

  it("may have its checkpoints in another database", async () => {
    const apart = await sideOf({ backend: "memory" }, to.app);
    await copyThreadBetween(from, apart, ADDRESS);
    expect(await seen(apart)).toEqual(await seen(from));
    expect(await to.persistence.threads.find(LOCAL_PRINCIPAL, "t")).toBeUndefined();
  });

  it("is whole or not there at all when the copy is stopped", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(copyThreadBetween(from, to, ADDRESS, { signal: stop.signal })).rejects.toThrow("enough");
    expect(await seen(to)).toEqual({ thread: undefined, runs: [], history: [] });
  });
});

describe("items of the store that are mirrored", () => {
  const databasesOf: SqlDatabase[] = [];
  afterEach(async () => {
    for (const database of databasesOf.splice(0)) await database.close();
  });

  it("become those of the source, whatever the target has", async () => {
    const made = [
      await openDatabase({ backend: "memory" }),
      await openDatabase({ backend: "memory" }),
    ] as const;
    databasesOf.push(...made);
    const [from, to] = made;
    const put = (database: SqlDatabase, key: string, value: string, at: number) =>
      database.write((session) =>
        session.run(
          `INSERT INTO store_items (scope, namespace, item_key, value, created_at, updated_at, ttl, expires_at)
            VALUES ('local', 'n', ?, ?, ?, ?, NULL, NULL)`,
          [key, value, at, at],
        ),
      );
    await put(from, "kept", "1", 1);
    await put(from, "older", "1", 1);
    await put(to, "older", "2", 2);
    await put(to, "gone", "2", 2);
    await moveItems(from, to, { mirror: true });
    const rows = await to.read((session) =>
      session.all("SELECT item_key, value FROM store_items ORDER BY item_key"),
    );
    expect(rows.map((row) => [row["item_key"], row["value"]])).toEqual([
      ["kept", "1"],
      ["older", "1"],
    ]);
  });
});
