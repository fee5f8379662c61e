import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { killedClientSuite } from "../../testing/durable-run/killed-client-suite.js";

const folder = mkdtempSync(join(tmpdir(), "deerflow-killed-"));
afterAll(() => rmSync(folder, { recursive: true }));

let opened = 0;
killedClientSuite(
  "SQLite",
  async () => {
    opened += 1;
    return { backend: "sqlite", path: join(folder, `${opened}.db`) };
  },
  async (database) => {
    const check = await database.read((session) => session.all("PRAGMA integrity_check"));
    expect(check).toEqual([{ integrity_check: "ok" }]);
  },
);
