import { InterningCheckpointSaver } from "../../persistence/checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../../persistence/checkpoint/sql-checkpoint-rows.js";
import type { SqlDatabase } from "../../persistence/sql/contract.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { openDatabase } from "../../persistence/sql/open-database.js";

/** A saver that remembers nothing, with a connection of its own: what a program has after its start. */
export interface OpenedSaver {
  readonly saver: InterningCheckpointSaver;
  readonly database: SqlDatabase;
  close(): Promise<void>;
}

export async function openSaver(location: DatabaseLocation): Promise<OpenedSaver> {
  const database = await openDatabase(location);
  const saver = new InterningCheckpointSaver(sqlCheckpointDatabase(database), { scope: "local" });
  const close = async () => {
    await saver.settled();
    await database.close();
  };
  return { saver, database, close };
}
