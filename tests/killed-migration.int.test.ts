/** A migration that is killed at any moment is just run again, and ends as one that nothing happened to. */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MigrationReport, MigrationSource } from "@deerflow/harness/persistence";
import { migrateCheckpoints } from "../packages/harness/src/persistence/migration/migrate-checkpoints.js";
import { SqliteCheckpointSaver } from "../packages/harness/src/persistence/sqlite/sqlite-checkpoint-saver.js";
import type { DatabaseLocation } from "../packages/harness/src/persistence/sql/database-location.js";
import { compiledFolder, compileRooms } from "../packages/harness/src/testing/compile-rooms.js";
import { converse, conversingGraph } from "../packages/harness/src/testing/conversing-graph.js";
import { testDatabases } from "../packages/harness/src/testing/test-databases.js";
import { scaled } from "../packages/harness/src/testing/test-scale.js";
import { officialSavers } from "./support/official-savers.js";

const KILLS = scaled(20, 2);
const THREADS = 3;
const SETUP_MS = 10 * 60_000;
const TEST_MS = 60_000 + KILLS * 30_000;
const COMPILED = compiledFolder("killed-migration");
const CHILD = join(COMPILED, "migrating.child.mjs");

const databases = (await testDatabases()).filter(({ backend }) => backend !== "memory");
const savers = await officialSavers();
const folder = mkdtempSync(join(tmpdir(), "deerflow-killed-"));
const sourceFolder = join(folder, "source");
const official = join(sourceFolder, "official.sqlite");
const own = join(sourceFolder, "own.db");

const sources: readonly { readonly source: string; readonly from: MigrationSource }[] = [
  { source: "our own SQLite", from: { backend: "sqlite", path: own } },
  ...(savers === undefined
    ? []
    : [{ source: "LangGraph's SQLite", from: { backend: "sqlite" as const, path: official } }]),
];

beforeAll(async () => {
  compileRooms(["base", "context", "persistence"], COMPILED);
  copyFileSync(new URL("./support/migrating.child.mjs", import.meta.url), CHILD);
  mkdirSync(sourceFolder);
  const made = join(folder, "made.db");
  const ours = SqliteCheckpointSaver.fromPath(made);
  const theirs = savers?.SqliteSaver.fromConnString(official);
  for (let at = 0; at < THREADS; at += 1) {
    await converse(conversingGraph(ours), `thread-${at}`);
    if (theirs !== undefined) await converse(conversingGraph(theirs), `thread-${at}`);
  }
  await ours.close();
  // A file that this process never had open: the driver lets go of one that it had at some later time.
  copyFileSync(made, own);
  theirs?.db.close();
}, SETUP_MS);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(COMPILED, { recursive: true, force: true });
  for (const { drop } of databases) await drop();
});

/** Runs a migration in a process of its own. @returns how long it took, in milliseconds, from its start */
async function migrateApart(
  options: { readonly from: MigrationSource; readonly to: DatabaseLocation; readonly report: string },
  killAfter?: number,
): Promise<number> {
  const child = spawn(process.execPath, [CHILD, COMPILED, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  const started = performance.now();
  if (killAfter !== undefined) {
    await Promise.race([sleep(killAfter), ended]);
    child.kill("SIGKILL");
  }
  const code = await ended;
  if (killAfter === undefined && code !== 0) throw new Error(`the migration failed: ${errors}`);
  return performance.now() - started;
}

const digestsOf = ({ threads }: MigrationReport) =>
  threads.map(({ threadId, digests }) => [threadId, digests.source, digests.target]);

describe.each(sources)("a killed migration from $source", ({ from }) => {
  it.each(databases)(
    `to $name ends as an undisturbed one when it is run again (${KILLS} kills)`,
    async ({ open }) => {
      const report = join(folder, "report.json");
      const files = readdirSync(sourceFolder).sort();
      const undisturbed = await open();
      const duration = await migrateApart({ from, to: undisturbed, report });
      const expected = digestsOf(await migrateCheckpoints({ from, to: undisturbed }));
      expect(expected).toHaveLength(THREADS);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const to = await open();
        await migrateApart({ from, to, report }, Math.random() * duration);
        const left: unknown = JSON.parse(readFileSync(report, "utf8"));
        expect(left).toMatchObject({ version: 1, from: expect.any(String) });
        const resumed = await migrateCheckpoints({ from, to });
        expect(resumed).toMatchObject({
          status: "done",
          totals: { threads: THREADS, updated: 0, conflict: 0, failed: 0 },
        });
        expect(digestsOf(resumed)).toEqual(expected);
        expect((await migrateCheckpoints({ from, to })).totals).toMatchObject({
          unchanged: THREADS,
          bytes: 0,
        });
      }
      expect(readdirSync(sourceFolder).sort()).toEqual(files);
    },
    TEST_MS,
  );
});
