/**
 * Checkpoints. A thread has one small integer, which every other key begins with. Values, messages and parts have
 * numbers within their thread; checkpoints, writes and messages refer to them by ranges of numbers.
 */
import { type Kysely, sql } from "kysely";
import type { SqlBackend } from "../sql/contract.js";
import { convertFirstForm, dropFirstForm, keepFirstForm } from "./first-checkpoint-form.js";

/** How each database spells the types of the columns, and the end of a table. */
interface Spelling {
  readonly key: string;
  readonly bigint: string;
  readonly blob: string;
  readonly hash: string;
  readonly text: string;
  /** Text of up to so many characters, in keys and out of them. */
  readonly short: (characters: number) => string;
  readonly end: string;
  /** The end of a table whose rows are mostly short. */
  readonly endOfShort: string;
}

const BYTES_PER_CHARACTER = 4;

const SPELLINGS: Readonly<Record<SqlBackend, Spelling>> = {
  sqlite: {
    // AUTOINCREMENT: the number of a deleted thread is never given again, so nothing cached can point to another's.
    key: "INTEGER PRIMARY KEY AUTOINCREMENT",
    bigint: "INTEGER",
    blob: "BLOB",
    hash: "BLOB",
    text: "TEXT",
    short: () => "TEXT",
    end: "",
    // Rows of more than 1,002 bytes would spill to a page of their own; those that are often that long have a rowid.
    endOfShort: " WITHOUT ROWID",
  },
  postgres: {
    key: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    bigint: "BIGINT",
    blob: "BYTEA",
    hash: "BYTEA",
    text: "TEXT",
    // Ids are compared byte by byte, whatever the language of the database.
    short: () => 'TEXT COLLATE "C"',
    end: "",
    endOfShort: "",
  },
  mysql: {
    key: "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
    bigint: "BIGINT",
    blob: "LONGBLOB",
    hash: "BINARY(32)",
    text: "LONGTEXT",
    // Bytes, because texts that differ in spaces at their end only are equal to MySQL, in keys too.
    short: (characters) => `VARBINARY(${characters * BYTES_PER_CHARACTER})`,
    // The server's default may compare without case and accents, or not know emoji at all.
    end: " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    endOfShort: " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
  },
};

const tablesOf = ({ key, bigint, blob, text, short, end, endOfShort }: Spelling): readonly string[] => [
  `CREATE TABLE checkpoint_threads (
    thread_key ${key},
    scope ${short(64)} NOT NULL,
    thread_id ${short(255)} NOT NULL,
    next_message ${bigint} NOT NULL,
    next_value ${bigint} NOT NULL,
    next_part ${bigint} NOT NULL,
    generation ${bigint} NOT NULL,
    UNIQUE (scope, thread_id)
  )${end}`,
  `CREATE TABLE checkpoints (
    thread_key ${bigint} NOT NULL,
    ns ${short(500)} NOT NULL,
    checkpoint_id ${short(64)} NOT NULL,
    parent_id ${short(64)},
    format INTEGER NOT NULL,
    channels ${text} NOT NULL,
    body ${blob} NOT NULL,
    metadata ${blob} NOT NULL,
    PRIMARY KEY (thread_key, ns, checkpoint_id)
  )${end}`,
  `CREATE TABLE checkpoint_values (
    thread_key ${bigint} NOT NULL,
    number ${bigint} NOT NULL,
    channel ${short(255)} NOT NULL,
    bases ${text} NOT NULL,
    refs ${text} NOT NULL,
    data ${blob} NOT NULL,
    PRIMARY KEY (thread_key, number)
  )${endOfShort}`,
  `CREATE TABLE checkpoint_writes (
    thread_key ${bigint} NOT NULL,
    ns ${short(500)} NOT NULL,
    checkpoint_id ${short(64)} NOT NULL,
    task_id ${short(64)} NOT NULL,
    idx INTEGER NOT NULL,
    task_path ${text} NOT NULL,
    channel ${short(255)} NOT NULL,
    refs ${text} NOT NULL,
    data ${blob} NOT NULL,
    PRIMARY KEY (thread_key, ns, checkpoint_id, task_id, idx)
  )${endOfShort}`,
];

/** What checkpoints refer to. */
const sharedTablesOf = ({ bigint, blob, hash, text, short, end }: Spelling): readonly string[] => [
  `CREATE TABLE checkpoint_messages (
    thread_key ${bigint} NOT NULL,
    number ${bigint} NOT NULL,
    hash ${hash} NOT NULL,
    refs ${text} NOT NULL,
    data ${blob} NOT NULL,
    PRIMARY KEY (thread_key, number)
  )${end}`,
  `CREATE UNIQUE INDEX checkpoint_messages_by_hash ON checkpoint_messages (thread_key, hash)`,
  `CREATE TABLE checkpoint_parts (
    thread_key ${bigint} NOT NULL,
    number ${bigint} NOT NULL,
    hash ${hash} NOT NULL,
    media_type ${short(255)} NOT NULL,
    refs ${text} NOT NULL,
    data ${blob} NOT NULL,
    PRIMARY KEY (thread_key, number)
  )${end}`,
  `CREATE UNIQUE INDEX checkpoint_parts_by_hash ON checkpoint_parts (thread_key, hash)`,
];

export async function createCheckpointTables(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  if (backend === "sqlite") await keepFirstForm(database);
  const spelling = SPELLINGS[backend];
  for (const table of [...tablesOf(spelling), ...sharedTablesOf(spelling)])
    await sql.raw(table).execute(database);
  if (backend !== "sqlite") return;
  await convertFirstForm(database);
  await dropFirstForm(database);
}
