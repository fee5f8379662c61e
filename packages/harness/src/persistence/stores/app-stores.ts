/** The stores of threads, runs and events over one open database. */
import type { Clock } from "../../base/clock.js";
import type { AppStores } from "../contract.js";
import type { SqlDatabase } from "../sql/contract.js";
import { AppDatabase } from "./app-database.js";
import { SqlRunEventStore } from "./run-event-store.js";
import { SqlRunStore } from "./run-store.js";
import { SqlThreadStore } from "./thread-store.js";

/** @param sqlDatabase - opened and closed elsewhere */
export function appStores(sqlDatabase: SqlDatabase, clock: Clock): AppStores {
  const database = new AppDatabase(sqlDatabase);
  return {
    threads: new SqlThreadStore({ database, clock }),
    runs: new SqlRunStore({ database, clock }),
    events: new SqlRunEventStore({ database, clock }),
  };
}
