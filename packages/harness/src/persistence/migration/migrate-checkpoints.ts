/** Moves the checkpoints of threads from one database to another of any kind. */
import { isDeepStrictEqual } from "node:util";
import { type Clock, systemClock } from "../../base/clock.js";
import { DeerflowError } from "../../base/errors.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openDatabase } from "../sql/open-database.js";
import type { MigrationOptions, MigrationReport, MigrationSource, ThreadAddress } from "./contract.js";
import { importThread, openWorkshop } from "./import-thread.js";
import type { LangGraphSource } from "./langgraph/contract.js";
import { moveThread } from "./move-thread.js";
import { nameOf, openForReading, openSource } from "./open-for-reading.js";
import { runMigration } from "./run-migration.js";

export interface MigrateCheckpointsOptions extends MigrationOptions {
  readonly from: MigrationSource;
  /** The tenant that threads of LangGraph's own savers belong to from now on; `local` by default. */
  readonly scope?: string | undefined;
  readonly clock?: Clock;
}

const LOCAL = "local";
const THREADS_AT_ONCE = 500;

/**
 * Copies checkpoints and pending writes, with all ids as they are, from one of our databases or from one that
 * LangGraph.js's own SQLite or PostgreSQL saver made. The source is only read. Each thread comes whole or not at
 * all, and is compared with what was read; a thread that is there already is not copied again, one that is older is
 * brought up to date, another one of the same id is a conflict and left alone. So a migration that was stopped is
 * just run again.
 *
 * @example
 * const report = await migrateCheckpoints({
 *   from: { backend: "langgraph-sqlite", path: "checkpoints.sqlite" },
 *   to: { backend: "postgres", url: "postgres://deerflow@127.0.0.1/deerflow" },
 * });
 * @throws DeerflowError `migration_source_unknown`, `migration_same_database`, `database_*`
 */
export async function migrateCheckpoints(options: MigrateCheckpointsOptions): Promise<MigrationReport> {
  const { from, to, dryRun, signal, clock = systemClock } = options;
  refuseSame(from, to);
  return withBoth(from, options, async (source, target) => {
    const names = { from: nameOf(from), to: nameOf(to) };
    if (source.kind === "ours") {
      const threads = chosen(await listCheckpointThreads(source.database), options.threads);
      const sides = { from: { checkpoints: source.database }, to: target && { checkpoints: target } };
      const move = (address: ThreadAddress) => moveThread({ ...sides, address, dryRun, signal });
      return runMigration({ ...names, threads, move }, options, clock);
    }
    return importAll({ source: source.source, target, names }, options, clock);
  });
}

async function importAll(
  {
    source,
    target,
    names,
  }: {
    readonly source: LangGraphSource;
    readonly target: SqlDatabase | undefined;
    readonly names: { readonly from: string; readonly to: string };
  },
  options: MigrateCheckpointsOptions,
  clock: Clock,
): Promise<MigrationReport> {
  const { dryRun, signal, scope = LOCAL } = options;
  const ids = await source.threadIds();
  const threads = chosen(
    ids.map((threadId) => ({ scope, threadId })),
    options.threads,
  );
  const workshop = await openWorkshop();
  const to = target && { checkpoints: target };
  const move = (address: ThreadAddress) => importThread({ source, workshop, to, address, dryRun, signal });
  try {
    return await runMigration({ ...names, threads, move }, options, clock);
  } finally {
    await workshop.close();
  }
}

/** @throws DeerflowError `migration_same_database` */
export function refuseSame(from: MigrationSource, to: DatabaseLocation): void {
  if (to.backend === "memory" || !isDeepStrictEqual(nameOf(from), nameOf(to))) return;
  throw new DeerflowError("migration_same_database", { path: nameOf(to) });
}

/** Runs `work` with the source and the target open; the target is undefined where a dry run finds none. */
export async function withBoth<T>(
  from: MigrationSource,
  { to, dryRun }: Pick<MigrationOptions, "to" | "dryRun">,
  work: (source: Awaited<ReturnType<typeof openSource>>, target: SqlDatabase | undefined) => Promise<T>,
): Promise<T> {
  const source = await openSource(from);
  try {
    const target = dryRun ? await openForReading(to) : await openDatabase(to);
    try {
      return await work(source, target);
    } finally {
      await target?.close();
    }
  } finally {
    await (source.kind === "ours" ? source.database : source.source).close();
  }
}

/** Those that were asked for, in the order of the database; all where none were. */
export const chosen = (
  threads: readonly ThreadAddress[],
  ids: readonly string[] | undefined,
): readonly ThreadAddress[] =>
  ids === undefined || ids.length === 0 ? threads : threads.filter(({ threadId }) => ids.includes(threadId));

/** All threads that have checkpoints. */
export async function listCheckpointThreads(database: SqlDatabase): Promise<readonly ThreadAddress[]> {
  const rows = sqlCheckpointDatabase(database);
  const threads: ThreadAddress[] = [];
  let afterKey: number | undefined;
  for (;;) {
    const page = await rows.read((turn) => turn.listThreads({ afterKey, limit: THREADS_AT_ONCE }));
    threads.push(...page.map(({ scope, threadId }) => ({ scope, threadId })));
    afterKey = page.at(-1)?.key;
    if (page.length < THREADS_AT_ONCE) return threads;
  }
}
