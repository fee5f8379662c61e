/** Opens everything durable: in one database, or with the checkpoints in another. */
import { isDeepStrictEqual } from "node:util";
import { type Clock, systemClock } from "../base/clock.js";
import { DeerflowError } from "../base/errors.js";
import { FencedCheckpointSaver } from "./checkpoint/fenced-checkpoint-saver.js";
import { GuardedCheckpointer } from "./checkpoint/guarded-checkpointer.js";
import { InterningCheckpointSaver } from "./checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "./checkpoint/sql-checkpoint-rows.js";
import type { Persistence } from "./contract.js";
import type { SqlDatabase } from "./sql/contract.js";
import type { DatabaseLocation } from "./sql/database-location.js";
import { openDatabase } from "./sql/open-database.js";
import { IN_MEMORY } from "./sqlite/sqlite-connection.js";
import { appStores } from "./stores/app-stores.js";

/** One database for everything, or another one for the checkpoints. */
export type PersistenceOptions = (
  | DatabaseLocation
  | {
      /** Holds threads, runs and events, and the checkpoints too where `checkpointer` is absent. */
      readonly database: DatabaseLocation;
      readonly checkpointer?: DatabaseLocation;
    }
) & { readonly clock?: Clock };

/**
 * Opens the databases, creates or migrates them, and hands out their stores.
 *
 * @example const persistence = await openPersistence({ backend: "sqlite", path: "/home/me/.deer-flow/deerflow.db" });
 * @example const persistence = await openPersistence({ database: { backend: "postgres", url }, checkpointer: { backend: "sqlite", path } });
 * @throws DeerflowError `database_*`; then nothing stays open
 */
export async function openPersistence(options: PersistenceOptions): Promise<Persistence> {
  const { database, checkpointer = database } = "database" in options ? options : { database: options };
  const app = await openDatabase(database);
  const checkpoints = await openBeside(
    app,
    isDeepStrictEqual(checkpointer, database) ? undefined : checkpointer,
  );
  const persistence = persistenceOver({ app, checkpoints, backend: database.backend }, options.clock);
  return {
    ...persistence,
    async close() {
      await persistence.close();
      await checkpoints.close();
      await app.close();
    },
  };
}

/** Databases that are open already. */
export interface PersistenceDatabases {
  readonly app: SqlDatabase;
  /** The same one, or another. */
  readonly checkpoints: SqlDatabase;
  readonly backend: DatabaseLocation["backend"];
}

/** Hands out the stores of open databases. Its `close` waits for what is being written, and closes no database. */
export function persistenceOver(
  { app, checkpoints, backend }: PersistenceDatabases,
  clock: Clock = systemClock,
): Persistence {
  const { runs, ...stores } = appStores(app, clock);
  const rows = sqlCheckpointDatabase(checkpoints);
  const savers = new Map<string, InterningCheckpointSaver>();
  return {
    ...stores,
    runs,
    checkpointer(principal, fence) {
      const scope = principal.tenantId;
      // One a tenant, so that concurrent runs share their commits.
      const saver = savers.get(scope) ?? new InterningCheckpointSaver(rows, { scope });
      savers.set(scope, saver);
      if (fence === undefined) return saver;
      if (checkpoints === app) return new FencedCheckpointSaver(saver, fence);
      return new GuardedCheckpointer(saver, async () => {
        if (await runs.holds(principal, fence)) return;
        throw new DeerflowError("run_superseded", { runId: fence.runId });
      });
    },
    backend,
    description: checkpoints === app ? nameOf(app) : `${nameOf(app)}, checkpoints in ${nameOf(checkpoints)}`,
    async close() {
      for (const saver of savers.values()) await saver.settled();
    },
  };
}

/** The database of the checkpoints: that of the application where they have none of their own. */
async function openBeside(app: SqlDatabase, location: DatabaseLocation | undefined): Promise<SqlDatabase> {
  if (location === undefined) return app;
  try {
    return await openDatabase(location);
  } catch (error) {
    await app.close();
    throw error;
  }
}

const nameOf = ({ name }: SqlDatabase): string =>
  name === IN_MEMORY ? "memory (lost when the program ends)" : name;
