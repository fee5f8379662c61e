/** Statements that insert many rows at once, in the words of each database. Pure. */
import type { SqlBackend, SqlValue } from "../sql/contract.js";

/** What becomes of a row whose key is there already: the old one stays, the new one replaces it, or it is an error. */
export type Placement = "keep" | "replace" | "refuse";

export interface InsertTarget {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Values of one statement: SQLite takes 32,766, PostgreSQL and MySQL 65,535. */
const VALUES_PER_STATEMENT = 8_000;
/** Bytes of one statement: half of what MariaDB takes in one packet by default. */
const BYTES_PER_STATEMENT = 8 * 1024 * 1024;

const bytesOf = (value: SqlValue): number =>
  typeof value === "string" ? value.length * 3 : value instanceof Uint8Array ? value.length : 8;

/** Lists of at most `size` items. */
export function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}

function groupsOf(
  rows: readonly (readonly SqlValue[])[],
  columns: number,
): readonly (readonly SqlValue[])[][] {
  const groups: (readonly SqlValue[])[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = row.reduce<number>((sum, value) => sum + bytesOf(value), 0);
    const last = groups.at(-1);
    const isFull = last === undefined || (last.length + 1) * columns > VALUES_PER_STATEMENT;
    if (isFull || bytes + size > BYTES_PER_STATEMENT) {
      groups.push([row]);
      bytes = size;
    } else {
      last.push(row);
      bytes += size;
    }
  }
  return groups;
}

/** What stands after the rows. */
function ending(backend: SqlBackend, { columns, key }: InsertTarget, placement: Placement): string {
  if (placement === "refuse") return "";
  const others = columns.filter((column) => !key.includes(column));
  if (backend === "mysql") {
    // VALUES() is the only spelling that MariaDB and MySQL 8 share.
    const set =
      placement === "keep"
        ? `${key[0]} = ${key[0]}`
        : others.map((name) => `${name} = VALUES(${name})`).join(", ");
    return ` ON DUPLICATE KEY UPDATE ${set}`;
  }
  if (placement === "keep") return " ON CONFLICT DO NOTHING";
  const set = others.map((name) => `${name} = excluded.${name}`).join(", ");
  return ` ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${set}`;
}

/** @param insert - rows of values in the order of the columns; no two with one key */
export function insertInto(
  backend: SqlBackend,
  target: InsertTarget,
  insert: { readonly rows: readonly (readonly SqlValue[])[]; readonly placement: Placement },
): readonly Statement[] {
  const { name, columns } = target;
  const row = `(${columns.map(() => "?").join(", ")})`;
  const end = ending(backend, target, insert.placement);
  return groupsOf(insert.rows, columns.length).map((rows) => ({
    sql: `INSERT INTO ${name} (${columns.join(", ")}) VALUES ${rows.map(() => row).join(", ")}${end}`,
    parameters: rows.flat(),
  }));
}
