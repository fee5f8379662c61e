import { Kysely, sql } from "kysely";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { testDatabases } from "../../testing/test-databases.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openMysql } from "./open-mysql.js";

type MysqlLocation = Extract<DatabaseLocation, { backend: "mysql" }>;

const MIB = 1024 * 1024;
const server = (await testDatabases()).find(({ backend }) => backend === "mysql");

interface ProbeSchema {
  probe: { id: number; text: string | null; data: Uint8Array | null; amount: number | null };
}

describe.skipIf(server === undefined)("a database on MySQL", () => {
  let database: SqlDatabase;
  const pauses: number[] = [];

  beforeEach(async () => {
    pauses.length = 0;
    const sleep = async (pause: number) => pauses.push(pause);
    database = await openMysql((await server?.open()) as MysqlLocation, { sleep });
    await database.write((session) =>
      session.run(
        "CREATE TABLE probe (id BIGINT PRIMARY KEY AUTO_INCREMENT, text LONGTEXT, data LONGBLOB, amount DOUBLE)",
      ),
    );
  });
  afterEach(() => database.close());
  afterAll(() => server?.drop());

  const insert = (session: SqlSession, id: number | bigint, text = "") =>
    session.run("INSERT INTO probe (id, text) VALUES (?, ?)", [id, text]);
  const ids = async () =>
    (await database.read((session) => session.all("SELECT id FROM probe ORDER BY id"))).map(({ id }) => id);

  describe("keeps values", () => {
    it.each([
      ["emoji, a zero and a backslash", "a🦌\0b\\'\"\u{10FFFF}"],
      ["nothing", ""],
      ["spaces at the end", "a  "],
    ])("text: %s", async (_name, text) => {
      await database.write((session) => insert(session, 1, text));
      const rows = await database.read((session) =>
        session.all("SELECT text FROM probe WHERE text = ?", [text]),
      );
      expect(rows).toEqual([{ text }]);
    });

    it("bytes of every kind, as Uint8Array", async () => {
      const data = Uint8Array.from({ length: 256 }, (_, index) => index);
      await database.write((session) =>
        session.run("INSERT INTO probe (data) VALUES (?), (?)", [data, new Uint8Array()]),
      );
      const rows = await database.read((session) => session.all("SELECT data FROM probe ORDER BY id"));
      expect(rows).toStrictEqual([{ data }, { data: new Uint8Array() }]);
    });

    it("10 MB in two rows, and 4 MiB in each of three, with the packet size that servers come with", async () => {
      const halves = [1, 2].map((byte) => new Uint8Array(5_000_000).fill(byte));
      const slices = [3, 4, 5].map((byte) => new Uint8Array(4 * MIB - 1).fill(byte));
      for (const parts of [halves, slices]) {
        await database.write(async (session) => {
          for (const data of parts) await session.run("INSERT INTO probe (data) VALUES (?)", [data]);
        });
      }
      await database.write((session) => session.run("INSERT INTO probe (data) VALUES (?), (?), (?)", slices));
      const rows = await database.read((session) => session.all("SELECT data FROM probe ORDER BY id"));
      const stored = rows.map(({ data }) => Buffer.from(data as Uint8Array));
      const expected = [...halves, ...slices, ...slices];
      expect(stored.map((bytes, index) => bytes.equals(expected[index] ?? new Uint8Array()))).toEqual(
        expected.map(() => true),
      );
    });

    it("integers as numbers, beyond their precision as bigint, and found by their exact value", async () => {
      const values = [0, -1, Number.MAX_SAFE_INTEGER, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
      await database.write(async (session) => {
        await session.run("ALTER TABLE probe MODIFY id BIGINT NOT NULL");
        for (const value of values) await insert(session, value);
      });
      for (const value of values) {
        const rows = await database.read((session) =>
          session.all("SELECT id FROM probe WHERE id = ?", [value]),
        );
        expect(rows).toEqual([{ id: value }]);
      }
    });

    it("fractions exactly, null as null, counts and sums as numbers, with and without parameters", async () => {
      await database.write((session) =>
        session.run("INSERT INTO probe (text, amount) VALUES (?, ?), (?, ?)", [null, Math.PI, "ab", 1e-300]),
      );
      const select = `SELECT COUNT(*) AS count, SUM(LENGTH(text)) AS sum, MAX(amount) AS most, MIN(amount) AS least,
        COUNT(*) > 1 AS more FROM probe`;
      const expected = [{ count: 2, sum: 2, most: Math.PI, least: 1e-300, more: 1 }];
      const all = (statement: string, parameters: number[]) =>
        database.read((session) => session.all(statement, parameters));
      expect(await all(select, [])).toEqual(expected);
      expect(await all(`${select} WHERE id >= ? LIMIT ?`, [0, 10])).toEqual(expected);
      expect(await all("SELECT text FROM probe WHERE id = 1", [])).toEqual([{ text: null }]);
    });
  });

  it("has our settings on every connection", async () => {
    const settings = () =>
      database.read(async (session) => {
        await session.all("SELECT SLEEP(0.05)");
        return session.all(`SELECT @@collation_connection AS collation, @@time_zone AS zone,
          @@sql_mode LIKE '%STRICT_ALL_TABLES%' AS strict, CONNECTION_ID() AS id`);
      });
    const found = (await Promise.all(Array.from({ length: 10 }, settings))).flat();
    expect(new Set(found.map(({ id }) => id)).size).toBe(10);
    for (const row of found)
      expect(row).toMatchObject({ collation: "utf8mb4_bin", zone: "+00:00", strict: 1 });
  });

  it("prepares a statement once", async () => {
    const prepared = await database.read(async (session) => {
      for (let id = 0; id < 20; id += 1) await session.all("SELECT id FROM probe WHERE id = ?", [id]);
      return session.all("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
    });
    expect(prepared).toEqual([
      { Variable_name: "Com_stmt_prepare", Value: expect.stringMatching(/^[1-9]$/) },
    ]);
  });

  it("counts rows that are found, also where they are as they should be already", async () => {
    await database.write((session) => insert(session, 1, "a"));
    const update = () => database.write((session) => session.run("UPDATE probe SET text = ?", ["a"]));
    expect(await update()).toBe(1);
  });

  describe("in transactions", () => {
    it("shows nothing before the commit, and everything after it", async () => {
      await database.write(async (session) => {
        await insert(session, 1);
        expect(await ids()).toEqual([]);
      });
      expect(await ids()).toEqual([1]);
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
        await session.run("INSERT INTO probe (text) VALUES (?)", [true as unknown as string]);
      });
      await expect(invalid).rejects.toMatchObject({ code: "database_value_invalid" });
      expect(await ids()).toEqual([]);
      expect(pauses).toEqual([]);
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
      await expect(database.write((session) => insert(session, 1))).rejects.toMatchObject({
        code: "ER_DUP_ENTRY",
      });
      expect(pauses).toEqual([]);
    });

    it("runs the loser of a deadlock again", async () => {
      await database.write((session) =>
        session.run("INSERT INTO probe (id, amount) VALUES (?, 0), (?, 0)", [1, 2]),
      );
      let tries = 0;
      const arrived: (() => void)[] = [];
      /** Resolves for both when both hold their first row; at once for whoever comes later. */
      const meet = () =>
        new Promise<void>((resolve) => {
          arrived.push(resolve);
          if (arrived.length >= 2) for (const go of arrived) go();
        });
      const change = (first: number, second: number) =>
        database.write(async (session) => {
          tries += 1;
          const add = "UPDATE probe SET amount = amount + 1 WHERE id = ?";
          await session.run(add, [first]);
          await meet();
          await session.run(add, [second]);
        });
      await Promise.all([change(1, 2), change(2, 1)]);
      const rows = await database.read((session) => session.all("SELECT amount FROM probe ORDER BY id"));
      expect(rows).toEqual([{ amount: 2 }, { amount: 2 }]);
      expect(tries).toBe(3);
      expect(pauses).toHaveLength(1);
    });

    it("gives up on a row that somebody holds for long", async () => {
      await database.write((session) => insert(session, 1));
      let letGo = () => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      let holding = () => {};
      const isHeld = new Promise<void>((resolve) => {
        holding = resolve;
      });
      const holder = database.write(async (session) => {
        await session.run("UPDATE probe SET amount = 1 WHERE id = ?", [1]);
        holding();
        await held;
      });
      await isHeld;
      const waiting = database.write(async (session) => {
        await session.run("SET SESSION innodb_lock_wait_timeout = 1");
        await session.run("UPDATE probe SET amount = 2 WHERE id = ?", [1]);
      });
      await expect(waiting).rejects.toMatchObject({
        code: "database_busy",
        details: { seconds: expect.toSatisfy((seconds: number) => seconds >= 2) },
      });
      expect(pauses).toHaveLength(2);
      letGo();
      await holder;
    });
  });

  it("refuses a statement that the server would not take, with nothing half written", async () => {
    const large = database.write(async (session) => {
      await insert(session, 1, "before");
      await session.run("INSERT INTO probe (text) VALUES (?)", ["x".repeat(17_000_000)]);
    });
    await expect(large).rejects.toMatchObject({
      code: "database_statement_too_large",
      details: { limit: 16 * MIB, setting: "max_allowed_packet" },
    });
    expect(await ids()).toEqual([]);
    await database.write((session) => insert(session, 2, "x".repeat(16 * MIB - 1_000)));
    expect(await ids()).toEqual([2]);
  });

  describe("through the query builder", () => {
    const builder = () => new Kysely<ProbeSchema>({ dialect: database.dialect });
    const row = { text: "a🦌", data: new Uint8Array([0, 255]), amount: 0.5 };

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
      expect(await kysely.selectFrom("probe").selectAll().limit(1).offset(1).execute()).toStrictEqual([
        { id: 42, ...row, text: null },
      ]);
      const changed = await kysely.updateTable("probe").set({ amount: 0.5 }).executeTakeFirst();
      expect(changed).toMatchObject({ numUpdatedRows: 2n });
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
          throw new Error("changed my mind");
        });
      await expect(failing).rejects.toThrow("changed my mind");
      expect(await ids()).toEqual([1]);
    });

    it("checks values and gives our errors", async () => {
      const kysely = builder();
      const invalid = kysely.selectFrom("probe").where(sql<boolean>`id = ${new Date()}`).selectAll();
      await expect(invalid.execute()).rejects.toMatchObject({ code: "database_value_invalid" });
      const large = { id: 1, ...row, data: new Uint8Array(16 * MIB) };
      await expect(kysely.insertInto("probe").values(large).execute()).rejects.toMatchObject({
        code: "database_statement_too_large",
      });
      expect(await ids()).toEqual([]);
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

  it("tells its size, and gives space back when it is compacted", async () => {
    const text = "a line of the log ".repeat(1_000);
    await database.write(async (session) => {
      for (let seq = 1; seq <= 400; seq += 1) {
        const values = ["t", "t", seq, "u", "r", "e", text, "{}", 0];
        await session.run(`INSERT INTO run_events VALUES (${values.map(() => "?").join(", ")})`, values);
      }
    });
    await database.compact();
    const full = await database.size();
    expect(full).toBeGreaterThan(400 * text.length);
    await database.write((session) => session.run("DELETE FROM run_events"));
    await database.compact();
    expect(await database.size()).toBeLessThan(full / 4);
  });

  it("waits for turns under way when it is closed, and takes none afterwards", async () => {
    const events: string[] = [];
    const turn = database.read(async (session) => {
      await session.all("SELECT SLEEP(0.1)");
      events.push("turn");
    });
    // The turn has its connection once another one got one after it.
    await database.read((session) => session.all("SELECT 1"));
    await Promise.all([database.close().then(() => events.push("closed")), database.close(), turn]);
    expect(events).toEqual(["turn", "closed"]);
    await expect(database.read((session) => session.all("SELECT 1"))).rejects.toMatchObject({
      code: "database_unreachable",
      details: { reason: "it was closed here" },
    });
  });
});
