/** Every migration, in order: one list for all databases. */
import { createAppTables } from "./001-app-tables.js";
import { createSqliteCheckpoints } from "./002-sqlite-checkpoints.js";
import { createCheckpointTables } from "./003-checkpoint-tables.js";
import { createStoreItems } from "./004-store-items.js";
import type { Migration } from "./migration.js";

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    title: "threads, runs and events",
    tables: ["threads", "runs", "run_events"],
    up: createAppTables,
  },
  {
    version: 2,
    title: "checkpoints of SQLite in their first form",
    tables: [],
    up: createSqliteCheckpoints,
  },
  {
    version: 3,
    title: "checkpoints with numbered values and parts",
    tables: [
      "checkpoint_threads",
      "checkpoints",
      "checkpoint_values",
      "checkpoint_writes",
      "checkpoint_messages",
      "checkpoint_parts",
    ],
    up: createCheckpointTables,
  },
  { version: 4, title: "items of stores", tables: ["store_items"], up: createStoreItems },
];

/** The schema version that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** Every table of ours on a database server. */
export const OUR_TABLES: readonly string[] = MIGRATIONS.flatMap(({ tables }) => tables);
