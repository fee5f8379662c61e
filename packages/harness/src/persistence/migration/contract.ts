/** What is moved from one database to another, and what is said of it. */
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";

/** Where something is moved from. Reading changes nothing there. */
export type MigrationSource =
  | DatabaseLocation
  | {
      /** A file of `@langchain/langgraph-checkpoint-sqlite`. */
      readonly backend: "langgraph-sqlite";
      readonly path: string;
    }
  | {
      /** The tables of `@langchain/langgraph-checkpoint-postgres`. */
      readonly backend: "langgraph-postgres";
      readonly url: string;
      /** `public` by default. */
      readonly schema?: string;
    };

/** A thread of a tenant. */
export interface ThreadAddress {
  readonly scope: string;
  readonly threadId: string;
}

/** Open databases of one side. */
export interface MovedDatabases {
  /** Threads, runs and events; absent where only checkpoints are moved. */
  readonly app?: SqlDatabase | undefined;
  /** The same one, or another. */
  readonly checkpoints: SqlDatabase;
}

/**
 * `copied`: the target had no such thread. `updated`: it had an older state of it. `unchanged`: it had all of it.
 * `conflict`: it has another thread of that name, or one that both sides went on with; it was left alone.
 */
export type ThreadStatus = "copied" | "updated" | "unchanged" | "conflict" | "failed";

export interface ThreadReport extends ThreadAddress {
  readonly status: ThreadStatus;
  /** What the source has of it. */
  readonly counts: {
    readonly checkpoints: number;
    readonly writes: number;
    readonly messages?: number;
    readonly runs?: number;
    readonly events?: number;
  };
  /** Bytes that were written. */
  readonly bytes: number;
  /** SHA-256 of what each side holds, read back from it. They differ where the target has more than the source. */
  readonly digests: { readonly source: string; readonly target: string | undefined };
  /** Runs that were not over when they were copied. */
  readonly unfinishedRuns?: readonly string[];
  /** Why it is a conflict, or failed. */
  readonly reason?: string;
}

/** The items of the key-value store. */
export interface ItemsReport {
  readonly items: number;
  readonly copied: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Items that are newer in the target; they were left alone. */
  readonly kept: number;
}

export type MigrationStatus = "running" | "done" | "incomplete" | "cancelled";

/** The report file, and what a migration returns. */
export interface MigrationReport {
  readonly version: 1;
  /** Names without passwords. */
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  /** `incomplete`: it came to its end, but threads failed or are conflicts. */
  readonly status: MigrationStatus;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly totals: { readonly [S in ThreadStatus]: number } & {
    readonly threads: number;
    readonly bytes: number;
  };
  readonly threads: readonly ThreadReport[];
  readonly items?: ItemsReport;
}

export interface MigrationProgress {
  readonly done: number;
  readonly total: number;
  readonly thread: ThreadReport;
}

export interface MigrationOptions {
  readonly to: DatabaseLocation;
  /** Only these; all by default. */
  readonly threads?: readonly string[] | undefined;
  /** Where the report is written while the migration runs: a path. */
  readonly report?: string | undefined;
  /** Only says what would be done. */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}
