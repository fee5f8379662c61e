import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "./open-sqlite.js";
import type { SqliteConnection } from "./sqlite-connection.js";
import { sqliteDialect } from "./sqlite-dialect.js";

interface Notes {
  notes: { id: number; text: string | null; bytes: Uint8Array | null };
}

describe("the SQLite connection", () => {
  let folder: string;
  let path: string;
  let connection: SqliteConnection;
  const rows = () => connection.all("SELECT * FROM notes ORDER BY id");

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "deerflow-connection-"));
    path = join(folder, "deerflow.db");
    connection = await openSqlite(path);
    connection.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB)");
  });
  afterEach(async () => {
    await connection.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("stores whole numbers as such, and gives bytes back as bytes", () => {
    connection.run("INSERT INTO notes VALUES (?, ?, ?)", [1, 5, new Uint8Array([1, 2, 3, 4]).subarray(1, 3)]);
    const expected = { id: 1, text: "5", bytes: new Uint8Array([2, 3]) };
    expect(rows()).toEqual([expected]);
    const { bytes, ...rest } = connection.first("SELECT * FROM notes") ?? {};
    expect({ ...rest, bytes: new Uint8Array(bytes as Uint8Array) }).toEqual(expected);
    expect(connection.first("SELECT * FROM notes WHERE id = 2")).toBeUndefined();
  });

  it("refuses a boolean, and the process lives on", () => {
    expect(() => connection.run("INSERT INTO notes VALUES (?, ?, ?)", [1, true, null])).toThrow(
      /type boolean/,
    );
    expect(rows()).toEqual([]);
  });

  it("undoes a transaction that fails, and gives the next one its turn", async () => {
    const failing = connection.write(async () => {
      connection.run("INSERT INTO notes (id) VALUES (1)");
      throw new Error("no");
    });
    const next = connection.write(async () => connection.run("INSERT INTO notes (id) VALUES (2)"));
    await expect(failing).rejects.toThrow("no");
    await next;
    expect(rows().map(({ id }) => id)).toEqual([2]);
  });

  it("keeps concurrent transactions apart, its own and the query builder's", async () => {
    const kysely = new Kysely<Notes>({ dialect: sqliteDialect(connection) });
    const own = (id: number) =>
      connection.write(async () => {
        expect(connection.inTransaction).toBe(true);
        connection.run("INSERT INTO notes (id) VALUES (?)", [id]);
        await Promise.resolve();
        connection.run("UPDATE notes SET text = 'own' WHERE id = ?", [id]);
      });
    const built = (id: number) =>
      kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto("notes").values({ id, text: null, bytes: null }).execute();
        await transaction.updateTable("notes").set({ text: "built" }).where("id", "=", id).execute();
      });
    const undone = kysely.transaction().execute(async (transaction) => {
      await transaction.insertInto("notes").values({ id: 99, text: null, bytes: null }).execute();
      throw new Error("undo");
    });
    await Promise.all([own(1), built(2), expect(undone).rejects.toThrow("undo"), own(3), built(4)]);
    expect(rows().map(({ id, text }) => `${id} ${text}`)).toEqual(["1 own", "2 built", "3 own", "4 built"]);
  });

  it("waits for another program that holds the database, while the event loop goes on and readers read", async () => {
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const writing = connection.write(async () => connection.run("INSERT INTO notes (id) VALUES (1)"));
    const built = new Kysely<Notes>({ dialect: sqliteDialect(connection) })
      .insertInto("notes")
      .values({ id: 2, text: null, bytes: null })
      .execute();
    const started = performance.now();
    for (let tick = 0; tick < 20; tick += 1) {
      await sleep(1);
      expect(await connection.read(async () => rows())).toEqual([]);
    }
    other.exec("COMMIT");
    await Promise.all([writing, built]);
    other.close();
    expect(rows()).toHaveLength(2);
    // A driver that waits by itself does so for 5 seconds, and nothing else runs meanwhile.
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  it("keeps many different statements without growing", () => {
    for (let round = 0; round < 600; round += 1) connection.all(`SELECT ${round} AS n`);
    expect(connection.first("SELECT 7 AS n")).toEqual({ n: 7 });
  });

  it("leaves no log behind when it is closed, and closes once", async () => {
    connection.run("INSERT INTO notes (id) VALUES (1)");
    await Promise.all([connection.close(), connection.close()]);
    if (existsSync(`${path}-wal`)) expect(statSync(`${path}-wal`).size).toBe(0);
    expect(() => rows()).toThrow(/not open/);
    connection = await openSqlite(path);
    expect(rows()).toHaveLength(1);
  });
});
