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
import { nameOf, openForReading, openSource, type OpenSource } from "./open-for-reading.js";
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
 * @throws DeerflowError `migration_source_unknown`, `migration_same_database`, `migration_thread_missing`, `database_*`
 */
export async function migrateCheckpoints(options: MigrateCheckpointsOptions): Promise<MigrationReport> {
  const { from, to, dryRun, signal, scope = LOCAL, clock = systemClock } = options;
  refuseSame(from, to);
  const list = async (opened: OpenSource) =>
    opened.kind === "ours"
      ? listCheckpointThreads(opened.database)
      : (await opened.source.threadIds()).map((threadId) => ({ scope, threadId }));
  return withBoth(options, list, async ({ source, target, threads }) => {
    const names = { from: nameOf(from), to: nameOf(to) };
    if (source.kind === "ours") {
      const sides = { from: { checkpoints: source.database }, to: target && { checkpoints: target } };
      const move = (address: ThreadAddress) => moveThread({ ...sides, address, dryRun, signal });
      return runMigration({ ...names, threads, move }, options, clock);
    }
    return importAll({ source: source.source, target, names, threads }, options, clock);
  });
}

async function importAll(
  {
    source,
    target,
    names,
    threads,
  }: {
    readonly source: LangGraphSource;
    readonly target: SqlDatabase | undefined;
    readonly names: { readonly from: string; readonly to: string };
    readonly threads: readonly ThreadAddress[];
  },
  options: MigrateCheckpointsOptions,
  clock: Clock,
): Promise<MigrationReport> {
  const { dryRun, signal } = options;
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

/** What a migration works on. */
interface Opened {
  readonly source: OpenSource;
  /** Undefined where a dry run finds none. */
  readonly target: SqlDatabase | undefined;
  /** Those that were asked for. */
  readonly threads: readonly ThreadAddress[];
}

/**
 * Runs `work` with the source and the target open. The target is not made before it is known what shall be moved.
 *
 * @param list gives all threads of the source
 * @throws DeerflowError `migration_thread_missing`
 */
export async function withBoth<T>(
  { from, to, dryRun, threads: ids }: MigrationOptions & { readonly from: MigrationSource },
  list: (source: OpenSource) => Promise<readonly ThreadAddress[]>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const source = await openSource(from);
  try {
    const threads = chosen(await list(source), ids, nameOf(from));
    const target = dryRun ? await openForReading(to) : await openDatabase(to);
    try {
      return await work({ source, target, threads });
    } finally {
      await target?.close();
    }
  } finally {
    await (source.kind === "ours" ? source.database : source.source).close();
  }
}

/** Those that were asked for, in the order of the database; all where none were. */
function chosen(
  threads: readonly ThreadAddress[],
  ids: readonly string[] | undefined,
  path: string,
): readonly ThreadAddress[] {
  if (ids === undefined || ids.length === 0) return threads;
  const there = new Set(threads.map(({ threadId }) => threadId));
  const missing = ids.filter((id) => !there.has(id));
  if (missing.length > 0) {
    throw new DeerflowError("migration_thread_missing", { path, threads: missing.join(", ") });
  }
  const wanted = new Set(ids);
  return threads.filter(({ threadId }) => wanted.has(threadId));
}

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
