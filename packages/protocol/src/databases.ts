/** Where the server keeps its data, and putting another database in its place. */
import { z } from "zod";

export const databasePlace = z.object({
  /** What lies there; `database` also what has no place of its own. */
  part: z.enum(["database", "checkpointer", "store"]),
  backend: z.string(),
  /** For a person: a file, or the address of a server without its password. */
  place: z.string(),
  /** Equal for two servers exactly when they use the same database. Holds no password. */
  id: z.string(),
});
export type DatabasePlace = z.output<typeof databasePlace>;

export const databaseSwitch = z.object({
  /**
   * `copying`: everything is on the old one. `draining`: new runs are on the new one, and the old one still holds
   * threads. `done` and `failed`: there is one again, which `current` names.
   */
  phase: z.enum(["copying", "draining", "done", "failed"]),
  /** Where new runs go. */
  current: z.string(),
  from: z.string(),
  to: z.string(),
  copy: z.boolean(),
  /** Runs that are not over and that the old one still holds. */
  runs_on_old: z.number().int(),
  /** Threads that have still to move to the new one. */
  threads_on_old: z.number().int(),
  /** Threads that only the old one has, and that are not shown any more. */
  threads_left: z.number().int(),
  /** ISO 8601. */
  started_at: z.string(),
  /** Why it failed, or why a thread cannot move yet. */
  problem: z.string().optional(),
});
export type DatabaseSwitch = z.output<typeof databaseSwitch>;

/** GET /api/admin/database, and the answer of a switch. */
export const databaseStatus = z.object({
  databases: z.array(databasePlace),
  /** The switch under way, or the last one since the start. */
  switch: databaseSwitch.optional(),
});
export type DatabaseStatus = z.output<typeof databaseStatus>;

/** POST /api/admin/database/switch: answered with 202 when the new database is open; the rest goes on by itself. */
export const databaseSwitchRequest = z.object({
  /** A path on the server, or the address of a database server. */
  to: z.string().min(1),
  /** The PostgreSQL schema. */
  schema: z.string().min(1).optional(),
  /** Takes all threads and stored items along; else only the threads that runs are working on. */
  copy: z.boolean().default(false),
});
export type DatabaseSwitchRequest = z.input<typeof databaseSwitchRequest>;
