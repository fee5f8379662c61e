import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Clock } from "../../base/clock.js";
import { runEventStoreSuite } from "../../testing/run-event-store-suite.js";
import { runStoreSuite } from "../../testing/run-store-suite.js";
import { threadStoreSuite } from "../../testing/thread-store-suite.js";
import { openPersistence } from "../open-persistence.js";

const folder = mkdtempSync(join(tmpdir(), "deerflow-stores-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
const inFile = (clock: Clock) => {
  opened += 1;
  return openPersistence({ backend: "sqlite", path: join(folder, `${opened}.db`), clock });
};
const inMemory = (clock: Clock) => openPersistence({ backend: "memory", clock });

for (const suite of [threadStoreSuite, runStoreSuite, runEventStoreSuite]) {
  suite("SQLite", inFile);
  suite("SQLite in memory", inMemory);
}
