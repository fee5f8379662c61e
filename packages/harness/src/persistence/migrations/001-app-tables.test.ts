import { createHash } from "node:crypto";
import { Kysely } from "kysely";
import { expect, it } from "vitest";
import { IN_MEMORY, SqliteConnection } from "../sqlite/sqlite-connection.js";
import { sqliteDialect } from "../sqlite/sqlite-dialect.js";
import { createAppTables } from "./001-app-tables.js";

it("makes the tables of SQLite as they were released, to the byte", async () => {
  const connection = await SqliteConnection.open(IN_MEMORY);
  await createAppTables(new Kysely({ dialect: sqliteDialect(connection) }), "sqlite");
  const tables = connection.all("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name");
  expect(tables.map(({ name }) => name)).toEqual([
    "run_events",
    "runs",
    "runs_one_running",
    "threads",
    "threads_by_update",
  ]);
  const digest = createHash("sha256")
    .update(tables.map((table) => table["sql"]).join("\n"))
    .digest("hex");
  expect(digest).toBe("508657a9696f375745cedb2767fe5fc97f6b5b5d116b3dfa4a35d24cc2513d7d");
  await connection.close();
});
