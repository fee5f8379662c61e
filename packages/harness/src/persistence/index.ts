/** Public names of this room; nothing is defined here. */
export type { CheckpointSaverOptions } from "./checkpoint/interning-checkpoint-saver.js";
export * from "./contract.js";
export { openPersistence, type PersistenceLocation, type PersistenceOptions } from "./open-persistence.js";
export { openSqlite } from "./sqlite/open-sqlite.js";
export { SqliteCheckpointSaver } from "./sqlite/sqlite-checkpoint-saver.js";
