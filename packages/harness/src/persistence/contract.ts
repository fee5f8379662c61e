/**
 * Where threads, runs and run events live. Every method takes the Principal first: another tenant's row is as
 * absent as a row that never was. Times are milliseconds since 1970; ids are strings.
 */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { JsonObject, JsonValue } from "../base/json.js";
import type { Principal } from "../context/principal.js";
import type { RunFence } from "./checkpoint/checkpoint-rows.js";
import type { DatabaseLocation } from "./sql/database-location.js";

export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";

export interface ThreadRecord {
  readonly threadId: string;
  readonly status: ThreadStatus;
  /** Client-visible metadata; merged on update. */
  readonly metadata: JsonObject;
  /** A small projection of the state for lists: `title`, and the first human and ai text. Not the state. */
  readonly values: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewThread {
  readonly threadId: string;
  readonly metadata?: JsonObject;
}

export interface ThreadQuery {
  readonly limit: number;
  readonly offset: number;
  readonly status?: ThreadStatus;
  /** Every key must be equal (top level). */
  readonly metadata?: JsonObject;
  readonly sortBy?: "created_at" | "updated_at" | "thread_id" | "status";
  readonly sortOrder?: "asc" | "desc";
}

export interface ThreadPatch {
  readonly status?: ThreadStatus;
  /** Merged key by key. */
  readonly metadata?: JsonObject;
  /** Replaces all there were. */
  readonly values?: JsonObject;
}

export interface ThreadStore {
  /**
   * Creates a thread. The principal's own existing one is returned unchanged. An id is taken once per tenant.
   *
   * @throws DeerflowError `thread_id_taken` when it is another user's
   */
  create(principal: Principal, thread: NewThread): Promise<{ thread: ThreadRecord; created: boolean }>;
  find(principal: Principal, threadId: string): Promise<ThreadRecord | undefined>;
  search(principal: Principal, query: ThreadQuery): Promise<readonly ThreadRecord[]>;
  /** @returns the thread after the change; undefined when there is none. Touches `updatedAt`. */
  update(principal: Principal, threadId: string, patch: ThreadPatch): Promise<ThreadRecord | undefined>;
  /** Removes the thread with its runs and events. False when there was none. */
  remove(principal: Principal, threadId: string): Promise<boolean>;
}

export type RunStatus = "pending" | "running" | "success" | "error" | "interrupted" | "timeout";
export const FINAL_RUN_STATUSES: ReadonlySet<RunStatus> = new Set([
  "success",
  "error",
  "interrupted",
  "timeout",
]);

export interface RunRecord {
  readonly runId: string;
  readonly threadId: string;
  readonly assistantId: string;
  readonly status: RunStatus;
  readonly multitaskStrategy: "reject" | "interrupt" | "rollback" | "enqueue";
  readonly onDisconnect: "cancel" | "continue";
  /** The request as it came (input, command, config, context, stream modes), so that a run can be replayed. */
  readonly request: JsonObject;
  readonly metadata: JsonObject;
  /** Which process works on it, as {@link processIdentity} names it. */
  readonly owner: string;
  /** Fencing number: raised at each pick-up; a write with an older one is refused. */
  readonly epoch: number;
  readonly error?: string;
  readonly stopReason?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewRun = Pick<
  RunRecord,
  | "runId"
  | "threadId"
  | "assistantId"
  | "multitaskStrategy"
  | "onDisconnect"
  | "request"
  | "metadata"
  | "owner"
>;

export interface RunOutcome {
  readonly status: "success" | "error" | "interrupted" | "timeout";
  readonly error?: string;
  readonly stopReason?: string;
}

export interface RunStore {
  /** Adds a pending run. */
  create(principal: Principal, run: NewRun): Promise<RunRecord>;
  find(principal: Principal, threadId: string, runId: string): Promise<RunRecord | undefined>;
  /** Newest first. */
  list(
    principal: Principal,
    threadId: string,
    page: { limit: number; offset: number },
  ): Promise<readonly RunRecord[]>;
  /** The pending and running runs of a thread, whoever works on them; oldest first. */
  unfinished(principal: Principal, threadId: string): Promise<readonly RunRecord[]>;
  /**
   * pending → running, epoch + 1. Undefined when the run is not pending any more, or another run of its thread
   * is running.
   */
  claim(principal: Principal, threadId: string, runId: string): Promise<RunRecord | undefined>;
  /**
   * pending or running → a final status. False when the run is already final or `epoch` is stale, so that of
   * two outcomes exactly one is kept.
   */
  finish(
    principal: Principal,
    run: { threadId: string; runId: string; epoch: number },
    outcome: RunOutcome,
  ): Promise<boolean>;
  /** Puts another request in the place of a running run's. False when the run is over or `epoch` is stale. */
  replaceRequest(
    principal: Principal,
    run: { threadId: string; runId: string; epoch: number },
    request: JsonObject,
  ): Promise<boolean>;
  /** True while the run is running under this epoch. */
  holds(principal: Principal, fence: RunFence): Promise<boolean>;
  /** Ends the pending and running runs whose owner is not alive. @returns the runs that this call ended */
  reconcile(
    outcome: RunOutcome,
    isAlive: (owner: string) => boolean,
  ): Promise<readonly { principal: Principal; run: RunRecord }[]>;
}

export interface RunEvent {
  /** Counts from 1 within a thread, without gaps. */
  readonly seq: number;
  readonly runId: string;
  /** Noun and verb: `run.start`, `run.end`, `run.error`, `message.human`, `message.ai`, `message.tool`, … */
  readonly eventType: string;
  readonly content: JsonValue;
  readonly metadata: JsonObject;
  readonly createdAt: number;
}

export type NewRunEvent = Pick<RunEvent, "runId" | "eventType" | "content"> & {
  readonly metadata?: JsonObject;
};

export interface RunEventStore {
  /** Appends in order and gives each its seq; all or none. @returns the first seq */
  append(principal: Principal, threadId: string, events: readonly NewRunEvent[]): Promise<number>;
  /** Ascending by seq, those with `seq > afterSeq`. */
  list(
    principal: Principal,
    threadId: string,
    query: { afterSeq?: number; limit: number; runId?: string; eventTypes?: readonly string[] },
  ): Promise<readonly RunEvent[]>;
}

export interface AppStores {
  readonly threads: ThreadStore;
  readonly runs: RunStore;
  readonly events: RunEventStore;
}

/** Everything durable, opened together and closed together. */
export interface Persistence extends AppStores {
  /**
   * The checkpointer scoped to one tenant; the scope never comes from client fields. With a fence its `put` and
   * `putWrites` are refused with `run_superseded` once the run ended or another process took it over: in the
   * transaction of the write, or, where checkpoints lie in another database than runs, just before it.
   */
  checkpointer(principal: Principal, fence?: RunFence): BaseCheckpointSaver;
  /** Which database holds threads, runs and events. */
  readonly backend: DatabaseLocation["backend"];
  /** Where the data lies, for a person: file paths, and URLs without credentials. */
  readonly description: string;
  close(): Promise<void>;
}
