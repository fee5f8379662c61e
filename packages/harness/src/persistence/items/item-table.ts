/** The rows of one scope's items, in any database: every statement is built by Kysely and run in a turn. */
import { type Compilable, type ExpressionBuilder, type Insertable, sql, type SqlBool } from "kysely";
import type { AppSchema, StoreItemTable } from "../schema.js";
import type { SqlBackend, SqlRow, SqlSession, SqlValue } from "../sql/contract.js";
import { idOf, type ItemName } from "./item-operations.js";
import type { TextRange } from "./namespace-text.js";
import { queryBuilder, rowsOf, runQuery } from "./query-builder.js";

/** Items of one statement: far below what the databases bind at once, and what one packet of MySQL holds. */
const MOST_ROWS = 100;
const MOST_CHARACTERS = 2_000_000;

export interface ItemRow extends ItemName {
  /** Grows with each new item. */
  readonly number: number;
  /** JSON. */
  readonly value: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Milliseconds; undefined for ever. */
  readonly ttl: number | undefined;
}

export interface NewItem extends ItemName {
  readonly value: string;
  readonly ttl: number | null;
}

export interface ItemPage {
  readonly range: TextRange | undefined;
  /** Each group has a text that the value contains. */
  readonly texts: readonly (readonly string[])[];
  /** The last row of the page before. */
  readonly after?: ItemRow | undefined;
  readonly limit: number;
  readonly offset: number;
}

const COLUMNS = ["item_number", "namespace", "item_key", "value", "created_at", "updated_at", "ttl"] as const;

type Conditions = ExpressionBuilder<AppSchema, "store_items">;

/** Names are text or, where a database compares bytes as bytes only, those of the text. */
const toText = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);

const toRow = (row: SqlRow): ItemRow => ({
  number: Number(row["item_number"]),
  namespace: toText(row["namespace"]),
  key: toText(row["item_key"]),
  value: toText(row["value"]),
  createdAt: Number(row["created_at"]),
  updatedAt: Number(row["updated_at"]),
  ttl: row["ttl"] === null ? undefined : Number(row["ttl"]),
});

/** Parts of at most so many rows and characters of values; a larger value is a part of its own. */
function partsOf<T extends ItemName>(items: readonly T[], charactersOf: (item: T) => number): readonly T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const item of items) {
    const last = parts.at(-1);
    const characters = charactersOf(item);
    if (last === undefined || last.length === MOST_ROWS || characters > room) {
      parts.push([item]);
      room = MOST_CHARACTERS - characters;
    } else {
      last.push(item);
      room -= characters;
    }
  }
  return parts;
}

/** Items of other scopes, and expired ones, are as absent as what never was. Times are milliseconds since 1970. */
export class ItemTable {
  readonly #backend: SqlBackend;
  readonly #scope: string;
  readonly #queries: ReturnType<typeof queryBuilder>;

  constructor(backend: SqlBackend, scope: string) {
    this.#backend = backend;
    this.#scope = scope;
    this.#queries = queryBuilder(backend);
  }

  /** @returns what is there, by {@link idOf} */
  async find(session: SqlSession, names: readonly ItemName[], now: number): Promise<Map<string, ItemRow>> {
    const found = new Map<string, ItemRow>();
    for (const part of partsOf(names, () => 0)) {
      const query = this.#alive(now).where((conditions) => named(conditions, part));
      for (const row of await rowsOf(session, query)) found.set(idOf(toRow(row)), toRow(row));
    }
    return found;
  }

  /** Adds items, or replaces those that are there; all names differ. */
  async put(session: SqlSession, items: readonly NewItem[], now: number): Promise<void> {
    for (const part of partsOf(items, ({ value }) => value.length)) {
      const rows = part.map((item) => ({
        scope: this.#scope,
        namespace: item.namespace,
        item_key: item.key,
        value: item.value,
        created_at: now,
        updated_at: now,
        ttl: item.ttl,
        expires_at: item.ttl === null ? null : now + item.ttl,
      }));
      await runQuery(session, this.#upsert(rows, now));
    }
  }

  async remove(session: SqlSession, names: readonly ItemName[]): Promise<void> {
    for (const part of partsOf(names, () => 0)) {
      const query = this.#queries
        .deleteFrom("store_items")
        .where("scope", "=", this.#scope)
        .where((conditions) => named(conditions, part));
      await runQuery(session, query);
    }
  }

  /** By namespace; within one in the order in which the items were first put. */
  async page(session: SqlSession, page: ItemPage, now: number): Promise<readonly ItemRow[]> {
    const { range, texts, after, limit, offset } = page;
    let query = this.#alive(now).orderBy("namespace").orderBy("item_number").limit(limit).offset(offset);
    if (range !== undefined) query = query.where((conditions) => inRange(conditions, range));
    for (const group of texts) {
      query = query.where((conditions) => conditions.or(group.map((text) => this.#contains(text))));
    }
    if (after !== undefined) {
      query = query.where(({ eb, and, or }) =>
        or([
          eb("namespace", ">", after.namespace),
          and([eb("namespace", "=", after.namespace), eb("item_number", ">", after.number)]),
        ]),
      );
    }
    return (await rowsOf(session, query)).map(toRow);
  }

  /** Those of items that are there, in the order of their bytes, from `from` on. */
  async namespaces(
    session: SqlSession,
    page: { readonly range: TextRange | undefined; readonly from: string; readonly limit: number },
    now: number,
  ): Promise<readonly string[]> {
    const { range } = page;
    let query = this.#queries
      .selectFrom("store_items")
      .select("namespace")
      .distinct()
      .where("scope", "=", this.#scope)
      .where((conditions) => isAlive(conditions, now))
      .where("namespace", ">=", page.from)
      .orderBy("namespace")
      .limit(page.limit);
    if (range !== undefined) query = query.where((conditions) => inRange(conditions, range));
    return (await rowsOf(session, query)).map((row) => toText(row["namespace"]));
  }

  /** Lets items that expire live their whole time from now on. */
  async refresh(session: SqlSession, numbers: readonly number[], now: number): Promise<void> {
    for (let start = 0; start < numbers.length; start += MOST_ROWS) {
      const query = this.#queries
        .updateTable("store_items")
        .set(({ eb }) => ({ expires_at: eb("ttl", "+", now) }))
        .where("item_number", "in", numbers.slice(start, start + MOST_ROWS))
        .where("scope", "=", this.#scope)
        .where("expires_at", ">", now);
      await runQuery(session, query);
    }
  }

  /** Removes some of the items that are expired. @returns how many; fewer than asked for when none are left */
  async removeExpired(session: SqlSession, most: number, now: number): Promise<number> {
    const expired = this.#queries
      .selectFrom("store_items")
      .select("item_number")
      .where("scope", "=", this.#scope)
      .where("expires_at", "<=", now)
      .limit(most);
    const numbers = (await rowsOf(session, expired)).map((row) => Number(row["item_number"]));
    if (numbers.length === 0) return 0;
    const query = this.#queries
      .deleteFrom("store_items")
      .where("item_number", "in", numbers)
      // One that was put anew in between lives on.
      .where("expires_at", "<=", now);
    await runQuery(session, query);
    return numbers.length;
  }

  #alive(now: number) {
    return this.#queries
      .selectFrom("store_items")
      .select(COLUMNS)
      .where("scope", "=", this.#scope)
      .where((conditions) => isAlive(conditions, now));
  }

  /** Letters are compared as they are, and nothing in the text is a pattern. */
  #contains(text: string) {
    const find =
      this.#backend === "postgres"
        ? sql`strpos(${sql.ref("value")}, ${text})`
        : sql`instr(${sql.ref("value")}, ${text})`;
    return sql<SqlBool>`${find} > 0`;
  }

  #upsert(rows: readonly Row[], now: number): Compilable {
    const insert = this.#queries.insertInto("store_items").values(rows);
    // The first column is set first, so that it still sees when the item in the way expires.
    if (this.#backend === "mysql") {
      return insert.onDuplicateKeyUpdate({
        created_at: sql`if(expires_at <= ${now}, values(created_at), created_at)`,
        updated_at: sql`values(updated_at)`,
        value: sql`values(value)`,
        ttl: sql`values(ttl)`,
        expires_at: sql`values(expires_at)`,
      });
    }
    return insert.onConflict((conflict) =>
      conflict.columns(["scope", "namespace", "item_key"]).doUpdateSet(({ eb, ref }) => ({
        created_at: eb
          .case()
          .when("store_items.expires_at", "<=", now)
          .then(ref("excluded.created_at"))
          .else(ref("store_items.created_at"))
          .end(),
        updated_at: ref("excluded.updated_at"),
        value: ref("excluded.value"),
        ttl: ref("excluded.ttl"),
        expires_at: ref("excluded.expires_at"),
      })),
    );
  }
}

type Row = Insertable<StoreItemTable>;

const isAlive = ({ eb, or }: Conditions, now: number) =>
  or([eb("expires_at", "is", null), eb("expires_at", ">", now)]);

const inRange = ({ eb, and }: Conditions, { from, before }: TextRange) =>
  and([eb("namespace", ">=", from), eb("namespace", "<", before)]);

const named = ({ eb, and, or }: Conditions, names: readonly ItemName[]) =>
  or(names.map(({ namespace, key }) => and([eb("namespace", "=", namespace), eb("item_key", "=", key)])));
