/** What a switch does where no server runs: it looks whether the new database can be used, and may fill it. */
import { existsSync } from "node:fs";
import { DeerflowError } from "../../base/errors.js";
import { silentLogger } from "../../base/logger.js";
import type { MigrationProgress, MigrationReport } from "../../persistence/migration/contract.js";
import { nameOf } from "../../persistence/migration/open-for-reading.js";
import { migrateDatabase } from "../../persistence/migration/migrate-database.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import type { DatabaseLocations } from "../database-location.js";
import { countMissing } from "./count-missing.js";
import { locationName } from "./location-name.js";
import { openSide } from "./open-side.js";
import { planStart } from "./start-plan.js";
import { refusalOf } from "./switch-refusal.js";
import { SwitchRecords } from "./switch-record.js";

export interface OfflineSwitchOptions {
  readonly home: string;
  /** As the configuration names them. */
  readonly locations: DatabaseLocations;
  readonly to: DatabaseLocation;
  readonly copy: boolean;
  readonly onProgress?: (progress: MigrationProgress) => void;
  readonly signal?: AbortSignal;
}

export interface OfflineSwitch {
  /** Names without passwords. */
  readonly from: string;
  readonly to: string;
  /** Threads that the new database does not have. */
  readonly threadsLeft: number;
  /** What was copied. */
  readonly report?: MigrationReport;
}

/**
 * Changes nothing but the new database; the configuration is for the person to edit.
 *
 * @throws DeerflowError `database_switch_invalid`, `database_in_use` when a server runs after all, `database_*`
 */
export async function switchOffline(options: OfflineSwitchOptions): Promise<OfflineSwitch> {
  const { home, locations, to, copy } = options;
  const plan = planStart(locations.database, new SwitchRecords(home).read());
  if (plan.resume !== undefined)
    throw invalid("one was not ended; start the server, which ends it, and try again");
  const now = { ...locations, database: plan.open };
  const refusal = refusalOf(now, to);
  if (refusal !== undefined) throw invalid(refusal);
  const names = { from: nameOf(plan.open), to: nameOf(to) };
  const lone = { serving: true, logger: silentLogger };
  // Makes its tables, so that whatever is wrong with it is said now.
  await (await openSide({ database: to }, lone)).close();
  if (!isThere(plan.open)) return { ...names, threadsLeft: 0 };
  // Held meanwhile, so that no server begins to write to it.
  const old = await openSide({ database: plan.open }, lone);
  try {
    const report = copy ? await migrateDatabase({ ...options, from: plan.open }) : undefined;
    const next = await openSide({ database: to }, lone);
    try {
      const threadsLeft = await countMissing(old.databases.app, next.databases.app);
      return { ...names, threadsLeft, ...(report && { report }) };
    } finally {
      await next.close();
    }
  } finally {
    await old.close();
  }
}

const invalid = (reason: string): DeerflowError => new DeerflowError("database_switch_invalid", { reason });

const isThere = (location: DatabaseLocation): boolean =>
  location.backend !== "sqlite" || existsSync(locationName(location).slice("sqlite:".length));
