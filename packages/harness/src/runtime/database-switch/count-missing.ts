/** What would not be shown after a switch. */
import type { SqlDatabase } from "../../persistence/sql/contract.js";
import { everyThread } from "../../persistence/stores/thread-census.js";
import { keyOf } from "./pending-threads.js";

/** How many threads only the old one has. */
export async function countMissing(old: SqlDatabase, next: SqlDatabase): Promise<number> {
  const there = new Set<string>();
  for await (const thread of everyThread(next)) there.add(keyOf(thread));
  let missing = 0;
  for await (const thread of everyThread(old)) if (!there.has(keyOf(thread))) missing += 1;
  return missing;
}
