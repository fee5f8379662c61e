/** Threads, runs and the event log. Every key begins with the tenant. */
import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from "kysely";
import type { SqlBackend } from "../sql/contract.js";

/** How each database spells what differs. */
interface Spelling {
  /** Text of up to so many characters, compared byte by byte, so that all databases order it alike. */
  readonly short: (characters: number) => RawBuilder<unknown>;
  /** Text of any length. */
  readonly text: RawBuilder<unknown>;
  /** The end of a table, where it has one. SQLite keeps the text of the statement: not even a space may be added. */
  readonly end: RawBuilder<unknown> | undefined;
}

const SPELLINGS: Readonly<Record<SqlBackend, Spelling>> = {
  sqlite: {
    short: (characters) => sql.raw(`varchar(${characters})`),
    text: sql.raw("text"),
    end: undefined,
  },
  postgres: {
    // The language of the database may order ids in another way, or without regard to case.
    short: (characters) => sql.raw(`varchar(${characters}) collate "C"`),
    text: sql.raw("text"),
    end: undefined,
  },
  mysql: {
    short: (characters) => sql.raw(`varchar(${characters})`),
    // What is called text holds 64 KB only.
    text: sql.raw("longtext"),
    // The server's default may compare without case and accents, or not know emoji at all.
    end: sql.raw("character set utf8mb4 collate utf8mb4_bin"),
  },
};

export async function createAppTables(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  await createThreads(database, backend);
  await createRuns(database, backend);
  await createRunEvents(database, backend);
}

async function createThreads(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  const { short, text } = SPELLINGS[backend];
  const table = database.schema
    .createTable("threads")
    .addColumn("tenant_id", short(64), (column) => column.notNull())
    .addColumn("thread_id", short(64), (column) => column.notNull())
    .addColumn("user_id", short(64), (column) => column.notNull())
    .addColumn("status", short(16), (column) => column.notNull())
    .addColumn("metadata", text, (column) => column.notNull())
    .addColumn("list_values", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("threads_key", ["tenant_id", "thread_id"]);
  await ended(table, backend).execute();
  await database.schema
    .createIndex("threads_by_update")
    .on("threads")
    .columns(["tenant_id", "user_id", "updated_at"])
    .execute();
}

async function createRuns(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  const { short, text } = SPELLINGS[backend];
  const table = database.schema
    .createTable("runs")
    .addColumn("tenant_id", short(64), (column) => column.notNull())
    .addColumn("thread_id", short(64), (column) => column.notNull())
    .addColumn("run_id", short(64), (column) => column.notNull())
    .addColumn("user_id", short(64), (column) => column.notNull())
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("assistant_id", short(128), (column) => column.notNull())
    .addColumn("status", short(16), (column) => column.notNull())
    .addColumn("multitask_strategy", short(16), (column) => column.notNull())
    .addColumn("on_disconnect", short(16), (column) => column.notNull())
    .addColumn("request", text, (column) => column.notNull())
    .addColumn("metadata", text, (column) => column.notNull())
    .addColumn("owner", short(255), (column) => column.notNull())
    .addColumn("epoch", "integer", (column) => column.notNull())
    .addColumn("error", text)
    .addColumn("stop_reason", text)
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("runs_key", ["tenant_id", "thread_id", "run_id"]);
  await ended(withRunningThread(table, backend), backend).execute();
  await keepOneRunning(database, backend);
  if (backend === "sqlite") return;
  // SQLite has one writer at a time; elsewhere two could give one position to two runs.
  await database.schema
    .createIndex("runs_by_position")
    .unique()
    .on("runs")
    .columns(["tenant_id", "thread_id", "position"])
    .execute();
  await database.schema.createIndex("runs_by_status").on("runs").columns(["status", "owner"]).execute();
}

/** At most one run of a thread runs: the database keeps it, whatever a program does. */
async function keepOneRunning(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  const index = database.schema.createIndex("runs_one_running").unique().on("runs");
  if (backend === "mysql") return index.columns(["tenant_id", "running_thread"]).execute();
  await index.columns(["tenant_id", "thread_id"]).where(sql.ref("status"), "=", sql.lit("running")).execute();
}

/** MySQL has no index of some rows only; but null, which the others have here, may stand in a unique one often. */
const withRunningThread = <Table extends string, Column extends string>(
  table: CreateTableBuilder<Table, Column>,
  backend: SqlBackend,
) =>
  backend === "mysql"
    ? table.addColumn("running_thread", SPELLINGS.mysql.short(64), (column) =>
        column.generatedAlwaysAs(sql`case when status = 'running' then thread_id end`).stored(),
      )
    : table;

async function createRunEvents(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  const { short, text } = SPELLINGS[backend];
  const table = database.schema
    .createTable("run_events")
    .addColumn("tenant_id", short(64), (column) => column.notNull())
    .addColumn("thread_id", short(64), (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("user_id", short(64), (column) => column.notNull())
    .addColumn("run_id", short(64), (column) => column.notNull())
    .addColumn("event_type", short(64), (column) => column.notNull())
    .addColumn("content", text, (column) => column.notNull())
    .addColumn("metadata", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_events_key", ["tenant_id", "thread_id", "seq"]);
  await ended(table, backend).execute();
}

const ended = <Table extends string, Column extends string>(
  table: CreateTableBuilder<Table, Column>,
  backend: SqlBackend,
) => {
  const { end } = SPELLINGS[backend];
  return end === undefined ? table : table.modifyEnd(end);
};
