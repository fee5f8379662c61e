/** Opens the checkpoints of an installation for their upkeep, beside a server that may use them. */
import { existsSync } from "node:fs";
import { DeerflowError } from "../base/errors.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import { InterningCheckpointSaver } from "../persistence/checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../persistence/checkpoint/sql-checkpoint-rows.js";
import { nameOf } from "../persistence/migration/open-for-reading.js";
import type { SqlDatabase } from "../persistence/sql/contract.js";
import type { DatabaseLocation } from "../persistence/sql/database-location.js";
import { openDatabase } from "../persistence/sql/open-database.js";
import { sqlitePlace } from "../persistence/sqlite/sqlite-path.js";
import { isInUse } from "../persistence/stores/thread-census.js";
import type { DatabaseLocations } from "./database-location.js";
import { planStart } from "./database-switch/start-plan.js";
import { SwitchRecords } from "./database-switch/switch-record.js";

export interface OpenCheckpoints {
  /** For `pruneThread`, `threadStats`, `verifyThread`, `copyThread` and `compactDatabase`. */
  readonly saver: InterningCheckpointSaver;
  /** Where they lie, for a person: a file, or an address without its password. */
  readonly place: string;
  /** Whether a run of the thread is not over. */
  isInUse(threadId: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The database that a start would open: a switch that was done counts, also where the configuration does not name
 * it yet.
 *
 * @param locations as the configuration names them
 * @throws DeerflowError `invalid_request` for what lies in memory only, `database_switching`,
 *   `database_switch_unfinished`, `database_*`; then nothing stays open
 */
export async function openCheckpoints(home: string, locations: DatabaseLocations): Promise<OpenCheckpoints> {
  const plan = planStart(locations.database, new SwitchRecords(home).read());
  if (plan.resume !== undefined) {
    const { from, to } = plan.resume;
    throw new DeerflowError("database_switching", { from: nameOf(from), to: nameOf(to) });
  }
  const { checkpointer } = locations;
  for (const location of [plan.open, ...(checkpointer === undefined ? [] : [checkpointer])])
    requireThere(location);
  const app = await openDatabase(plan.open);
  const checkpoints = checkpointer === undefined ? app : await openBeside(app, checkpointer);
  const { tenantId } = LOCAL_PRINCIPAL;
  return {
    saver: new InterningCheckpointSaver(sqlCheckpointDatabase(checkpoints), { scope: tenantId }),
    place: checkpoints.name,
    isInUse: (threadId) => isInUse(app, { tenantId, threadId }),
    async close() {
      if (checkpoints !== app) await checkpoints.close();
      await app.close();
    },
  };
}

/** Upkeep makes no database. */
function requireThere(location: DatabaseLocation): void {
  const path = location.backend === "sqlite" ? sqlitePlace(location.path).path : undefined;
  if (location.backend === "memory" || path === ":memory:") {
    const reason = "what lies in memory ends with the program that holds it, and no other can reach it";
    throw new DeerflowError("invalid_request", { reason });
  }
  if (path !== undefined && !existsSync(path)) {
    throw new DeerflowError("database_unreadable", {
      path,
      reason: "it is not there yet: nothing was ever stored",
    });
  }
}

async function openBeside(app: SqlDatabase, location: DatabaseLocation): Promise<SqlDatabase> {
  try {
    return await openDatabase(location);
  } catch (error) {
    await app.close();
    throw error;
  }
}
