/** Opens what an installation keeps, so that another database can take its place later. No logic. */
import type { DatabaseLocations } from "../database-location.js";
import type { InstalledDatabases } from "./contract.js";
import { placesOf } from "./places.js";
import { databaseCarrier } from "./carrier.js";
import { DatabaseSwitch } from "./database-switch.js";
import { locationName } from "./location-name.js";
import { openSide, type SideOptions } from "./open-side.js";
import { RoutedPersistence } from "./routed-persistence.js";
import { planStart } from "./start-plan.js";
import { SwitchRecords } from "./switch-record.js";
import { ThreadRouter } from "./thread-router.js";

export interface OpenDatabasesOptions extends SideOptions {
  /** The home of the installation; absolute. */
  readonly home: string;
  /** As the configuration names them. */
  readonly locations: DatabaseLocations;
  readonly lookMilliseconds?: number;
}

export interface OpenDatabases {
  readonly persistence: RoutedPersistence;
  readonly router: ThreadRouter;
  readonly databaseSwitch: DatabaseSwitch;
  status(): InstalledDatabases;
  close(): Promise<void>;
}

/**
 * @throws DeerflowError `database_*`, among them `database_in_use` where another process serves
 *   them and `database_switching` where one moves threads; then nothing stays open
 */
export async function openDatabases(options: OpenDatabasesOptions): Promise<OpenDatabases> {
  const { home, locations, logger } = options;
  const records = new SwitchRecords(home);
  const plan = planStart(locations.database, records.read());
  if (plan.warning !== undefined) logger.warn(plan.warning);
  const side = await openSide({ ...locations, database: plan.open }, options);
  const router = new ThreadRouter(side);
  const persistence = new RoutedPersistence(router);
  const configured = locationName(locations.database);
  const databaseSwitch = new DatabaseSwitch({
    ...options,
    router,
    side,
    records,
    configured,
    carrier: databaseCarrier,
  });
  try {
    if (plan.forget) records.remove();
    if (plan.resume !== undefined) await databaseSwitch.resume(plan.resume);
  } catch (error) {
    await persistence.close();
    throw error;
  }
  return {
    persistence,
    router,
    databaseSwitch,
    status: () => ({ places: placesOf(router.current), lastSwitch: databaseSwitch.status }),
    async close() {
      await databaseSwitch.close();
      await persistence.close();
    },
  };
}
