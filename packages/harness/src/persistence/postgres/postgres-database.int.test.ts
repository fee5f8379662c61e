import { Kysely, sql } from "kysely";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { testDatabases } from "../../testing/test-databases.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openPostgres } from "./open-postgres.js";

type PostgresLocation = Extract<DatabaseLocation, { backend: "postgres" }>;

const server = (await testDatabases()).find(({ backend }) => backend === "postgres");

interface ProbeSchema {
  probe: { id: number; text: string | null; data: Uint8Array | null; amount: number | null };
}

/** A promise, and what resolves it. */
function signal(): { readonly arrives: Promise<void>; send(): void } {
  let send = () => {};
  const arrives = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { arrives, send: () => send() };
}

describe.skipIf(server === undefined)("a database on PostgreSQL", () => {
  let database: SqlDatabase;
  let location: PostgresLocation;
  const pauses: number[] = [];

  beforeEach(async () => {
    pauses.length = 0;
    location = (await server?.open()) as PostgresLocation;
    database = await openPostgres(location, { sleep: async (pause) => pauses.push(pause) });
    await database.write((session) =>
      session.run(
        "CREATE TABLE probe (id BIGINT PRIMARY KEY, text TEXT, data BYTEA, amount DOUBLE PRECISION)",
      ),
    );
  });
  afterEach(() => database.close());
  afterAll(() => server?.drop());

  const insert = (session: SqlSession, id: number | bigint, text = "") =>
    session.run("INSERT INTO probe (id, text) VALUES (?, ?)", [id, text]);
  const all = (statement: string, parameters: number[] = []) =>
    database.read((session) => session.all(statement, parameters));
  const ids = async () => (await all("SELECT id FROM probe ORDER BY id")).map(({ id }) => id);

  describe("keeps values", () => {
    it.each([
      ["emoji and a backslash", "a🦌b\\'\"\u{10FFFF}"],
      ["nothing", ""],
      ["spaces at the end", "a  "],
      ["question marks and dollars", "$1 ? ?? $$"],
    ])("text: %s", async (_name, text) => {
      await database.write((session) => insert(session, 1, text));
      const rows = await database.read((session) =>
        session.all("SELECT text FROM probe WHERE text = ?", [text]),
      );
      expect(rows).toEqual([{ text }]);
    });

    it("but no text with a zero character, of which it says so", async () => {
      await expect(database.write((session) => insert(session, 1, "a\0b"))).rejects.toMatchObject({
        code: "database_value_invalid",
        details: { type: "text with a zero character" },
      });
    });

    it("bytes of every kind, as Uint8Array", async () => {
      const data = Uint8Array.from({ length: 256 }, (_, index) => index);
      const part = new Uint8Array(data.buffer, 10, 20);
      await database.write((session) =>
        session.run("INSERT INTO probe (id, data) VALUES (1, ?), (2, ?), (3, ?)", [
          data,
          new Uint8Array(),
          part,
        ]),
      );
      const rows = await all("SELECT data FROM probe ORDER BY id");
      expect(rows).toStrictEqual([{ data }, { data: new Uint8Array() }, { data: part.slice() }]);
    });

    it("10 MB in one row", async () => {
      const data = Uint8Array.from({ length: 10_000_000 }, (_, index) => (index * 7) % 251);
      await database.write((session) => session.run("INSERT INTO probe (id, data) VALUES (?, ?)", [1, data]));
      const [row] = await all("SELECT data FROM probe");
      expect(Buffer.from(row?.["data"] as Uint8Array).equals(data)).toBe(true);
    });

    it("integers as numbers, beyond their precision as bigint, and found by their exact value", async () => {
      const values = [0, -1, Number.MAX_SAFE_INTEGER, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
      await database.write(async (session) => {
        for (const value of values) await insert(session, value);
      });
      for (const value of values) {
        const rows = await database.read((session) =>
          session.all("SELECT id FROM probe WHERE id = ?", [value]),
        );
        expect(rows).toEqual([{ id: value }]);
      }
      await expect(database.write((session) => insert(session, 2n ** 63n))).rejects.toMatchObject({
        code: "database_value_invalid",
        details: { type: "number too large for its column" },
      });
    });

    it("fractions exactly, null as null, counts, sums and truths as numbers", async () => {
      await database.write((session) =>
        session.run("INSERT INTO probe (id, text, amount) VALUES (1, ?, ?), (2, ?, ?)", [
          null,
          Math.PI,
          "ab",
          1e-300,
        ]),
      );
      const select = `SELECT COUNT(*) AS count, SUM(LENGTH(text)) AS sum, MAX(amount) AS most, MIN(amount) AS least,
        COUNT(*) > 1 AS more FROM probe`;
      const expected = [{ count: 2, sum: 2, most: Math.PI, least: 1e-300, more: 1 }];
      expect(await all(select)).toEqual(expected);
      expect(await all(`${select} WHERE id >= ? LIMIT ?`, [0, 10])).toEqual(expected);
      expect(await all("SELECT text FROM probe WHERE id = 1")).toEqual([{ text: null }]);
    });
  });

  it("has our settings on every connection", async () => {
    const settings = () =>
      database.read(async (session) => {
        await session.all("SELECT pg_sleep(0.05)::text");
        return session.all(`SELECT current_schemas(false)::text AS schemas, current_setting('lock_timeout') AS lock,
          current_setting('idle_in_transaction_session_timeout') AS idle, pg_backend_pid() AS id`);
      });
    const found = (await Promise.all(Array.from({ length: 30 }, settings))).flat();
    expect(new Set(found.map(({ id }) => id)).size).toBe(10);
    for (const row of found)
      expect(row).toMatchObject({ schemas: `{${location.schema}}`, lock: "10s", idle: "15s" });
  });

  it("plans a statement once that comes often", async () => {
    await database.read(async (session) => {
      for (let id = 0; id < 20; id += 1) await session.all("SELECT id FROM probe WHERE id = ?", [id]);
      const plans = await session.all(
        "SELECT statement, generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE statement LIKE '%probe%'",
      );
      expect(plans).toEqual([{ statement: "SELECT id FROM probe WHERE id = $1", runs: 19 }]);
    });
  });

  it("goes on after a table was changed that statements were planned for", async () => {
    for (let id = 0; id < 3; id += 1) await all("SELECT * FROM probe WHERE id = ?", [id]);
    await database.write((session) => session.run("ALTER TABLE probe ADD COLUMN more TEXT"));
    expect(await all("SELECT * FROM probe WHERE id = ?", [1])).toEqual([]);
    expect(pauses).toHaveLength(1);
  });

  it("counts the rows that it changed", async () => {
    await database.write((session) => insert(session, 1, "a"));
    const update = (id: number) =>
      database.write((session) => session.run("UPDATE probe SET text = ? WHERE id = ?", ["a", id]));
    expect(await update(1)).toBe(1);
    expect(await update(2)).toBe(0);
  });

  describe("in transactions", () => {
    it("shows nothing before the commit, and everything after it", async () => {
      await database.write(async (session) => {
        await insert(session, 1);
        expect(await ids()).toEqual([]);
      });
      expect(await ids()).toEqual([1]);
    });

    it("takes statements that are not waited for, in their order", async () => {
      const statements = await database.write((session) =>
        Promise.all([
          insert(session, 1),
          session.run("UPDATE probe SET id = 2 WHERE id = 1"),
          session.all("SELECT id FROM probe"),
        ]),
      );
      expect(statements).toEqual([1, 1, [{ id: 2 }]]);
    });

    it("sees what others commit meanwhile", async () => {
      await database.write(async (session) => {
        expect(await session.all("SELECT id FROM probe")).toEqual([]);
        await database.write((other) => insert(other, 1));
        expect(await session.all("SELECT id FROM probe")).toEqual([{ id: 1 }]);
      });
    });

    it("undoes everything of work that fails, and says why it failed", async () => {
      const failing = database.write(async (session) => {
        await insert(session, 1);
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      const invalid = database.write(async (session) => {
        await insert(session, 2);
        // What no type lets through may still come from outside.
        await session.run("INSERT INTO probe (id, text) VALUES (3, ?)", [true as unknown as string]);
      });
      await expect(invalid).rejects.toMatchObject({ code: "database_value_invalid" });
      expect(await ids()).toEqual([]);
      expect(pauses).toEqual([]);
    });

    it("undoes everything, also where work goes on after a statement that failed", async () => {
      const careless = database.write(async (session) => {
        await insert(session, 1);
        await insert(session, 1).catch(() => undefined);
      });
      await expect(careless).rejects.toMatchObject({ code: "internal" });
      expect(await ids()).toEqual([]);
    });

    it("refuses a statement that comes after its turn", async () => {
      let late: SqlSession | undefined;
      await database.write(async (session) => {
        late = session;
      });
      await expect(late?.run("DELETE FROM probe")).rejects.toMatchObject({ code: "internal" });
    });

    it("says which key is taken, and does not try it again", async () => {
      await database.write((session) => insert(session, 1));
      await expect(database.write((session) => insert(session, 1))).rejects.toMatchObject({ code: "23505" });
      expect(pauses).toEqual([]);
    });

    it("runs the loser of a deadlock again", async () => {
      await database.write((session) =>
        session.run("INSERT INTO probe (id, amount) VALUES (?, 0), (?, 0)", [1, 2]),
      );
      let tries = 0;
      const both = [signal(), signal()];
      const change = (first: number, second: number) =>
        database.write(async (session) => {
          tries += 1;
          const add = "UPDATE probe SET amount = amount + 1 WHERE id = ?";
          await session.run(add, [first]);
          // Each holds its first row before it asks for the other's.
          both[first - 1]?.send();
          await both[second - 1]?.arrives;
          await session.run(add, [second]);
        });
      await Promise.all([change(1, 2), change(2, 1)]);
      expect(await all("SELECT amount FROM probe ORDER BY id")).toEqual([{ amount: 2 }, { amount: 2 }]);
      expect(tries).toBe(3);
      expect(pauses).toHaveLength(1);
    });

    it("gives up on a row that somebody holds for long", async () => {
      await database.write((session) => insert(session, 1));
      const [isHeld, held] = [signal(), signal()];
      const holder = database.write(async (session) => {
        await session.run("UPDATE probe SET amount = 1 WHERE id = ?", [1]);
        isHeld.send();
        await held.arrives;
      });
      await isHeld.arrives;
      const waiting = database.write(async (session) => {
        await session.run("SET LOCAL lock_timeout = 50");
        await session.run("UPDATE probe SET amount = 2 WHERE id = ?", [1]);
      });
      await expect(waiting).rejects.toMatchObject({ code: "database_busy" });
      expect(pauses).toHaveLength(2);
      held.send();
      await holder;
    });

    it("takes a row from a process that is frozen while it holds it, whose work is run again", async () => {
      await database.write((session) => insert(session, 1));
      const [isHeld, thaws] = [signal(), signal()];
      let tries = 0;
      const frozen = database.write(async (session) => {
        tries += 1;
        await session.run("UPDATE probe SET amount = coalesce(amount, 0) + 1 WHERE id = ?", [1]);
        if (tries > 1) return;
        await session.run("SET LOCAL idle_in_transaction_session_timeout = 50");
        isHeld.send();
        await thaws.arrives;
        await session.run("UPDATE probe SET amount = 100 WHERE id = ?", [1]);
      });
      await isHeld.arrives;
      await database.write((session) => session.run("UPDATE probe SET amount = 5 WHERE id = ?", [1]));
      thaws.send();
      await frozen;
      expect(await all("SELECT amount FROM probe")).toEqual([{ amount: 6 }]);
    });
  });

  describe("through the query builder", () => {
    const builder = () => new Kysely<ProbeSchema>({ dialect: database.dialect });
    const row = { text: "a🦌?", data: new Uint8Array([0, 255]), amount: 0.5 };

    it("inserts, finds, counts and pages", async () => {
      const kysely = builder();
      const first = await kysely
        .insertInto("probe")
        .values({ id: 41, ...row })
        .executeTakeFirst();
      expect(first).toMatchObject({ numInsertedOrUpdatedRows: 1n });
      await kysely
        .insertInto("probe")
        .values({ id: 42, ...row, text: null })
        .execute();
      expect(await kysely.selectFrom("probe").selectAll().orderBy("id").limit(1).offset(1).execute()).toEqual(
        [{ id: 42, ...row, text: null }],
      );
      const changed = await kysely.updateTable("probe").set({ amount: 0.5 }).executeTakeFirst();
      expect(changed).toMatchObject({ numUpdatedRows: 2n });
      expect(await kysely.deleteFrom("probe").returning("id").execute()).toHaveLength(2);
    });

    it("commits and undoes transactions, with any isolation", async () => {
      const kysely = builder();
      await kysely.transaction().execute((transaction) =>
        transaction
          .insertInto("probe")
          .values({ id: 1, ...row })
          .execute(),
      );
      const failing = kysely
        .transaction()
        .setIsolationLevel("serializable")
        .execute(async (transaction) => {
          await transaction
            .insertInto("probe")
            .values({ id: 2, ...row })
            .execute();
          const { rows } = await sql<{
            is: string;
          }>`SELECT current_setting('transaction_isolation') AS is`.execute(transaction);
          throw new Error(`changed my mind in ${rows[0]?.is}`);
        });
      await expect(failing).rejects.toThrow("changed my mind in serializable");
      expect(await ids()).toEqual([1]);
    });

    it("checks values", async () => {
      const invalid = builder().selectFrom("probe").where(sql<boolean>`id = ${new Date()}`).selectAll();
      await expect(invalid.execute()).rejects.toMatchObject({ code: "database_value_invalid" });
    });

    it("serves many at once with few connections", async () => {
      const kysely = builder();
      await Promise.all(
        Array.from({ length: 60 }, (_, id) =>
          kysely
            .insertInto("probe")
            .values({ id: id + 1, ...row })
            .execute(),
        ),
      );
      expect(await ids()).toHaveLength(60);
    });
  });

  describe("tells its size", () => {
    const fill = () =>
      database.write((session) =>
        session.run(`INSERT INTO run_events (tenant_id, thread_id, seq, user_id, run_id, event_type, content, metadata,
          created_at) SELECT 't', 't', number, 'u', 'r', 'e', (SELECT string_agg(md5((number * part)::text), '') FROM generate_series(1, 60) AS part), '{}', 0
          FROM generate_series(1, 1000) AS number`),
      );

    it("and gives space back when it is compacted", async () => {
      await fill();
      const full = await database.size();
      expect(full).toBeGreaterThan(1_000_000);
      await database.write((session) => session.run("DELETE FROM run_events"));
      expect(await database.size()).toBeGreaterThanOrEqual(full);
      // A transaction anywhere on the server that began before the rows were removed keeps their space a little longer.
      await expect
        .poll(async () => {
          await database.compact();
          return database.size();
        })
        .toBeLessThan(full / 2);
      // The settings of the compaction are gone with its connection.
      expect(await all("SELECT current_setting('statement_timeout') AS timeout")).toEqual([
        { timeout: "1min" },
      ]);
    });

    it("and is compacted beside those who read, who are not waited for without end", async () => {
      await fill();
      const [isHeld, held] = [signal(), signal()];
      const reader = database.write(async (session) => {
        await session.all("SELECT count(*) AS count FROM run_events");
        isHeld.send();
        await held.arrives;
      });
      await isHeld.arrives;
      await database.compact();
      held.send();
      await reader;
      const [row] = await all(
        "SELECT relname::text AS name FROM pg_class WHERE oid = 'run_events'::regclass AND reltuples = 1000",
      );
      expect(row).toEqual({ name: "run_events" });
    });

    it("of our tables only", async () => {
      const before = await database.size();
      await database.write((session) =>
        session.run(
          "INSERT INTO probe SELECT number, repeat(md5(number::text), 40) FROM generate_series(1, 400) number",
        ),
      );
      expect(await database.size()).toBe(before);
    });
  });

  it("waits for turns under way when it is closed, also for one that has no connection yet", async () => {
    const events: string[] = [];
    const turns = Array.from({ length: 12 }, () =>
      database.read(async (session) => {
        await session.all("SELECT pg_sleep(0.1)::text");
        events.push("turn");
      }),
    );
    await Promise.all([database.close().then(() => events.push("closed")), database.close(), ...turns]);
    expect(events).toEqual([...Array.from({ length: 12 }, () => "turn"), "closed"]);
    await expect(ids()).rejects.toMatchObject({
      code: "database_unreachable",
      details: { reason: "it was closed here" },
    });
  });
});
