/** What a migration is. The number of the newest one is the schema version of a database. */
import type { Kysely } from "kysely";
import type { SqlBackend } from "../sql/contract.js";

export interface Migration {
  /** Counts from 1 without gaps; a released one is never changed. */
  readonly version: number;
  readonly title: string;
  up(database: Kysely<unknown>, backend: SqlBackend): Promise<void>;
}
