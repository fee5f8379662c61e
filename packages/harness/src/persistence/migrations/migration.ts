/** What a migration is. The number of the newest one is the schema version of a database. */
import type { Kysely } from "kysely";
import type { SqlBackend } from "../sql/contract.js";

export interface Migration {
  /** Counts from 1 without gaps; a released one is never changed. */
  readonly version: number;
  readonly title: string;
  /** What it creates on database servers, where tables of other programs may lie beside ours. */
  readonly tables: readonly string[];
  /**
   * On MySQL each statement is committed by itself, and a migration that was interrupted is run again from its
   * start: creating what is there already is forgiven, and what changes rows must bear being done twice.
   */
  up(database: Kysely<unknown>, backend: SqlBackend): Promise<void>;
}
