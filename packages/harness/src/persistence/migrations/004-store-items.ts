/** The items of LangGraph stores. Keys are compared byte by byte, whatever the language of the database. */
import { type Kysely, sql } from "kysely";
import type { SqlBackend } from "../sql/contract.js";

/** How each database spells the types of the columns. */
interface Spelling {
  readonly number: string;
  readonly bigint: string;
  readonly text: string;
  /** Text of up to so many bytes that is part of a key. `items/namespace-text.ts` holds them to it. */
  readonly key: (bytes: number) => string;
  readonly end: string;
  /** Leaves rows that never expire out of the index, where the database can. */
  readonly expiring: string;
}

const SPELLINGS: Readonly<Record<SqlBackend, Spelling>> = {
  sqlite: {
    number: "INTEGER PRIMARY KEY",
    bigint: "INTEGER",
    text: "TEXT",
    key: () => "TEXT",
    end: "",
    expiring: " WHERE expires_at IS NOT NULL",
  },
  postgres: {
    number: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    bigint: "BIGINT",
    text: "TEXT",
    key: () => 'TEXT COLLATE "C"',
    end: "",
    expiring: " WHERE expires_at IS NOT NULL",
  },
  mysql: {
    number: "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
    bigint: "BIGINT",
    text: "LONGTEXT",
    // Text of this database compares as equal what differs in spaces at its end.
    key: (bytes) => `VARBINARY(${bytes})`,
    end: " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    expiring: "",
  },
};

const statementsOf = ({ number, bigint, text, key, end, expiring }: Spelling): readonly string[] => [
  `CREATE TABLE store_items (
    item_number ${number},
    scope ${key(255)} NOT NULL,
    namespace ${key(1000)} NOT NULL,
    item_key ${key(1400)} NOT NULL,
    value ${text} NOT NULL,
    created_at ${bigint} NOT NULL,
    updated_at ${bigint} NOT NULL,
    ttl ${bigint},
    expires_at ${bigint},
    UNIQUE (scope, namespace, item_key)
  )${end}`,
  `CREATE INDEX store_items_by_place ON store_items (scope, namespace, item_number)`,
  `CREATE INDEX store_items_by_expiry ON store_items (expires_at)${expiring}`,
];

export async function createStoreItems(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  for (const statement of statementsOf(SPELLINGS[backend])) await sql.raw(statement).execute(database);
}
