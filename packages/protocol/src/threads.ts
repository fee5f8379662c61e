/** Threads, their state and their history, in the form that LangGraph SDK clients know. */
import { z } from "zod";
import { jsonObject, jsonValue } from "./json.js";

/** 1 to 64 letters, digits, underscores or hyphens; a UUID fits. */
export const threadId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not a thread id");

export const THREAD_STATUSES = ["idle", "busy", "interrupted", "error"] as const;
export const threadStatus = z.enum(THREAD_STATUSES);
export type ThreadStatus = z.output<typeof threadStatus>;

/** Something the run waits for a person to decide. */
export const interrupt = z.looseObject({ id: z.string().optional(), value: jsonValue.optional() });
export type Interrupt = z.output<typeof interrupt>;

export const thread = z.object({
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  state_updated_at: z.string(),
  metadata: jsonObject,
  status: threadStatus,
  /** In lists a small projection: `title` and `messages` with the first human and the first ai text. */
  values: jsonObject,
  interrupts: z.record(z.string(), z.array(interrupt)),
});
export type Thread = z.output<typeof thread>;

/** POST /threads */
export const threadCreate = z.object({
  thread_id: threadId.nullish(),
  metadata: jsonObject.nullish(),
  if_exists: z.enum(["raise", "do_nothing"]).nullish(),
});
export type ThreadCreate = z.input<typeof threadCreate>;

/** POST /threads/search */
export const threadSearch = z.object({
  metadata: jsonObject.nullish(),
  status: threadStatus.nullish(),
  limit: z.number().int().min(1).max(1000).default(10),
  offset: z.number().int().min(0).default(0),
  sort_by: z.enum(["thread_id", "status", "created_at", "updated_at", "state_updated_at"]).nullish(),
  sort_order: z.enum(["asc", "desc"]).nullish(),
  /** Keys of the thread to answer with; all when absent. */
  select: z.array(z.string()).nullish(),
});
export type ThreadSearch = z.input<typeof threadSearch>;

/** PATCH /threads/{id} */
export const threadPatch = z.object({ metadata: jsonObject.nullish() });
export type ThreadPatch = z.input<typeof threadPatch>;

export const checkpoint = z.object({
  thread_id: z.string(),
  checkpoint_ns: z.string(),
  checkpoint_id: z.string().nullable(),
  checkpoint_map: jsonObject.nullable(),
});
export type Checkpoint = z.output<typeof checkpoint>;

/** What a client sends to name a checkpoint; it may leave out all but the id. */
export const checkpointReference = z.looseObject({
  checkpoint_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
  checkpoint_map: jsonObject.nullish(),
});
export type CheckpointReference = z.input<typeof checkpointReference>;

export const threadTask = z.object({
  id: z.string(),
  name: z.string(),
  path: z.array(jsonValue),
  error: z.string().nullable(),
  interrupts: z.array(interrupt),
  checkpoint: checkpoint.nullable(),
  state: jsonValue.nullable(),
});
export type ThreadTask = z.output<typeof threadTask>;

export const threadState = z.object({
  values: jsonObject,
  next: z.array(z.string()),
  tasks: z.array(threadTask),
  checkpoint,
  parent_checkpoint: checkpoint.nullable(),
  metadata: jsonObject,
  created_at: z.string().nullable(),
});
export type ThreadState = z.output<typeof threadState>;

/** POST /threads/{id}/state */
export const stateUpdate = z.object({
  values: jsonValue.nullish(),
  as_node: z.string().nullish(),
  checkpoint: checkpointReference.nullish(),
  checkpoint_id: z.string().nullish(),
});
export type StateUpdate = z.input<typeof stateUpdate>;

/** POST /threads/{id}/history */
export const historyRequest = z.object({
  limit: z.number().int().min(1).max(1000).default(10),
  before: z.union([z.string(), z.looseObject({})]).nullish(),
  metadata: jsonObject.nullish(),
  checkpoint: checkpointReference.nullish(),
});
export type HistoryRequest = z.input<typeof historyRequest>;

/** GET /api/threads/{id}/usage. All numbers are bytes; a limit that is null is none. */
export const threadUsage = z.object({
  thread: z.object({
    uploads: z.number().int(),
    outputs: z.number().int(),
    workspace: z.number().int(),
    /** Messages, what they show, and the rest of the state, over all checkpoints. */
    checkpoints: z.number().int(),
    total: z.number().int(),
    /** False where there are more files than are counted: then it is at least so much. */
    complete: z.boolean(),
    limit: z.number().int().nullable(),
  }),
  /** All threads of the user; null where there is no limit for them. */
  user: z.object({ total: z.number().int(), limit: z.number().int() }).nullable(),
});
export type ThreadUsage = z.output<typeof threadUsage>;
