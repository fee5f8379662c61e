/** `deerflow checkpoints migrate`, as a person runs it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOCAL_PRINCIPAL } from "@deerflow/harness";
import { openPersistence } from "@deerflow/harness/persistence";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { converse, conversingGraph, historyOf } from "../packages/harness/src/testing/conversing-graph.js";
import { testDatabases } from "../packages/harness/src/testing/test-databases.js";
import { Installation } from "./support/deerflow-command.js";

const postgres = (await testDatabases()).find(({ backend }) => backend === "postgres");
let installation: Installation;
let old: string;

beforeEach(async () => {
  installation = new Installation();
  old = join(installation.folder, "old.db");
  const persistence = await openPersistence({ backend: "sqlite", path: old });
  for (const threadId of ["one", "two"]) await persistence.threads.create(LOCAL_PRINCIPAL, { threadId });
  await converse(conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL)), "one");
  await persistence.close();
});
afterEach(() => installation.remove());
afterAll(async () => postgres?.drop());

const migrate = (...args: readonly string[]) => installation.start(["checkpoints", "migrate", ...args]).ended;

describe("deerflow checkpoints migrate", () => {
  it("moves a database, says what it did, and does nothing the second time", async () => {
    const first = await migrate("--from", "old.db", "--to", "new/new.db", "--report", "report.json");
    expect(first.err).toContain("[1/2] copied    one");
    expect(first.err).toContain("Of 2 threads: 2 copied");
    expect(first.err).toContain("Then write into config.yaml: database: {backend: sqlite");
    expect(first).toMatchObject({ code: 0, out: "" });
    const report: unknown = JSON.parse(readFileSync(join(installation.folder, "report.json"), "utf8"));
    expect(report).toMatchObject({ status: "done", totals: { copied: 2 } });
    const second = await migrate("--from", "old.db", "--to", "new/new.db", "--json");
    expect(JSON.parse(second.out)).toMatchObject({ status: "done", totals: { unchanged: 2, bytes: 0 } });
    const moved = await openPersistence({ backend: "sqlite", path: join(installation.folder, "new/new.db") });
    expect(await moved.threads.search(LOCAL_PRINCIPAL, { limit: 9, offset: 0 })).toHaveLength(2);
    expect(await historyOf(conversingGraph(moved.checkpointer(LOCAL_PRINCIPAL)), "one")).not.toHaveLength(0);
    await moved.close();
  });

  it.skipIf(postgres === undefined)("takes an address from a variable, and one thread of all", async () => {
    const place = await postgres?.open();
    if (place?.backend !== "postgres") throw new Error("not PostgreSQL");
    const args = ["--from", "old.db", "--to", "$NEW_DATABASE", "--to-schema", place.schema ?? "", "one"];
    const ended = await installation.start(["checkpoints", "migrate", ...args], { NEW_DATABASE: place.url })
      .ended;
    expect(ended.err).toContain("Of 1 threads: 1 copied");
    expect(ended.code).toBe(0);
  });

  it("makes nothing when a thread that was named is not there", async () => {
    const ended = await migrate("--from", "old.db", "--to", "new.db", "nosuch", "one");
    expect(ended).toMatchObject({ code: 2, out: "" });
    expect(ended.err).toContain("old.db has no such thread: nosuch. Nothing was moved.");
    expect(existsSync(join(installation.folder, "new.db"))).toBe(false);
  });

  it("says in one sentence what is wrong", async () => {
    expect(await migrate("--from", "none.db", "--to", "new.db")).toMatchObject({
      code: 2,
      err: expect.stringContaining("none.db holds nothing that can be moved (it is not there)"),
    });
    expect(await migrate("--from", "old.db", "--to", "old.db")).toMatchObject({
      code: 2,
      err: expect.stringContaining("cannot be moved to itself"),
    });
    expect(await migrate("--from", "$NOT_SET", "--to", "new.db")).toMatchObject({ code: 2 });
  });
});
