/** `deerflow checkpoints stats|prune|compact|verify`, as a person and as a script run them. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { LOCAL_PRINCIPAL } from "@deerflow/harness";
import { openPersistence, openSqlite, type Persistence } from "@deerflow/harness/persistence";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { conversingGraph, historyOf, say } from "../packages/harness/src/testing/conversing-graph.js";
import { testDatabases } from "../packages/harness/src/testing/test-databases.js";
import { Installation } from "./support/deerflow-command.js";

const postgres = (await testDatabases()).find(({ backend }) => backend === "postgres");
let installation: Installation;
let file: string;

const withPersistence = async <T>(work: (persistence: Persistence) => Promise<T>): Promise<T> => {
  const persistence = await openPersistence({ backend: "sqlite", path: file });
  try {
    return await work(persistence);
  } finally {
    await persistence.close();
  }
};

beforeEach(async () => {
  installation = new Installation();
  file = join(installation.folder, "own.db");
  installation.configure("database: {path: own.db}\n");
  await withPersistence(async (persistence) => {
    const graph = conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL));
    for (const threadId of ["one", "two"]) {
      await persistence.threads.create(LOCAL_PRINCIPAL, { threadId });
      for (const text of ["look at this", "delegate it", "look again"]) await say(graph, threadId, text);
    }
  });
});
afterEach(() => installation.remove());
afterAll(async () => postgres?.drop());

const run = (...args: readonly string[]) => installation.run(["checkpoints", ...args]);
/** The one document on standard output. */
async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { out, code } = await run(...args, "--json");
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n")).toHaveLength(1);
  return JSON.parse(out) as Record<string, unknown>;
}
const pastOf = (threadId: string) =>
  withPersistence((persistence) =>
    historyOf(conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL)), threadId),
  );

describe("deerflow checkpoints stats", () => {
  it("tells what each thread takes", async () => {
    expect(await json("stats")).toMatchObject({
      database: file,
      bytes: expect.any(Number),
      threads: [
        { threadId: "one", rows: { parts: 2 } },
        { threadId: "two", rows: { parts: 2 } },
      ],
    });
    const { out, err, code } = await run("stats");
    expect({ err, code }).toEqual({ err: "", code: 0 });
    expect(out).toMatch(/on disk, 2 threads\n(one|two) .* checkpoints, /);
    expect((await run("stats", "two")).out).toMatch(/by channel\n[^]*largest\n/);
  });
});

describe("deerflow checkpoints prune", () => {
  it("says what it would remove, removes it, and says so", async () => {
    const before = await pastOf("one");
    const would = await json("prune", "--keep-last", "2", "--dry-run", "one");
    expect(would).toMatchObject({ dryRun: true, threads: [{ threadId: "one" }], skipped: [] });
    expect(await pastOf("one")).toEqual(before);
    const did = await json("prune", "--keep-last", "2", "one");
    expect(did).toMatchObject({ dryRun: false, removed: would["removed"] });
    expect((await pastOf("one"))[0]).toEqual(before[0]);
    expect(await pastOf("one")).toHaveLength(2);
    expect((await pastOf("two")).length).toBe(before.length);
    const { out, err, code } = await run("prune", "--keep-last", "2");
    expect(code).toBe(0);
    expect(err).toMatch(/^\[1\/2\] one {2}removed 0 checkpoints.*\n\[2\/2\] two {2}removed \d+ checkpoints/);
    expect(err).toContain("deerflow checkpoints compact");
    expect(out).toMatch(/^removed \d+ checkpoints.* of 2 threads\n$/);
  });

  it("does as the configuration says, and asks for a number where it keeps everything", async () => {
    installation.configure("database: {path: own.db, retention: {keep_last: 3}}\n");
    await json("prune");
    expect(await pastOf("one")).toHaveLength(3);
    installation.configure("database: {path: own.db, retention: {keep_last: 0}}\n");
    const { code, err } = await run("prune");
    expect(code).toBe(2);
    expect(err).toContain("--keep-last");
  });

  it("leaves a thread alone whose run is not over", async () => {
    await withPersistence((persistence) =>
      persistence.runs.create(LOCAL_PRINCIPAL, {
        runId: "r1",
        threadId: "one",
        assistantId: "lead_agent",
        multitaskStrategy: "enqueue",
        onDisconnect: "cancel",
        request: {},
        metadata: {},
        owner: "nobody",
      }),
    );
    const before = await pastOf("one");
    expect(await json("prune", "--keep-last", "1")).toMatchObject({ skipped: ["one"] });
    expect(await pastOf("one")).toEqual(before);
    expect(await pastOf("two")).toHaveLength(1);
  });
});

describe("deerflow checkpoints compact", () => {
  it("makes the file smaller, and not with --dry-run", async () => {
    await json("prune", "--keep-last", "1");
    await withPersistence((persistence) => persistence.checkpointer(LOCAL_PRINCIPAL).deleteThread("two"));
    const size = statSync(file).size;
    const would = await json("compact", "--dry-run");
    expect(would).toMatchObject({ dryRun: true, before: would["after"] });
    expect(statSync(file).size).toBe(size);
    const { before, after } = await json("compact");
    expect(Number(after)).toBeLessThan(Number(before));
    expect(statSync(file).size).toBeLessThan(size);
    expect((await run("compact")).out).toMatch(/ before, .* now\n$/);
    expect((await run("compact", "one")).code).toBe(2);
  });
});

describe("deerflow checkpoints verify", () => {
  it("finds nothing in what is sound", async () => {
    expect(await json("verify")).toMatchObject({
      sound: true,
      threads: [{ findings: [] }, { findings: [] }],
    });
    expect(await run("verify")).toMatchObject({ code: 0, out: "2 threads are sound\n" });
  });

  it("tells what is damaged, and ends with 1", async () => {
    const connection = await openSqlite(file);
    connection.run("DELETE FROM checkpoint_messages WHERE thread_key = 1 AND number = 2");
    await connection.close();
    const { code, out, err } = await run("verify");
    expect(code).toBe(1);
    expect(err).toMatch(/^\[1\/2\] one {2}\d+ findings\n\[2\/2\] two {2}sound\n$/);
    expect(out).toMatch(/messages that are not stored: 2\n/);
    expect(out).toMatch(/1 of 2 threads are damaged\. Put a backup/);
    const report = await run("verify", "--json");
    expect(report.code).toBe(1);
    expect(JSON.parse(report.out)).toMatchObject({ sound: false });
    expect((await run("verify", "two")).code).toBe(0);
  });
});

describe("deerflow checkpoints", () => {
  it("says in one sentence what is wrong, and makes no database", async () => {
    expect(await run("verify", "none")).toMatchObject({
      code: 2,
      err: expect.stringContaining("no thread none"),
    });
    expect(await run("prune", "--keep-last", "few")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--keep-last few is not a whole number"),
    });
    installation.configure("database: {path: absent.db}\n");
    expect(await run("stats")).toMatchObject({ code: 2, err: expect.stringContaining("absent.db") });
    expect(existsSync(join(installation.folder, "absent.db"))).toBe(false);
    installation.configure("database: {backend: memory}\n");
    expect(await run("stats")).toMatchObject({ code: 2, err: expect.stringContaining("memory") });
  });

  it.skipIf(postgres === undefined)("takes care of checkpoints that have a place of their own", async () => {
    const place = await postgres?.open();
    if (place?.backend !== "postgres") throw new Error("not PostgreSQL");
    const { url, schema } = place;
    const persistence = await openPersistence({
      database: { backend: "sqlite", path: file },
      checkpointer: place,
    });
    await say(conversingGraph(persistence.checkpointer(LOCAL_PRINCIPAL)), "elsewhere", "look at this");
    await persistence.close();
    installation.configure(
      `database: {path: own.db}\ncheckpointer: {backend: postgres, url: "${url}", schema: ${schema}}\n`,
    );
    expect(await json("stats")).toMatchObject({ threads: [{ threadId: "elsewhere" }] });
    expect(await json("prune", "--keep-last", "1")).toMatchObject({
      threads: [{ kept: { checkpoints: 1 } }],
    });
    expect(await json("compact")).toMatchObject({ after: expect.any(Number) });
    expect(await json("verify")).toMatchObject({ sound: true });
  });
});
