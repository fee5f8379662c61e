/** What a batch of LangGraph store operations asks for: checked before anything is done, then put into steps. */
import type {
  GetOperation,
  ListNamespacesOperation,
  MatchCondition,
  Operation,
  PutOperation,
  SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { isRecord } from "../../base/json.js";
import { conditionsOf, type FieldCondition } from "./item-filter.js";
import { assertConditions, checkedKey, namespaceToText, rangeOf, type TextRange } from "./namespace-text.js";

const MINUTE_MS = 60_000;
const DEFAULT_SEARCH_LIMIT = 10;

/** Whether a read makes items live longer; the store's own setting by default. */
export interface ReadOptions {
  readonly refreshTtl?: boolean;
}

/** How long an item lives: minutes, or null for ever; the store's own setting by default. */
export interface PutOptions {
  readonly ttl?: number | null;
}

/** What `batch` takes beyond LangGraph's operations. */
export type ItemOperation =
  | Operation
  | (GetOperation & ReadOptions)
  | (SearchOperation & ReadOptions)
  | (PutOperation & { readonly options?: PutOptions });

export interface ItemName {
  readonly namespace: string;
  readonly key: string;
}

export interface ItemPut extends ItemName {
  /** JSON; undefined removes the item. */
  readonly value: string | undefined;
  /** Milliseconds, null for ever; undefined for the store's setting. */
  readonly ttl: number | null | undefined;
}

export interface ItemSearch {
  readonly range: TextRange | undefined;
  readonly conditions: readonly FieldCondition[];
  readonly limit: number;
  readonly offset: number;
  readonly refreshTtl: boolean | undefined;
}

export interface NamespaceList {
  readonly conditions: readonly MatchCondition[];
  readonly maxDepth: number;
  readonly limit: number;
  readonly offset: number;
}

type Request =
  | { readonly kind: "get"; readonly name: ItemName; readonly refreshTtl: boolean | undefined }
  | { readonly kind: "put"; readonly put: ItemPut }
  | { readonly kind: "search"; readonly search: ItemSearch }
  | { readonly kind: "list"; readonly list: NamespaceList };

export interface GetRequest {
  readonly name: ItemName;
  readonly refreshTtl: boolean | undefined;
  /** Its place among the results. */
  readonly place: number;
}

/** What is done at once. Neighbours of one kind are one step: they cannot see each other. */
export type Step =
  | { readonly kind: "get"; readonly gets: readonly GetRequest[] }
  | { readonly kind: "put"; readonly puts: readonly ItemPut[] }
  | { readonly kind: "search"; readonly search: ItemSearch; readonly place: number }
  | { readonly kind: "list"; readonly list: NamespaceList; readonly place: number };

/**
 * The steps of a batch, in its order: a read sees the writes before it and none after it. Of the writes to one
 * item in a row only the last is done.
 *
 * @throws InvalidNamespaceError
 * @throws DeerflowError `store_name_invalid`, `store_value_invalid`, `store_query_invalid`, `store_without_index`
 */
export function stepsOf(operations: readonly ItemOperation[]): readonly Step[] {
  const requests = operations.map(toRequest);
  const steps: Step[] = [];
  for (let place = 0; place < requests.length; ) {
    const run = runAt(requests, place);
    steps.push(stepOf(run, place));
    place += run.length;
  }
  return steps;
}

/** For maps: names have no NUL. */
export const idOf = ({ namespace, key }: ItemName): string => `${namespace}\0${key}`;

/** The neighbours that make one step. */
function runAt(requests: readonly Request[], place: number): readonly Request[] {
  const kind = requests[place]?.kind;
  if (kind !== "get" && kind !== "put") return requests.slice(place, place + 1);
  const length = requests.slice(place).findIndex((request) => request.kind !== kind);
  return requests.slice(place, length === -1 ? undefined : place + length);
}

function stepOf(run: readonly Request[], place: number): Step {
  const [first] = run;
  if (first?.kind === "search") return { kind: "search", search: first.search, place };
  if (first?.kind === "list") return { kind: "list", list: first.list, place };
  if (first?.kind === "put") {
    const puts = run.flatMap((request) => (request.kind === "put" ? [request.put] : []));
    return { kind: "put", puts: [...new Map(puts.map((put) => [idOf(put), put])).values()] };
  }
  const gets = run.flatMap((request, index) =>
    request.kind === "get"
      ? [{ name: request.name, refreshTtl: request.refreshTtl, place: place + index }]
      : [],
  );
  return { kind: "get", gets };
}

/** Told apart by their fields, as LangGraph does. */
function toRequest(operation: ItemOperation): Request {
  if ("namespacePrefix" in operation) return { kind: "search", search: toSearch(operation) };
  if ("key" in operation) {
    const name = { namespace: namespaceToText(operation.namespace), key: checkedKey(operation.key) };
    if ("value" in operation) return { kind: "put", put: toPut(name, operation) };
    return { kind: "get", name, refreshTtl: "refreshTtl" in operation ? operation.refreshTtl : undefined };
  }
  return { kind: "list", list: toList(operation) };
}

function toPut(name: ItemName, operation: PutOperation & { readonly options?: PutOptions }): ItemPut {
  const { value, options = {} } = operation;
  const { ttl } = options;
  if (typeof ttl !== "number") return { ...name, value: jsonOf(name, value), ttl };
  return { ...name, value: jsonOf(name, value), ttl: lifetime("ttl", ttl) };
}

/** @throws DeerflowError `store_query_invalid` @returns milliseconds */
export function lifetime(name: string, minutes: number): number {
  const ms = Math.ceil(minutes * MINUTE_MS);
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw new DeerflowError("store_query_invalid", { reason: `${name} must be a number of minutes above 0` });
}

function jsonOf(name: ItemName, value: unknown): string | undefined {
  if (value === null) return undefined;
  const refusal = (reason: string, cause?: unknown) =>
    new DeerflowError("store_value_invalid", { namespace: name.namespace, key: name.key, reason }, cause);
  if (!isRecord(value)) throw refusal("it is not an object of fields");
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw refusal(reasonOf(error), error);
  }
  // An object may name another value in its toJSON.
  if (!text?.startsWith("{")) throw refusal("it is not an object of fields");
  return text;
}

function toSearch(operation: SearchOperation & ReadOptions): ItemSearch {
  const { namespacePrefix, filter, limit = DEFAULT_SEARCH_LIMIT, offset = 0, query, refreshTtl } = operation;
  if (query) throw new DeerflowError("store_without_index", { query });
  return {
    range: rangeOf(namespacePrefix),
    conditions: conditionsOf(filter),
    limit: count("limit", limit, 0),
    offset: count("offset", offset, 0),
    refreshTtl,
  };
}

function toList(operation: Partial<ListNamespacesOperation>): NamespaceList {
  const { matchConditions = [], maxDepth, limit, offset = 0 } = operation;
  assertConditions(matchConditions);
  return {
    conditions: matchConditions,
    maxDepth: maxDepth === undefined ? Infinity : count("maxDepth", maxDepth, 1),
    limit: limit === undefined ? Infinity : count("limit", limit, 0),
    offset: count("offset", offset, 0),
  };
}

function count(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new DeerflowError("store_query_invalid", {
    reason: `${name} must be a whole number of at least ${least}`,
  });
}
