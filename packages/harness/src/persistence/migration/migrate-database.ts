/** Moves everything of one of our databases to another: threads with their runs, events and checkpoints, and the store. */
import { type Clock, systemClock } from "../../base/clock.js";
import { DeerflowError } from "../../base/errors.js";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { listAppThreads } from "./app-rows.js";
import type { MigrationOptions, MigrationReport, ThreadAddress } from "./contract.js";
import { listCheckpointThreads, refuseSame, withBoth } from "./migrate-checkpoints.js";
import { moveItems } from "./move-items.js";
import { moveThread } from "./move-thread.js";
import { nameOf, type OpenSource } from "./open-for-reading.js";
import { runMigration } from "./run-migration.js";

export interface MigrateDatabaseOptions extends MigrationOptions {
  readonly from: DatabaseLocation;
  readonly clock?: Clock;
}

/**
 * As `migrateCheckpoints`, with what the application knows of each thread. Tenants and users stay as they are. Runs
 * that are not over are copied as they are and named in the report: the first start on the target ends those whose
 * process is dead. Items of the store come along when all threads do.
 *
 * @throws DeerflowError `migration_checkpoints_only` for a database of LangGraph's own savers;
 *   `migration_source_unknown`, `migration_same_database`, `migration_thread_missing`, `database_*`
 */
export async function migrateDatabase(options: MigrateDatabaseOptions): Promise<MigrationReport> {
  const { from, to, dryRun, signal, clock = systemClock } = options;
  refuseSame(from, to);
  const list = async (source: OpenSource) => {
    const database = ours(source, from);
    return inOrder([
      ...(await listAppThreads((work) => database.read(work))),
      ...(await listCheckpointThreads(database)),
    ]);
  };
  return withBoth(options, list, async ({ source, target, threads }) => {
    const database = ours(source, from);
    const sides = {
      from: { app: database, checkpoints: database },
      to: target && { app: target, checkpoints: target },
    };
    const isWhole = options.threads === undefined || options.threads.length === 0;
    return runMigration(
      {
        from: nameOf(from),
        to: nameOf(to),
        threads,
        move: (address) => moveThread({ ...sides, address, dryRun, signal }),
        ...(isWhole ? { moveItems: () => moveItems(database, target, { dryRun, signal }) } : {}),
      },
      options,
      clock,
    );
  });
}

/** @throws DeerflowError `migration_checkpoints_only` */
function ours(source: OpenSource, from: DatabaseLocation): SqlDatabase {
  if (source.kind === "ours") return source.database;
  throw new DeerflowError("migration_checkpoints_only", { path: nameOf(from) });
}

/** Each once, ascending. */
function inOrder(threads: readonly ThreadAddress[]): readonly ThreadAddress[] {
  const unique = new Map(threads.map((thread) => [JSON.stringify([thread.scope, thread.threadId]), thread]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, thread]) => thread);
}
