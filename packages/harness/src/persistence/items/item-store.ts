/** LangGraph's long-term store in any database. */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  BaseStore,
  type Item,
  type Operation,
  type OperationResults,
  type SearchItem,
  validateNamespace,
} from "@langchain/langgraph-checkpoint";
import { type Clock, systemClock } from "../../base/clock.js";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import type { JsonObject } from "../../base/json.js";
import { type Logger, silentLogger } from "../../base/logger.js";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import { ExpirySweeper } from "./expiry-sweeper.js";
import { textsOf } from "./item-filter.js";
import {
  type GetRequest,
  idOf,
  type ItemOperation,
  type ItemPut,
  type ItemSearch,
  lifetime,
  type NamespaceList,
  type PutOptions,
  type ReadOptions,
  type Step,
  stepsOf,
} from "./item-operations.js";
import { type ItemRow, ItemTable } from "./item-table.js";
import {
  checkedScope,
  commonPrefix,
  matchesConditions,
  namespaceFromText,
  rangeOf,
  textAfter,
} from "./namespace-text.js";

/** Rows of one reading: a search never holds more in memory than these and what it found. */
const PAGE = 100;
const NAMESPACES_PAGE = 1_000;
const SWEEP_INTERVAL_MINUTES = 60;

/** In minutes, and with the names of LangGraph's own stores. */
export interface StoreTtl {
  /** For items that are put without a time of their own; for ever by default. */
  readonly defaultTtl?: number;
  /** Whether reading an item makes it live its whole time from then on; true by default. */
  readonly refreshOnRead?: boolean;
  /** Between removals of what is expired, 60 by default; 0 for none. Expired items are never returned either way. */
  readonly sweepIntervalMinutes?: number;
}

export interface ItemStoreOptions {
  /** Whose items these are: the tenant; the one of an installation without identity by default. Never taken from a client's fields. */
  readonly scope?: string;
  readonly ttl?: StoreTtl;
  readonly clock?: Clock;
  /** Where a sweep that failed is told; it is tried again at the next interval. */
  readonly logger?: Logger;
}

export interface StoreSearchOptions extends ReadOptions {
  readonly filter?: Record<string, unknown>;
  /** 10 by default. */
  readonly limit?: number;
  readonly offset?: number;
  /** Refused: this store has no index. */
  readonly query?: string;
}

interface Outcome {
  readonly results: unknown[];
  /** The items read that shall live their whole time from now on. */
  readonly refreshed: number[];
}

/**
 * A store for any LangGraph.js graph (`compile({ store })`). Items are returned by namespace (in the order of its
 * bytes) and within one in the order in which they were first put. A filter compares fields of the top level: lists
 * and objects are equal as a whole, `$gt` and its like compare numbers, and what cannot be applied is refused.
 *
 * Each method throws InvalidNamespaceError and DeerflowError `store_name_invalid`, `store_value_invalid`,
 * `store_query_invalid`, `store_without_index`, `database_*`.
 */
export class SqlItemStore extends BaseStore {
  readonly #database: SqlDatabase;
  readonly #table: ItemTable;
  readonly #clock: Clock;
  readonly #defaultTtl: number | null;
  readonly #refreshOnRead: boolean;
  readonly #sweeper: ExpirySweeper;
  readonly #onStop: () => Promise<void>;

  /** @param onStop - closes what belongs to this store alone; nothing by default */
  constructor(
    database: SqlDatabase,
    options: ItemStoreOptions = {},
    onStop: () => Promise<void> = async () => undefined,
  ) {
    super();
    const {
      scope = LOCAL_PRINCIPAL.tenantId,
      ttl = {},
      clock = systemClock,
      logger = silentLogger,
    } = options;
    const { defaultTtl, refreshOnRead = true, sweepIntervalMinutes = SWEEP_INTERVAL_MINUTES } = ttl;
    this.#database = database;
    this.#table = new ItemTable(database.backend, checkedScope(scope));
    this.#clock = clock;
    this.#defaultTtl = defaultTtl === undefined ? null : lifetime("defaultTtl", defaultTtl);
    this.#refreshOnRead = refreshOnRead;
    this.#onStop = onStop;
    const interval = sweepIntervalMinutes === 0 ? 0 : lifetime("sweepIntervalMinutes", sweepIntervalMinutes);
    this.#sweeper = new ExpirySweeper({ interval, logger, sweep: () => this.sweep() });
  }

  /**
   * Does the operations in their order and as one: a read sees the writes before it, and where one fails none is
   * done. Of the writes to one item in a row only the last is done.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const steps = stepsOf(operations);
    const now = this.#clock.now();
    const work = (session: SqlSession) => this.#run(session, steps, now);
    const writes = steps.some(({ kind }) => kind === "put");
    const { results, refreshed } = await (writes ? this.#database.write(work) : this.#database.read(work));
    if (refreshed.length > 0) {
      await this.#database.write((session) => this.#table.refresh(session, refreshed, now));
    }
    // One result at the place of each operation, of the kind that it asks for.
    return Array.from(operations, (_, place) => results[place]) as OperationResults<Op>;
  }

  override async get(namespace: string[], key: string, options: ReadOptions = {}): Promise<Item | null> {
    const [item] = await this.#batchOf({ namespace, key, ...options });
    // The result of a get.
    return item as Item | null;
  }

  override async search(namespacePrefix: string[], options: StoreSearchOptions = {}): Promise<SearchItem[]> {
    const [items] = await this.#batchOf({ namespacePrefix, ...options });
    // The result of a search.
    return items as SearchItem[];
  }

  // oxlint-disable-next-line max-params -- LangGraph's own four and one more, as its store for PostgreSQL has it
  override async put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
    options: PutOptions = {},
  ): Promise<void> {
    // Stricter than `batch`: the first label langgraph is LangGraph's own.
    validateNamespace(namespace);
    await this.#batchOf({ namespace, key, value, options, ...(index === undefined ? {} : { index }) });
  }

  /** Removes what is expired. @returns how many items */
  async sweep(): Promise<number> {
    const now = this.#clock.now();
    for (let removed = 0; ; ) {
      // A turn each, so that others get theirs in between.
      const part = await this.#database.write((session) => this.#table.removeExpired(session, PAGE, now));
      removed += part;
      if (part < PAGE) return removed;
    }
  }

  /** Begins to remove what is expired, at intervals. */
  override start(): void {
    this.#sweeper.start();
  }

  /** Ends that, waits for the removal under way, and closes the database if `openStore` opened it. */
  override async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#onStop();
  }

  #batchOf(operation: ItemOperation): Promise<unknown[]> {
    return this.batch([operation]);
  }

  async #run(session: SqlSession, steps: readonly Step[], now: number): Promise<Outcome> {
    const outcome: Outcome = { results: [], refreshed: [] };
    for (const step of steps) await this.#runStep(session, step, now, outcome);
    return outcome;
  }

  async #runStep(
    session: SqlSession,
    step: Step,
    now: number,
    { results, refreshed }: Outcome,
  ): Promise<void> {
    const read = (row: ItemRow, refreshTtl: boolean | undefined): Item => {
      if (row.ttl !== undefined && (refreshTtl ?? this.#refreshOnRead)) refreshed.push(row.number);
      return toItem(row, this.#database.name);
    };
    switch (step.kind) {
      case "put":
        return this.#put(session, step.puts, now);
      case "get":
        for (const [request, row] of await this.#find(session, step.gets, now)) {
          results[request.place] = row === undefined ? null : read(row, request.refreshTtl);
        }
        return;
      case "search": {
        const rows = await this.#search(session, step.search, now);
        results[step.place] = rows.map((row) => read(row, step.search.refreshTtl));
        return;
      }
      case "list":
        results[step.place] = await this.#list(session, step.list, now);
    }
  }

  async #find(session: SqlSession, gets: readonly GetRequest[], now: number) {
    const names = new Map(gets.map(({ name }) => [idOf(name), name]));
    const found = await this.#table.find(session, [...names.values()], now);
    return gets.map((request) => [request, found.get(idOf(request.name))] as const);
  }

  async #put(session: SqlSession, puts: readonly ItemPut[], now: number): Promise<void> {
    await this.#table.remove(
      session,
      puts.filter(({ value }) => value === undefined),
    );
    const items = puts.flatMap(({ namespace, key, value, ttl = this.#defaultTtl }) =>
      value === undefined ? [] : [{ namespace, key, value, ttl }],
    );
    await this.#table.put(session, items, now);
  }

  async #search(session: SqlSession, search: ItemSearch, now: number): Promise<readonly ItemRow[]> {
    const { range, conditions, limit, offset } = search;
    const texts = textsOf(conditions);
    if (conditions.length === 0) return this.#table.page(session, { range, texts, limit, offset }, now);
    const found: ItemRow[] = [];
    for (let after: ItemRow | undefined; found.length < offset + limit; ) {
      const rows = await this.#table.page(session, { range, texts, after, limit: PAGE, offset: 0 }, now);
      found.push(
        ...rows.filter(({ value, key }) => {
          const fields = valueOf(value, key, this.#database.name);
          return conditions.every(({ matches }) => matches(fields));
        }),
      );
      if (rows.length < PAGE) break;
      after = rows.at(-1);
      await nextTurn();
    }
    return found.slice(offset, offset + limit);
  }

  async #list(session: SqlSession, list: NamespaceList, now: number): Promise<string[][]> {
    const { conditions, maxDepth, limit, offset } = list;
    const range = rangeOf(commonPrefix(conditions));
    // By its labels, so that what is the same down to this depth is there once.
    const found = new Map<string, string[]>();
    for (let from = ""; found.size < offset + limit; ) {
      const page = await this.#table.namespaces(session, { range, from, limit: NAMESPACES_PAGE }, now);
      for (const namespace of page.map(namespaceFromText)) {
        if (!matchesConditions(namespace, conditions)) continue;
        const shortened = namespace.slice(0, maxDepth);
        found.set(shortened.join("\0"), shortened);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < NAMESPACES_PAGE) break;
      from = textAfter(last);
      await nextTurn();
    }
    return [...found.values()].slice(offset, offset + limit);
  }
}

/** @throws DeerflowError `database_damaged` */
function toItem({ namespace, key, value, createdAt, updatedAt }: ItemRow, path: string): Item {
  return {
    namespace: namespaceFromText(namespace),
    key,
    value: valueOf(value, key, path),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

function valueOf(text: string, key: string, path: string): JsonObject {
  try {
    // Only objects are ever put.
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    throw new DeerflowError(
      "database_damaged",
      { path, reason: `the item ${key} of a store: ${reasonOf(error)}` },
      error,
    );
  }
}
