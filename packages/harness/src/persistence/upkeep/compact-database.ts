/** Gives the space of removed rows back to the disk. */
import type { UpkeepSaver } from "./upkeep-saver.js";

export interface CompactReport {
  /** Bytes on disk of everything in the database. */
  readonly before: number;
  readonly after: number;
}

/**
 * Rewrites the tables of the database that the saver uses. Writers wait while it runs, and it may need as much free
 * disk as the database is large.
 */
export async function compactDatabase({
  storage: { database },
}: Pick<UpkeepSaver, "storage">): Promise<CompactReport> {
  const before = await database.size();
  await database.compact();
  return { before, after: await database.size() };
}
