/** Threads, runs and the event log. Every key begins with the tenant. */
import { type Kysely, sql } from "kysely";
import type { SqlBackend } from "../sql/contract.js";

export async function createAppTables(database: Kysely<unknown>, _backend: SqlBackend): Promise<void> {
  await database.schema
    .createTable("threads")
    .addColumn("tenant_id", "varchar(64)", (column) => column.notNull())
    .addColumn("thread_id", "varchar(64)", (column) => column.notNull())
    .addColumn("user_id", "varchar(64)", (column) => column.notNull())
    .addColumn("status", "varchar(16)", (column) => column.notNull())
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("list_values", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("threads_key", ["tenant_id", "thread_id"])
    .execute();
  await database.schema
    .createIndex("threads_by_update")
    .on("threads")
    .columns(["tenant_id", "user_id", "updated_at"])
    .execute();

  await database.schema
    .createTable("runs")
    .addColumn("tenant_id", "varchar(64)", (column) => column.notNull())
    .addColumn("thread_id", "varchar(64)", (column) => column.notNull())
    .addColumn("run_id", "varchar(64)", (column) => column.notNull())
    .addColumn("user_id", "varchar(64)", (column) => column.notNull())
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("assistant_id", "varchar(128)", (column) => column.notNull())
    .addColumn("status", "varchar(16)", (column) => column.notNull())
    .addColumn("multitask_strategy", "varchar(16)", (column) => column.notNull())
    .addColumn("on_disconnect", "varchar(16)", (column) => column.notNull())
    .addColumn("request", "text", (column) => column.notNull())
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("owner", "varchar(255)", (column) => column.notNull())
    .addColumn("epoch", "integer", (column) => column.notNull())
    .addColumn("error", "text")
    .addColumn("stop_reason", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("runs_key", ["tenant_id", "thread_id", "run_id"])
    .execute();
  // At most one run of a thread runs: the database keeps it, whatever a program does.
  await database.schema
    .createIndex("runs_one_running")
    .unique()
    .on("runs")
    .columns(["tenant_id", "thread_id"])
    .where(sql.ref("status"), "=", sql.lit("running"))
    .execute();

  await database.schema
    .createTable("run_events")
    .addColumn("tenant_id", "varchar(64)", (column) => column.notNull())
    .addColumn("thread_id", "varchar(64)", (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("user_id", "varchar(64)", (column) => column.notNull())
    .addColumn("run_id", "varchar(64)", (column) => column.notNull())
    .addColumn("event_type", "varchar(64)", (column) => column.notNull())
    .addColumn("content", "text", (column) => column.notNull())
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_events_key", ["tenant_id", "thread_id", "seq"])
    .execute();
}
