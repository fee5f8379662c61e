import { sql } from "kysely";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../../base/errors.js";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { testDatabases } from "../../testing/test-databases.js";
import type { ThreadTable } from "../schema.js";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openDatabase } from "../sql/open-database.js";
import { AppDatabase } from "./app-database.js";

const thread = (thread_id: string): ThreadTable => ({
  tenant_id: LOCAL_PRINCIPAL.tenantId,
  thread_id,
  user_id: LOCAL_PRINCIPAL.userId,
  status: "idle",
  metadata: "{}",
  list_values: "{}",
  created_at: 0,
  updated_at: 0,
});

/** How a connection is called, and how another one ends it. SQLite has none that could break. */
const KILLING: Partial<Record<DatabaseLocation["backend"], { id: string; kill: string; end: string }>> = {
  postgres: { id: "pg_backend_pid()", kill: "SELECT pg_terminate_backend(", end: ")" },
  mysql: { id: "connection_id()", kill: "KILL", end: "" },
};

describe.each(await testDatabases())("transactions on $name", ({ backend, open, drop }) => {
  const own = KILLING[backend];
  let opened: SqlDatabase;
  let database: AppDatabase;
  const threadIds = async () =>
    (await database.query.selectFrom("threads").select("thread_id").orderBy("thread_id").execute()).map(
      (row) => row.thread_id,
    );

  beforeEach(async () => {
    opened = await openDatabase(await open());
    database = new AppDatabase(opened);
  });
  afterEach(() => opened.close());
  afterAll(drop);

  it("are run again when the key that they chose is taken, and nothing of the first try stays", async () => {
    await database.query.insertInto("threads").values(thread("a")).execute();
    let tries = 0;
    await database.transaction(async (query) => {
      tries += 1;
      await query
        .insertInto("threads")
        .values(thread(`try ${tries}`))
        .execute();
      await query
        .insertInto("threads")
        .values(thread(tries === 1 ? "a" : "b"))
        .execute();
    });
    expect(await threadIds()).toEqual(["a", "b", "try 2"]);
  });

  it("end with an error of ours when the key is always taken", async () => {
    await database.query.insertInto("threads").values(thread("a")).execute();
    const taken = database.transaction((query) => query.insertInto("threads").values(thread("a")).execute());
    await expect(taken).rejects.toMatchObject({ code: "database_busy", details: { path: opened.name } });
  });

  it.skipIf(own === undefined)(
    "are run again when their connection is killed before the commit",
    async () => {
      let tries = 0;
      await database.transaction(async (query) => {
        tries += 1;
        await query.insertInto("threads").values(thread("a")).execute();
        if (tries === 1) {
          const [row] = (await sql<{ id: number }>`select ${sql.raw(own?.id ?? "")} as id`.execute(query))
            .rows;
          await opened.read((session) => session.all(`${own?.kill} ${row?.id}${own?.end}`));
        }
        await query.insertInto("threads").values(thread("b")).execute();
      });
      expect(tries).toBe(2);
      expect(await threadIds()).toEqual(["a", "b"]);
    },
  );

  it("are undone by what their work throws, which comes out as it is", async () => {
    const failing = database.threadTransaction(LOCAL_PRINCIPAL, "a", async (query) => {
      await query.insertInto("threads").values(thread("a")).execute();
      throw new DeerflowError("thread_id_taken", { threadId: "a" });
    });
    await expect(failing).rejects.toMatchObject({ code: "thread_id_taken" });
    expect(await threadIds()).toEqual([]);
  });

  it("of one thread wait for each other, and those of another thread do not wait", async () => {
    await database.query
      .insertInto("threads")
      .values([thread("a"), thread("b")])
      .execute();
    const order: string[] = [];
    const turn = (threadId: string, name: string) =>
      database.threadTransaction(LOCAL_PRINCIPAL, threadId, async (query) => {
        order.push(`${name} begins`);
        await query.selectFrom("threads").selectAll().execute();
        order.push(`${name} ends`);
      });
    await Promise.all([turn("a", "first"), turn("a", "second"), turn("b", "other")]);
    const ofA = order.filter((step) => !step.startsWith("other"));
    expect(ofA).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  });
});
