/** Moves the items of the key-value store, of all tenants. */
import { chunksOf, insertInto } from "../checkpoint/sql-inserts.js";
import type { AppSchema } from "../schema.js";
import type { SqlDatabase, SqlRow, SqlSession, SqlValue } from "../sql/contract.js";
import { DeerflowError } from "../../base/errors.js";
import { digestOf } from "./canonical-digest.js";
import type { ItemsReport } from "./contract.js";

/** Every column but the number, which each database gives by itself, in the order in which items come. */
const COLUMNS: Readonly<Record<Exclude<keyof AppSchema["store_items"], "item_number">, true>> = {
  scope: true,
  namespace: true,
  item_key: true,
  value: true,
  created_at: true,
  updated_at: true,
  ttl: true,
  expires_at: true,
};
const NAMES = Object.keys(COLUMNS);
const KEY = ["scope", "namespace", "item_key"];
/** Items of one turn. */
const PAGE = 50;

export interface MoveItemsOptions {
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Makes the target's items equal to the source's: also those that are newer there, or not in the source any more. */
  readonly mirror?: boolean;
}

/** How an item of the source stands to the target's. */
type ItemStanding = "copied" | "updated" | "unchanged" | "kept";

/** @param to - undefined when there is no such database yet, and nothing is to be done */
export async function moveItems(
  from: SqlDatabase,
  to: SqlDatabase | undefined,
  options: MoveItemsOptions = {},
): Promise<ItemsReport> {
  const counts = { items: 0, copied: 0, updated: 0, unchanged: 0, kept: 0 };
  for await (const page of pagesOf(from)) {
    options.signal?.throwIfAborted();
    counts.items += page.length;
    for (const standing of await movePage(page, to, options)) counts[standing] += 1;
  }
  if (options.mirror && to !== undefined && !options.dryRun) await removeOthers(from, to, options.signal);
  return counts;
}

async function* pagesOf(database: SqlDatabase): AsyncGenerator<readonly SqlRow[]> {
  let after = 0;
  for (;;) {
    const rows = await database.read((session) =>
      session.all(
        `SELECT item_number, ${NAMES.join(", ")} FROM store_items WHERE item_number > ?
          ORDER BY item_number LIMIT ${PAGE}`,
        [after],
      ),
    );
    if (rows.length > 0) yield rows.map(withTextKeys);
    after = Number(rows.at(-1)?.["item_number"] ?? after);
    if (rows.length < PAGE) return;
  }
}

/** Where a database compares text too loosely for a key, it has the bytes of the text. */
const withTextKeys = (row: SqlRow): SqlRow => ({
  ...row,
  ...Object.fromEntries(KEY.map((name) => [name, textOf(row[name])])),
});

const textOf = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);

const keyOf = (row: SqlRow): string => JSON.stringify(KEY.map((name) => row[name]));

/** An item is put off by reading it, which is no change of it. */
const digestOfItem = (row: SqlRow): string => digestOf([row["value"], row["created_at"], row["updated_at"]]);

async function movePage(
  page: readonly SqlRow[],
  to: SqlDatabase | undefined,
  { dryRun, mirror }: MoveItemsOptions,
): Promise<readonly ItemStanding[]> {
  if (to === undefined) return page.map(() => "copied");
  const judge = async (session: SqlSession) => {
    const there = await findItems(session, page);
    return page.map((row) => ({ row, standing: standingOfItem(row, there.get(keyOf(row)), mirror) }));
  };
  if (dryRun) return (await to.read(judge)).map(({ standing }) => standing);
  return to.write(async (session) => {
    const judged = await judge(session);
    const wanted = judged.filter(({ standing }) => standing === "copied" || standing === "updated");
    await putItems(
      session,
      to,
      wanted.map(({ row }) => row),
    );
    return judged.map(({ standing }) => standing);
  });
}

function standingOfItem(row: SqlRow, there: SqlRow | undefined, mirror: boolean | undefined): ItemStanding {
  if (there === undefined) return "copied";
  if (digestOfItem(row) === digestOfItem(there)) return "unchanged";
  return mirror || Number(row["updated_at"]) > Number(there["updated_at"]) ? "updated" : "kept";
}

async function findItems(session: SqlSession, page: readonly SqlRow[]): Promise<ReadonlyMap<string, SqlRow>> {
  const conditions = page.map(() => "(scope = ? AND namespace = ? AND item_key = ?)").join(" OR ");
  const rows = await session.all(
    `SELECT ${NAMES.join(", ")} FROM store_items WHERE ${conditions}`,
    page.flatMap((row) => KEY.map((name) => row[name] ?? null)),
  );
  return new Map(rows.map(withTextKeys).map((row) => [keyOf(row), row]));
}

async function putItems(session: SqlSession, to: SqlDatabase, rows: readonly SqlRow[]): Promise<void> {
  if (rows.length === 0) return;
  const target = { name: "store_items", columns: NAMES, key: KEY };
  const values = rows.map((row) => NAMES.map((name) => row[name] ?? null));
  for (const { sql, parameters } of insertInto(to.backend, target, { rows: values, placement: "replace" })) {
    await session.run(sql, parameters);
  }
  const written = await findItems(session, rows);
  const lost = rows.find((row) => {
    const there = written.get(keyOf(row));
    return there === undefined || digestOfItem(there) !== digestOfItem(row);
  });
  if (lost === undefined) return;
  throw new DeerflowError("internal", { reason: `an item of the store does not read as it was written` });
}

async function removeOthers(
  from: SqlDatabase,
  to: SqlDatabase,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const page of pagesOf(to)) {
    signal?.throwIfAborted();
    const there = await from.read((session) => findItems(session, page));
    for (const rows of chunksOf(
      page.filter((row) => !there.has(keyOf(row))),
      PAGE,
    )) {
      await to.write(async (session) => {
        for (const row of rows) {
          await session.run(
            "DELETE FROM store_items WHERE scope = ? AND namespace = ? AND item_key = ?",
            KEY.map((name) => row[name] ?? null),
          );
        }
      });
    }
  }
}
