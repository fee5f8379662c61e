import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { defaultDatabasePath } from "../context/home-paths.js";
import { openDatabase } from "../persistence/sql/open-database.js";
import { testDatabases } from "../testing/test-databases.js";
import { inspectDatabases } from "./inspect-database.js";

const servers = (await testDatabases()).filter(
  ({ backend }) => backend === "postgres" || backend === "mysql",
);
afterAll(async () => {
  for (const { drop } of servers) await drop();
});

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "deerflow-inspect-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const inspect = (raw: object) => inspectDatabases(parseConfig(raw).config, { home, config: home });

describe("a look at the databases", () => {
  it("makes none, and says that one will be made", async () => {
    const path = defaultDatabasePath(home);
    const place = `${path} (will be created)`;
    expect(await inspect({})).toEqual([{ part: "database", backend: "sqlite", place }]);
    expect(existsSync(path)).toBe(false);
  });

  it("names every part that has a place of its own, and what is wrong with it", async () => {
    writeFileSync(join(home, "items.db"), "dear diary");
    const found = await inspect({
      database: { backend: "memory" },
      checkpointer: { backend: "sqlite", path: "c.db" },
      store: { backend: "sqlite", path: "items.db" },
    });
    expect(found).toMatchObject([
      { part: "database", backend: "memory", place: "memory (lost when the program ends)" },
      { part: "checkpointer", place: `${join(home, "c.db")} (will be created)` },
      { part: "store", problem: { code: "database_foreign" } },
    ]);
  });

  it("shows no password of a server that does not answer", async () => {
    const [found] = await inspect({ database: { url: "mysql://anna:geheim@127.0.0.1:1/flow" } });
    expect(found?.problem).toMatchObject({ code: "database_unreachable" });
    expect(JSON.stringify([found, found?.problem?.sentence])).not.toContain("geheim");
  });

  it.each(servers)("leaves $name as it is", async ({ open }) => {
    const location = await open();
    const [before] = await inspect({ database: location });
    expect(before?.place).toContain("(its tables will be created)");
    await (await openDatabase(location)).close();
    const [after] = await inspect({ database: location });
    expect(after).toMatchObject({ backend: location.backend, place: expect.not.stringContaining("will be") });
  });
});
