/** Turns SQLite checkpoints of the first form, whose values had versions and branches, into numbered ones. */
import { type Kysely, sql } from "kysely";

const TABLES = ["threads", "messages", "values", "writes"] as const;
const nameOf = (table: (typeof TABLES)[number]): string => `checkpoint_${table}`;

/** Moves the tables of the first form aside. */
export async function keepFirstForm(database: Kysely<unknown>): Promise<void> {
  await sql.raw("DROP INDEX checkpoint_messages_by_hash").execute(database);
  for (const name of ["checkpoints", ...TABLES.map(nameOf)]) {
    await sql.raw(`ALTER TABLE ${name} RENAME TO first_${name}`).execute(database);
  }
}

/** What only SQL can do fast. The channels of the checkpoints, JSON of `[version, branch]`, follow row by row. */
const COPIES = [
  `INSERT INTO checkpoint_threads (thread_key, scope, thread_id, next_message, next_value, next_part, generation)
    SELECT thread_key, scope, thread_id, next_message,
      1 + (SELECT count(*) FROM first_checkpoint_values v WHERE v.thread_key = t.thread_key), 1, 1
    FROM first_checkpoint_threads t`,
  `INSERT INTO checkpoint_messages (thread_key, number, hash, refs, data)
    SELECT thread_key, seq, hash, '', data FROM first_checkpoint_messages`,
  `CREATE TEMPORARY TABLE value_numbers AS
    SELECT thread_key, ns, channel, version, branch,
      row_number() OVER (PARTITION BY thread_key ORDER BY ns, channel, version, branch) AS number
    FROM first_checkpoint_values`,
  `CREATE INDEX value_numbers_by_key ON value_numbers (thread_key, ns, channel, version, branch)`,
  `INSERT INTO checkpoint_values (thread_key, number, channel, bases, refs, data)
    SELECT thread_key, number, channel, '', CASE refs WHEN '[]' THEN '' ELSE refs END, data
    FROM value_numbers JOIN first_checkpoint_values USING (thread_key, ns, channel, version, branch)`,
  `INSERT INTO checkpoint_writes (thread_key, ns, checkpoint_id, task_id, idx, task_path, channel, refs, data)
    SELECT thread_key, ns, checkpoint_id, task_id, idx, task_path, channel,
      CASE refs WHEN '[]' THEN '' ELSE refs END, data
    FROM first_checkpoint_writes`,
  // A channel's place was [version] or [version, branch]; it becomes [version] or [version, number].
  `INSERT INTO checkpoints (thread_key, ns, checkpoint_id, parent_id, format, channels, body, metadata)
    SELECT c.thread_key, c.ns, c.checkpoint_id, c.parent_id, c.format,
      coalesce((
        SELECT json_group_object(place.key, CASE
          WHEN n.number IS NULL THEN json_array(place.value -> 0)
          ELSE json_array(place.value -> 0, n.number) END)
        FROM json_each(c.channels) AS place LEFT JOIN value_numbers n
          ON n.thread_key = c.thread_key AND n.ns = c.ns AND n.channel = place.key
          AND n.version = (place.value ->> 0) AND n.branch = (place.value ->> 1)
      ), '{}'), c.body, c.metadata
    FROM first_checkpoints c`,
  `DROP TABLE value_numbers`,
];

export async function convertFirstForm(database: Kysely<unknown>): Promise<void> {
  for (const statement of COPIES) await sql.raw(statement).execute(database);
}

export async function dropFirstForm(database: Kysely<unknown>): Promise<void> {
  for (const name of ["checkpoints", "checkpoint_values", "checkpoint_writes", "checkpoint_messages"]) {
    await sql.raw(`DROP TABLE first_${name}`).execute(database);
  }
  await sql.raw("DROP TABLE first_checkpoint_threads").execute(database);
}
