import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely } from "kysely";
import { afterAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { testDatabases } from "../../testing/test-databases.js";
import { MIGRATIONS, SCHEMA_VERSION } from "../migrations/migrations.js";
import { openPersistence } from "../open-persistence.js";
import { openDatabase } from "../sql/open-database.js";
import { SqliteConnection } from "../sqlite/sqlite-connection.js";
import { sqliteDialect } from "../sqlite/sqlite-dialect.js";
import { migrateDatabase } from "./migrate-database.js";

const folder = mkdtempSync(join(tmpdir(), "deerflow-older-"));
const servers = (await testDatabases()).filter(
  ({ backend }) => backend === "postgres" || backend === "mysql",
);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const { drop } of servers) await drop();
});

/** A file as the second schema had it, with one thread. */
async function makeOlder(path: string): Promise<void> {
  const connection = await SqliteConnection.open(path);
  const database = new Kysely<unknown>({ dialect: sqliteDialect(connection) });
  for (const { up } of MIGRATIONS.filter(({ version }) => version <= 2)) await up(database, "sqlite");
  connection.run("INSERT INTO threads VALUES ('local', 'old', 'local', 'idle', '{}', '{}', 1, 2)");
  connection.exec("PRAGMA user_version = 2");
  await connection.close();
}

const versionOf = (path: string): number => readFileSync(path).readUInt32BE(60);

describe("a source that another version made", () => {
  it("is brought to today's form in a copy, where it is an older file", async () => {
    const from = { backend: "sqlite" as const, path: join(folder, "older.db") };
    const to = { backend: "sqlite" as const, path: join(folder, "to.db") };
    await makeOlder(from.path);
    expect((await migrateDatabase({ from, to })).totals).toMatchObject({ copied: 1 });
    expect(versionOf(from.path)).toBe(2);
    const persistence = await openPersistence(to);
    expect((await persistence.threads.find(LOCAL_PRINCIPAL, "old"))?.updatedAt).toBe(2);
    await persistence.close();
  });

  it("is refused where it is newer", async () => {
    const path = join(folder, "newer.db");
    const database = await openDatabase({ backend: "sqlite", path });
    await database.close();
    const connection = await SqliteConnection.open(path);
    connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    await connection.close();
    const to = { backend: "sqlite" as const, path: join(folder, "unmade.db") };
    await expect(migrateDatabase({ from: { backend: "sqlite", path }, to })).rejects.toMatchObject({
      code: "database_newer",
    });
  });

  it.each(servers)("is refused on $name, where nothing is changed to read it", async ({ open }) => {
    const from = await open();
    await (await openDatabase(from)).close();
    const database = await openDatabase(from);
    const older =
      database.backend === "postgres"
        ? "UPDATE deerflow_schema SET version = version - 1"
        : `DELETE FROM deerflow_migrations WHERE version = ${SCHEMA_VERSION}`;
    await database.write((session) => session.run(older));
    await database.close();
    const to = { backend: "sqlite" as const, path: join(folder, "unmade.db") };
    await expect(migrateDatabase({ from, to })).rejects.toMatchObject({ code: "migration_source_unknown" });
  });

  it.each(servers)("is not made where there is none on $name", async ({ open }) => {
    const from = await open();
    const to = { backend: "sqlite" as const, path: join(folder, "unmade.db") };
    for (const attempt of [1, 2]) {
      const refusal = migrateDatabase({ from, to });
      await expect(refusal, `attempt ${attempt}`).rejects.toMatchObject({ code: "migration_source_unknown" });
    }
  });
});
