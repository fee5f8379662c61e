import { Client } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { testDatabases } from "../../testing/test-databases.js";
import { scaled } from "../../testing/test-scale.js";
import { MIGRATIONS, OUR_TABLES, SCHEMA_VERSION } from "../migrations/migrations.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openPostgres } from "./open-postgres.js";

type PostgresLocation = Extract<DatabaseLocation, { backend: "postgres" }>;

/** What LangGraph's own saver makes. Two of its names are ours as well. */
const LANGGRAPH_TABLES = `
  CREATE TABLE checkpoint_migrations (v INTEGER PRIMARY KEY);
  CREATE TABLE checkpoints (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, parent_checkpoint_id TEXT,
    type TEXT, checkpoint JSONB, metadata JSONB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
  CREATE TABLE checkpoint_blobs (thread_id TEXT, checkpoint_ns TEXT, channel TEXT, version TEXT, type TEXT, blob BYTEA,
    PRIMARY KEY (thread_id, checkpoint_ns, channel, version));
  CREATE TABLE checkpoint_writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER,
    channel TEXT, type TEXT, blob BYTEA, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
  INSERT INTO checkpoints VALUES ('a conversation', '', '1', NULL, NULL, '{}', '{}');`;

const server = (await testDatabases()).find(({ backend }) => backend === "postgres");
const ROUNDS = scaled(20, 3);
const freshLocation = async () => (await server?.open()) as PostgresLocation;

/** Runs statements as another program would, in the schema of the location. */
async function asOther({ url, schema }: PostgresLocation, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET search_path TO "${schema}"`);
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

const namesIn = async (location: PostgresLocation): Promise<unknown[]> =>
  (
    (await asOther(
      location,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${location.schema}' ORDER BY 1`,
    )) as { name: string }[]
  ).map(({ name }) => name);

/** What a database is to the letter: columns, indexes and the version. */
async function shapeOf(location: PostgresLocation): Promise<unknown[]> {
  const columns = `SELECT table_name, column_name, data_type, is_nullable, collation_name
    FROM information_schema.columns WHERE table_schema = '${location.schema}' ORDER BY 1, ordinal_position`;
  const indexes = `SELECT indexname, replace(indexdef, '${location.schema}.', '') AS definition
    FROM pg_indexes WHERE schemaname = '${location.schema}' ORDER BY 1`;
  const version = "SELECT * FROM deerflow_schema";
  return [
    await asOther(location, columns),
    await asOther(location, indexes),
    await asOther(location, version),
  ];
}

describe.skipIf(server === undefined)("migrations on PostgreSQL", () => {
  afterAll(() => server?.drop());

  it("make the schema with the tables that they name, and no others", async () => {
    const location = await freshLocation();
    const database = await openPostgres(location);
    expect(await namesIn(location)).toEqual([...OUR_TABLES, "deerflow_schema"].toSorted());
    expect(await asOther(location, "SELECT version FROM deerflow_schema")).toEqual([
      { version: SCHEMA_VERSION },
    ]);
    await database.close();
  });

  it(`are done by one of ten that open a new database at the same moment, ${ROUNDS} times`, async () => {
    const alone = await freshLocation();
    await (await openPostgres(alone)).close();
    for (let round = 0; round < ROUNDS; round += 1) {
      const together = await freshLocation();
      const databases = await Promise.all(Array.from({ length: 10 }, () => openPostgres(together)));
      for (const database of databases) await database.close();
      expect(await shapeOf(together)).toEqual(await shapeOf(alone));
    }
  });

  it("go on from the version that an older program left", async () => {
    const location = await freshLocation();
    const newest = MIGRATIONS.at(-1);
    await (await openPostgres(location)).close();
    const whole = await shapeOf(location);
    await asOther(
      location,
      ...(newest?.tables ?? []).map((table) => `DROP TABLE ${table}`),
      `UPDATE deerflow_schema SET version = ${SCHEMA_VERSION - 1}`,
    );
    await (await openPostgres(location)).close();
    expect(await shapeOf(location)).toEqual(whole);
  });

  it("leave a database alone that was written by a newer program, and say both versions", async () => {
    const location = await freshLocation();
    await (await openPostgres(location)).close();
    await asOther(location, "UPDATE deerflow_schema SET version = 900");
    const before = await shapeOf(location);
    await expect(openPostgres(location)).rejects.toMatchObject({
      code: "database_newer",
      details: { found: 900, known: SCHEMA_VERSION },
    });
    expect(await shapeOf(location)).toEqual(before);
  });

  it("leave the tables of LangGraph's own saver alone, and say to name another schema", async () => {
    const location = await freshLocation();
    await asOther(location, `CREATE SCHEMA ${location.schema}`, LANGGRAPH_TABLES);
    const before = await namesIn(location);
    for (let time = 0; time < 2; time += 1) {
      await expect(openPostgres(location)).rejects.toMatchObject({
        code: "database_foreign",
        message: expect.stringContaining(
          `its schema ${location.schema} has tables of another program: checkpoint_writes, checkpoints`,
        ),
        next: expect.stringContaining("database.schema to another schema"),
      });
    }
    expect(await namesIn(location)).toEqual(before);
    expect(await asOther(location, "SELECT thread_id FROM checkpoints")).toEqual([
      { thread_id: "a conversation" },
    ]);
  });

  it("undo all of theirs where another program has an index of the same name", async () => {
    const location = await freshLocation();
    await asOther(
      location,
      `CREATE SCHEMA ${location.schema}`,
      "CREATE TABLE diary (day TEXT)",
      "CREATE INDEX checkpoint_parts_by_hash ON diary (day)",
    );
    await expect(openPostgres(location)).rejects.toMatchObject({
      code: "database_foreign",
      details: { reason: expect.stringContaining('"checkpoint_parts_by_hash" already exists') },
    });
    expect(await namesIn(location)).toEqual(["diary"]);
  });

  it("live beside tables of another program that have other names", async () => {
    const location = await freshLocation();
    await asOther(location, `CREATE SCHEMA ${location.schema}`, "CREATE TABLE diary (day TEXT)");
    const database = await openPostgres(location);
    expect(await namesIn(location)).toContain("diary");
    await database.compact();
    await database.close();
  });

  it("take a schema whose name needs quotes", async () => {
    const location = await freshLocation();
    const strange = { ...location, schema: `${location.schema}"; DROP TABLE "x 🦌` };
    const database = await openPostgres(strange);
    try {
      await database.write((session) =>
        session.run(
          "INSERT INTO checkpoint_threads (scope, thread_id, next_message, next_value, next_part, generation) VALUES ('s', 't', 1, 1, 1, 1)",
        ),
      );
      expect(await database.size()).toBeGreaterThan(0);
      const found = await database.read((session) => session.all("SELECT current_schema()::text AS name"));
      expect(found).toEqual([{ name: strange.schema }]);
    } finally {
      await database.close();
      await asOther(location, `DROP SCHEMA "${strange.schema.replaceAll('"', '""')}" CASCADE`);
    }
  });

  it("see no table of another schema, and hide theirs from it", async () => {
    const [one, other] = [await freshLocation(), await freshLocation()];
    const [first, second] = [await openPostgres(one), await openPostgres(other)];
    const add =
      "INSERT INTO store_items (scope, namespace, item_key, value, created_at, updated_at) VALUES ('s', 'n', 'k', '1', 0, 0)";
    await first.write((session) => session.run(add));
    const count = "SELECT count(*) AS count FROM store_items";
    expect(await first.read((session) => session.all(count))).toEqual([{ count: 1 }]);
    expect(await second.read((session) => session.all(count))).toEqual([{ count: 0 }]);
    await first.close();
    await second.close();
  });
});
