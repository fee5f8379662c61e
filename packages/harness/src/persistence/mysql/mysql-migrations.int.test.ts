import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compiledFolder, compileRooms } from "../../testing/compile-rooms.js";
import { testDatabases } from "../../testing/test-databases.js";
import { scaled } from "../../testing/test-scale.js";
import { MIGRATIONS, OUR_TABLES, SCHEMA_VERSION } from "../migrations/migrations.js";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { parseMysqlAddress } from "./mysql-address.js";
import { type MysqlConnection, MysqlConnections } from "./mysql-connection.js";
import { type MigratedConnection, migrateMysql } from "./mysql-migrations.js";
import { openMysql } from "./open-mysql.js";

type MysqlLocation = Extract<DatabaseLocation, { backend: "mysql" }>;

const FOLDER = compiledFolder("mysql-migrations");
const KILLS = scaled(50, 3);
const server = (await testDatabases()).find(({ backend }) => backend === "mysql");

const freshLocation = async () => (await server?.open()) as MysqlLocation;
const databaseOf = ({ url }: MysqlLocation) => parseMysqlAddress(url).database;

/** Runs statements as another program would. */
async function asOther(location: MysqlLocation, ...statements: string[]): Promise<unknown> {
  const place = new URL(location.url);
  place.pathname = "";
  const connection = await createConnection({ uri: place.href, multipleStatements: true });
  try {
    return (await connection.query(statements.join(";")))[0];
  } finally {
    await connection.end();
  }
}

const all = (database: SqlDatabase, statement: string) => database.read((session) => session.all(statement));

const tablesOf = async (database: SqlDatabase): Promise<string[]> =>
  (await all(database, "SHOW TABLES")).flatMap((row) => Object.values(row).map(String)).toSorted();

/** What a database of the newest schema is, to the letter. */
async function schemaOf(location: MysqlLocation): Promise<unknown> {
  const database = await openMysql(location);
  const tables: unknown[] = [];
  for (const table of await tablesOf(database)) {
    const [row] = await all(database, `SHOW CREATE TABLE ${table}`);
    tables.push(row?.["Create Table"]);
  }
  tables.push(
    await all(database, "SELECT version, title, finished FROM deerflow_migrations ORDER BY version"),
  );
  await database.close();
  return tables;
}

class Opener {
  readonly #process: ChildProcess;
  readonly ended: Promise<{ signal: NodeJS.Signals | null; output: string }>;
  #watch: (() => void) | undefined;

  constructor(url: string) {
    this.#process = spawn(process.execPath, [join(FOLDER, "opens-mysql.child.mjs"), FOLDER, url]);
    let output = "";
    const note = (chunk: unknown) => {
      output += String(chunk);
      this.#watch?.();
    };
    this.#process.stdout?.on("data", note);
    this.#process.stderr?.on("data", note);
    this.ended = new Promise((resolve) => {
      this.#process.on("close", (_code, signal) => resolve({ signal, output }));
    });
  }

  opening(): Promise<void> {
    return new Promise((resolve) => {
      this.#watch = resolve;
    });
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}

describe.skipIf(server === undefined)("migrations on MySQL", () => {
  let whole: unknown;
  beforeAll(async () => {
    compileRooms(["base", "persistence"], FOLDER);
    cpSync(new URL("opens-mysql.child.mjs", import.meta.url), join(FOLDER, "opens-mysql.child.mjs"));
    whole = await schemaOf(await freshLocation());
  });
  afterAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    await server?.drop();
  });

  it("make the tables that they name, and no others", async () => {
    const database = await openMysql(await freshLocation());
    expect(await tablesOf(database)).toEqual([...OUR_TABLES, "deerflow_migrations"].toSorted());
    await database.close();
  });

  it("are done by one of ten that open a new database at the same moment", async () => {
    const location = await freshLocation();
    const databases = await Promise.all(Array.from({ length: 10 }, () => openMysql(location)));
    for (const database of databases) await database.close();
    expect(await schemaOf(location)).toEqual(whole);
  });

  it("are done by one of ten processes", async () => {
    const location = await freshLocation();
    const openers = Array.from({ length: 10 }, () => new Opener(location.url));
    for (const opener of openers) {
      expect(await opener.ended).toEqual({ signal: null, output: "opening\nopened\n" });
    }
    expect(await schemaOf(location)).toEqual(whole);
  }, 120_000);

  it("are finished by the next one, after whichever statement the first one died", async () => {
    const location = await freshLocation();
    const name = databaseOf(location);
    const migrating = async (deadly: number): Promise<number> => {
      await asOther(location, `DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`);
      const connections = await MysqlConnections.to(parseMysqlAddress(location.url), name);
      const connection = await connections.acquire();
      const mortal = new MortalConnection(connection, deadly);
      const outcome = migrateMysql({ connection: mortal, database: name, name });
      if (deadly === Number.POSITIVE_INFINITY) await outcome;
      else await expect(outcome).rejects.toThrow("died");
      connection.release();
      await connections.close();
      return mortal.done;
    };
    const statements = await migrating(Number.POSITIVE_INFINITY);
    // Each migration is begun and finished, and each table is made.
    expect(statements).toBeGreaterThan(2 * MIGRATIONS.length + OUR_TABLES.length);
    const points = scaled(statements, 6);
    for (let point = 0; point < points; point += 1) {
      await migrating(1 + Math.floor(((point + Math.random()) * statements) / points));
      expect(await schemaOf(location)).toEqual(whole);
    }
  }, 120_000);

  it(
    `are finished by the next one, in ${KILLS} kills at random moments`,
    async () => {
      for (let round = 0; round < KILLS; round += 1) {
        const location = await freshLocation();
        const opener = new Opener(location.url);
        await opener.opening();
        await sleep(Math.random() * 400);
        opener.kill();
        expect((await opener.ended).output).toMatch(/^opening\n(opened\n)?$/);
        expect(await schemaOf(location)).toEqual(whole);
      }
    },
    30_000 + KILLS * 5_000,
  );

  it("leave a database alone that was written by a newer program, and say both versions", async () => {
    const location = await freshLocation();
    const database = await openMysql(location);
    await database.write((session) =>
      session.run("INSERT INTO deerflow_migrations VALUES (900, 'new', TRUE)"),
    );
    const before = await tablesOf(database);
    await expect(openMysql(location)).rejects.toMatchObject({
      code: "database_newer",
      details: { found: 900, known: SCHEMA_VERSION },
    });
    expect(await tablesOf(database)).toEqual(before);
    await database.close();
  });

  it.each(["threads", "checkpoints"])(
    "leave a database alone in which another program has %s",
    async (table) => {
      const location = await freshLocation();
      const name = databaseOf(location);
      await asOther(location, `CREATE DATABASE ${name}`, `CREATE TABLE ${name}.${table} (diary TEXT)`);
      for (let time = 0; time < 2; time += 1) {
        await expect(openMysql(location)).rejects.toMatchObject({
          code: "database_foreign",
          details: { reason: `it has tables of another program: ${table}` },
        });
      }
      expect(await asOther(location, `SHOW TABLES FROM ${name}`)).toHaveLength(1);
    },
  );

  it("live beside tables of another program that have other names", async () => {
    const location = await freshLocation();
    const name = databaseOf(location);
    await asOther(location, `CREATE DATABASE ${name}`, `CREATE TABLE ${name}.diary (day TEXT)`);
    const database = await openMysql(location);
    expect(await tablesOf(database)).toContain("diary");
    await database.compact();
    await database.close();
  });

  it("store text in full and compare it to the letter, whatever the database was made for", async () => {
    const location = await freshLocation();
    const name = databaseOf(location);
    await asOther(location, `CREATE DATABASE ${name} CHARACTER SET latin1 COLLATE latin1_swedish_ci`);
    const database = await openMysql(location);
    const others = await all(
      database,
      `SELECT table_name, column_name, collation_name FROM information_schema.columns
        WHERE table_schema = DATABASE() AND collation_name <> 'utf8mb4_bin'`,
    );
    expect(others).toEqual([]);
    await database.close();
  });
});

/** A connection whose process dies after so many of the statements that change something. */
class MortalConnection implements MigratedConnection {
  readonly #connection: MysqlConnection;
  readonly #deadly: number;
  done = 0;

  constructor(connection: MysqlConnection, deadly: number) {
    this.#connection = connection;
    this.#deadly = deadly;
  }

  readonly all: MysqlConnection["all"] = (...statement) => this.#connection.all(...statement);
  readonly rollback: MysqlConnection["rollback"] = () => this.#connection.rollback();
  readonly execute: MysqlConnection["execute"] = (...statement) =>
    this.#counted(() => this.#connection.execute(...statement));
  readonly run: MysqlConnection["run"] = (...statement) => {
    const run = () => this.#connection.run(...statement);
    return statement[0].includes("RELEASE_LOCK") ? run() : this.#counted(run);
  };

  async #counted<T>(statement: () => Promise<T>): Promise<T> {
    if (this.done === this.#deadly) throw new Error("died");
    const result = await statement();
    this.done += 1;
    if (this.done === this.#deadly) throw new Error("died");
    return result;
  }
}
