/** What a migration is. The number of the newest one is the schema version of a database. */
import type { Kysely } from "kysely";

export interface Migration {
  /** Counts from 1 without gaps; a released one is never changed. */
  readonly version: number;
  readonly title: string;
  up(database: Kysely<unknown>): Promise<void>;
}

/** The version of the newest of these migrations. */
export const newestVersion = (migrations: readonly Migration[]): number => migrations.at(-1)?.version ?? 0;
