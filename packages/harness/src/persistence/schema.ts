/** The tables of the application as Kysely sees them: one schema for every database. */
import type { ColumnType, Generated } from "kysely";
import type { RunRecord, RunStatus, ThreadStatus } from "./contract.js";

/** Columns of JSON are text; `stores/json-text.ts` writes and reads them. Times are milliseconds since 1970. */
export interface ThreadTable {
  tenant_id: string;
  thread_id: string;
  user_id: string;
  status: ThreadStatus;
  metadata: string;
  /** The projection for lists, not the state. */
  list_values: string;
  created_at: number;
  updated_at: number;
}

/** Written only when a run changes its state: no heartbeat lives here. */
export interface RunTable {
  tenant_id: string;
  thread_id: string;
  run_id: string;
  user_id: string;
  /** Counts the runs of a thread from 1: their order, where two have the same time. */
  position: number;
  assistant_id: string;
  status: RunStatus;
  multitask_strategy: RunRecord["multitaskStrategy"];
  on_disconnect: RunRecord["onDisconnect"];
  request: string;
  metadata: string;
  /** The process that works on it. */
  owner: string;
  /** Raised at each pick-up. */
  epoch: number;
  error: string | null;
  stop_reason: string | null;
  created_at: number;
  updated_at: number;
}

export interface RunEventTable {
  tenant_id: string;
  thread_id: string;
  seq: number;
  user_id: string;
  run_id: string;
  event_type: string;
  content: string;
  metadata: string;
  created_at: number;
}

/** Where a database compares text too loosely for a key, it stores the bytes of the text and returns those. */
type KeyColumn = ColumnType<string | Uint8Array, string, string>;

/** Items of LangGraph stores. */
export interface StoreItemTable {
  item_number: Generated<number>;
  scope: KeyColumn;
  /** `items/namespace-text.ts` writes and reads it. */
  namespace: KeyColumn;
  item_key: KeyColumn;
  value: string;
  created_at: number;
  updated_at: number;
  /** How long it lives since it was put or read last, in milliseconds; null for ever. */
  ttl: number | null;
  expires_at: number | null;
}

export interface AppSchema {
  threads: ThreadTable;
  runs: RunTable;
  run_events: RunEventTable;
  store_items: StoreItemTable;
}
