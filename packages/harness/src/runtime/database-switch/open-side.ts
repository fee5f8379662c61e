/** Opens every database of an installation in one place. */
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { Clock } from "../../base/clock.js";
import type { Logger } from "../../base/logger.js";
import type { Principal } from "../../context/principal.js";
import { SqlItemStore } from "../../persistence/items/item-store.js";
import { persistenceOver } from "../../persistence/open-persistence.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import type { DatabaseLocations } from "../database-location.js";
import type { DatabaseSide, SideDatabases } from "./contract.js";
import { HeldDatabase } from "./held-database.js";

export interface SideOptions {
  /** Refuses SQLite files that another process serves, and keeps others from serving them. */
  readonly serving: boolean;
  readonly logger: Logger;
  readonly clock?: Clock;
}

type Held = Readonly<Record<keyof SideDatabases, HeldDatabase>>;

/** A side whose parts can be shared with another. */
export interface OpenedSide extends DatabaseSide {
  readonly held: Held;
}

/**
 * @param beside a side that is open already; checkpoints and store that have a place of their own are shared with it
 * @throws DeerflowError `database_*`; then nothing stays open
 */
export async function openSide(
  locations: DatabaseLocations,
  options: SideOptions,
  beside?: OpenedSide,
): Promise<OpenedSide> {
  const { database, checkpointer, store } = locations;
  const opened: HeldDatabase[] = [];
  const open = async (location: DatabaseLocation): Promise<HeldDatabase> => {
    const held = await HeldDatabase.open(location, options.serving);
    opened.push(held);
    return held;
  };
  try {
    const app = await open(database);
    const elsewhere = async (location: DatabaseLocation | undefined, part: keyof Held) => {
      if (location === undefined) return app;
      return beside === undefined ? open(location) : beside.held[part].share();
    };
    const checkpoints = await elsewhere(checkpointer, "checkpoints");
    const items = await elsewhere(store, "items");
    return sideOf(locations, { app, checkpoints, items }, options);
  } catch (error) {
    for (const held of opened.toReversed()) await held.release();
    throw error;
  }
}

function sideOf(locations: DatabaseLocations, held: Held, { clock, logger }: SideOptions): OpenedSide {
  const databases = {
    app: held.app.database,
    checkpoints: held.checkpoints.database,
    items: held.items.database,
  };
  const persistence = persistenceOver({ ...databases, backend: locations.database.backend }, clock);
  const stores = new Map<string, SqlItemStore>();
  return {
    locations,
    held,
    databases,
    persistence,
    name: databases.app.name,
    store({ tenantId }: Principal): BaseStore {
      const known = stores.get(tenantId);
      if (known !== undefined) return known;
      const store = new SqlItemStore(databases.items, { scope: tenantId, logger, ...(clock && { clock }) });
      store.start();
      stores.set(tenantId, store);
      return store;
    },
    announce(url) {
      for (const each of new Set(Object.values(held))) each.announce(url);
    },
    async close() {
      for (const store of stores.values()) await store.stop();
      await persistence.close();
      for (const each of new Set(Object.values(held))) await each.release();
    },
  };
}
