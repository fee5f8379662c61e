/** Databases that LangGraph's own savers made, moved into ours: everything is there, and the conversation goes on. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InterningCheckpointSaver } from "../packages/harness/src/persistence/checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../packages/harness/src/persistence/checkpoint/sql-checkpoint-rows.js";
import type { MigrationSource } from "../packages/harness/src/persistence/migration/contract.js";
import { migrateCheckpoints } from "../packages/harness/src/persistence/migration/migrate-checkpoints.js";
import type { DatabaseLocation } from "../packages/harness/src/persistence/sql/database-location.js";
import { openDatabase } from "../packages/harness/src/persistence/sql/open-database.js";
import {
  answer,
  converse,
  conversingGraph,
  historyOf,
  say,
} from "../packages/harness/src/testing/conversing-graph.js";
import { type TestDatabase, testDatabases } from "../packages/harness/src/testing/test-databases.js";
import { officialSavers } from "./support/official-savers.js";

const INSTALL_MS = 10 * 60_000;
const THREADS = ["one", "two"];

interface MadeDatabase {
  readonly location: MigrationSource;
  /** Every byte, or row, that is there. */
  fingerprint(): Promise<string>;
  /** The official saver on it. */
  open(): Promise<{ readonly saver: BaseCheckpointSaver; close(): Promise<void> }>;
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

const databases = (await testDatabases()).filter(({ backend }) => backend !== "memory");
const savers = await officialSavers();
const folder = mkdtempSync(join(tmpdir(), "deerflow-official-"));

const sqliteFile = (): MadeDatabase => {
  const inner = mkdtempSync(join(folder, "sqlite-"));
  const path = join(inner, "checkpoints.sqlite");
  return {
    location: { backend: "sqlite", path },
    async fingerprint() {
      const files = readdirSync(inner).sort();
      return files.map((name) => `${name} ${sha256(readFileSync(join(inner, name)))}`).join("\n");
    },
    async open() {
      if (savers === undefined) throw new Error("skipped above");
      const saver = savers.SqliteSaver.fromConnString(path);
      return { saver, close: async () => saver.db.close() };
    },
  };
};

const postgresSchema = async ({ open }: TestDatabase): Promise<MadeDatabase> => {
  const location = await open();
  if (location.backend !== "postgres" || location.schema === undefined) throw new Error("not PostgreSQL");
  const { url, schema } = location;
  return {
    location,
    async fingerprint() {
      const client = new Client({ connectionString: url });
      await client.connect();
      const digests: string[] = [];
      for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_migrations"]) {
        const { rows } = await client.query(`SELECT t::text AS row FROM "${schema}".${table} t ORDER BY 1`);
        digests.push(`${table} ${sha256(JSON.stringify(rows))}`);
      }
      const { rows } = await client.query(
        "SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1",
        [schema],
      );
      await client.end();
      return [...digests, JSON.stringify(rows)].join("\n");
    },
    async open() {
      if (savers === undefined) throw new Error("skipped above");
      const saver = savers.PostgresSaver.fromConnString(url, { schema });
      await saver.setup();
      return { saver, close: () => saver.end() };
    },
  };
};

/** A graph over the target, as a program that starts anew would have it. */
async function onTarget<T>(
  location: DatabaseLocation,
  work: (graph: ReturnType<typeof conversingGraph>) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(location);
  const saver = new InterningCheckpointSaver(sqlCheckpointDatabase(database), { scope: "local" });
  try {
    return await work(conversingGraph(saver));
  } finally {
    await saver.settled();
    await database.close();
  }
}

const postgres = databases.find(({ backend }) => backend === "postgres");
const sources = [
  { source: "SQLite", make: async () => sqliteFile() },
  ...(postgres === undefined ? [] : [{ source: "PostgreSQL", make: () => postgresSchema(postgres) }]),
];

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const { drop } of databases) await drop();
});

describe.skipIf(savers === undefined).each(sources)(
  "a database of LangGraph's own $source saver",
  ({ make }) => {
    let made: MadeDatabase;
    const history = new Map<string, unknown[]>();

    beforeAll(async () => {
      made = await make();
      const { saver, close } = await made.open();
      const graph = conversingGraph(saver);
      for (const threadId of THREADS) {
        await converse(graph, threadId);
        history.set(threadId, await historyOf(graph, threadId));
      }
      await close();
    }, INSTALL_MS);

    describe.each(databases)("moved to $name", ({ open }) => {
      let to: DatabaseLocation;
      beforeAll(async () => {
        to = await open();
      });

      it("is there with every checkpoint, and the source is as it was", async () => {
        const before = await made.fingerprint();
        const report = await migrateCheckpoints({ from: made.location, to });
        expect(report).toMatchObject({ status: "done", totals: { threads: 2, copied: 2 } });
        for (const { counts, digests } of report.threads) {
          expect(counts.checkpoints).toBeGreaterThan(15);
          expect(digests.target).toBe(digests.source);
        }
        expect(await made.fingerprint()).toBe(before);
        await onTarget(to, async (graph) => {
          for (const threadId of THREADS)
            expect(await historyOf(graph, threadId)).toEqual(history.get(threadId));
        });
      });

      it("is not moved twice", async () => {
        const report = await migrateCheckpoints({ from: made.location, to });
        expect(report).toMatchObject({ status: "done", totals: { threads: 2, unchanged: 2, bytes: 0 } });
      });

      it("goes on from the interrupt that waited, and from there", async () => {
        await onTarget(to, async (graph) => {
          const resumed = await answer(graph, "one", { yes: true });
          expect(resumed.messages.map(({ text }) => text)).toContain('the answer is {"yes":true}');
          const next = await say(graph, "one", "look once more");
          expect(next.messages.at(-1)?.text).toContain("Done with");
        });
      });

      it("goes on from an earlier point of time", async () => {
        await onTarget(to, async (graph) => {
          const config = { configurable: { thread_id: "two" } };
          const states = [];
          for await (const state of graph.getStateHistory(config)) states.push(state);
          const past = states.findLast(({ next }) => next.length === 0);
          if (past === undefined) throw new Error("no run of the thread has ended");
          const forked = await graph.updateState(past.config, { title: "from the past" });
          const state = await graph.getState(forked);
          expect(state.values.messages).toHaveLength(past.values.messages.length);
          expect(state.values.title).toBe("from the past");
        });
      });

      it("keeps what the target went on with, when it is moved again", async () => {
        const report = await migrateCheckpoints({ from: made.location, to });
        expect(report.totals).toMatchObject({ unchanged: 2, copied: 0, updated: 0, conflict: 0 });
      });
    });
  },
);
