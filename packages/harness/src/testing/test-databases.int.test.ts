import { existsSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createConnection } from "mysql2/promise";
import { Client } from "pg";
import { type TestDatabase, testDatabases } from "./test-databases.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetModules();
});

const databases = await testDatabases();
const named = (name: TestDatabase["name"]): TestDatabase | undefined =>
  databases.find((database) => database.name === name);

/** The module as it is where neither server answers. */
async function withoutServers() {
  vi.stubEnv("DEERFLOW_TEST_POSTGRES_URL", "postgres://nobody:secret-word@127.0.0.1:9/none");
  vi.stubEnv("DEERFLOW_TEST_MYSQL_URL", "mysql://nobody:secret-word@127.0.0.1:9/");
  vi.resetModules();
  return import("./test-databases.js");
}

describe("the databases of a suite", () => {
  it("gives another place at each call", async () => {
    for (const { open, drop } of databases.filter(({ backend }) => backend !== "memory")) {
      expect(await open()).not.toEqual(await open());
      await drop();
    }
  });

  it("removes the folders of the SQLite files", async () => {
    const database = named("SQLite");
    const location = await database?.open();
    if (location?.backend !== "sqlite") throw new Error("SQLite must be among the databases");
    const folder = location.path.slice(0, location.path.lastIndexOf("/"));
    expect(existsSync(folder)).toBe(true);
    await database?.drop();
    expect(existsSync(folder)).toBe(false);
  });

  it.skipIf(named("PostgreSQL") === undefined)("removes the schemas on PostgreSQL", async () => {
    const database = named("PostgreSQL");
    const location = await database?.open();
    if (location?.backend !== "postgres") throw new Error("not a place on PostgreSQL");
    const client = new Client({ connectionString: location.url });
    await client.connect();
    const count = async () =>
      (await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [location.schema])).rowCount;
    await client.query(`CREATE SCHEMA ${location.schema}`);
    expect(await count()).toBe(1);
    await database?.drop();
    expect(await count()).toBe(0);
    await client.end();
  });

  it.skipIf(named("MySQL") === undefined)("removes the databases on MySQL", async () => {
    const database = named("MySQL");
    const location = await database?.open();
    if (location?.backend !== "mysql") throw new Error("not a place on MySQL");
    const name = new URL(location.url).pathname.slice(1);
    const server = new URL(location.url);
    server.pathname = "";
    const connection = await createConnection(server.href);
    const found = async () => (await connection.query(`SHOW DATABASES LIKE '${name}'`))[0];
    await connection.query(`CREATE DATABASE ${name}`);
    expect(await found()).toHaveLength(1);
    await database?.drop();
    expect(await found()).toHaveLength(0);
    await connection.end();
  });

  it("skips a server that does not answer, with one line that has no password in it", async () => {
    vi.stubEnv("DEERFLOW_REQUIRE_SERVICES", "");
    const lines: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
    const found = await (await withoutServers()).testDatabases();
    expect(found.map(({ name }) => name)).toEqual(["SQLite", "memory"]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("PostgreSQL are skipped: connect ECONNREFUSED 127.0.0.1:9");
    expect(lines[1]).toContain("MySQL are skipped: connect ECONNREFUSED 127.0.0.1:9");
    expect(lines.join("")).not.toContain("secret-word");
  });

  it("fails instead of skipping where services are required", async () => {
    vi.stubEnv("DEERFLOW_REQUIRE_SERVICES", "1");
    await expect((await withoutServers()).testDatabases()).rejects.toThrow("PostgreSQL must answer here");
  });
});
