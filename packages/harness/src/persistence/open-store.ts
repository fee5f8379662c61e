/** Opens LangGraph's long-term store in a database of its own connection. */
import { SqlItemStore, type ItemStoreOptions } from "./items/item-store.js";
import type { DatabaseLocation } from "./sql/database-location.js";
import { openDatabase } from "./sql/open-database.js";

/**
 * Opens or creates the database, and begins to remove expired items. `stop()` closes it.
 *
 * @example
 * const store = await openStore({ backend: "sqlite", path: "memories.db" }, { ttl: { defaultTtl: 60 * 24 } });
 * const graph = builder.compile({ store });
 * @throws DeerflowError `database_*`
 */
export async function openStore(
  location: DatabaseLocation,
  options: ItemStoreOptions = {},
): Promise<SqlItemStore> {
  const database = await openDatabase(location);
  try {
    const store = new SqlItemStore(database, options, () => database.close());
    store.start();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}
