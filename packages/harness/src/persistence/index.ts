/** Public names of this room; nothing is defined here. */
export type { CheckpointSaverOptions } from "./checkpoint/interning-checkpoint-saver.js";
export * from "./contract.js";
export type { PutOptions, ReadOptions } from "./items/item-operations.js";
export type { ItemStoreOptions, SqlItemStore, StoreSearchOptions, StoreTtl } from "./items/item-store.js";
export type { RunFence } from "./checkpoint/checkpoint-rows.js";
export type {
  ItemsReport,
  MigrationOptions,
  MigrationProgress,
  MigrationReport,
  MigrationSource,
  MigrationStatus,
  ThreadReport,
  ThreadStatus as MovedThreadStatus,
} from "./migration/contract.js";
export { migrateCheckpoints, type MigrateCheckpointsOptions } from "./migration/migrate-checkpoints.js";
export { migrateDatabase, type MigrateDatabaseOptions } from "./migration/migrate-database.js";
export { MySqlCheckpointSaver } from "./mysql/mysql-checkpoint-saver.js";
export { openPersistence, type PersistenceOptions } from "./open-persistence.js";
export {
  PostgresCheckpointSaver,
  type PostgresCheckpointSaverOptions,
} from "./postgres/postgres-checkpoint-saver.js";
export type { DatabaseLocation } from "./sql/database-location.js";
export { openStore } from "./open-store.js";
export { openSqlite } from "./sqlite/open-sqlite.js";
export { SqliteCheckpointSaver } from "./sqlite/sqlite-checkpoint-saver.js";
export { compactDatabase, type CompactReport } from "./upkeep/compact-database.js";
export { copyThread, type CopyOptions, type CopyReport } from "./upkeep/copy-thread.js";
export { pruneThread, type PruneOptions, type PruneReport } from "./upkeep/prune-thread.js";
export { type LargeRow, threadStats, type ThreadStats } from "./upkeep/thread-stats.js";
export type { UpkeepSaver } from "./upkeep/upkeep-saver.js";
export { verifyThread, type VerifyReport } from "./upkeep/verify-thread.js";
