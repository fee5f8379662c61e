/** Runs: what a client asks for and what it is told. */
import { z } from "zod";
import { jsonObject, jsonValue } from "./json.js";
import { checkpointReference } from "./threads.js";

export const RUN_STATUSES = ["pending", "running", "success", "error", "interrupted", "timeout"] as const;
export const runStatus = z.enum(RUN_STATUSES);
export type RunStatus = z.output<typeof runStatus>;

export const MULTITASK_STRATEGIES = ["reject", "interrupt", "rollback", "enqueue"] as const;

/**
 * What `stream_mode` may name. `messages-tuple` arrives as event `messages` with `[message, metadata]`;
 * the older `messages` arrives as `messages/metadata`, `messages/partial` and `messages/complete`.
 */
export const STREAM_MODES = [
  "values",
  "updates",
  "messages-tuple",
  "messages",
  "custom",
  "checkpoints",
  "tasks",
  "tools",
  "debug",
] as const;
export type StreamMode = (typeof STREAM_MODES)[number];

/** What a person or a program answers to an interrupt, or where the graph shall go on. Beats `input`. */
export const runCommand = z.looseObject({
  resume: jsonValue.optional(),
  update: jsonValue.optional(),
  goto: jsonValue.optional(),
});
export type RunCommand = z.input<typeof runCommand>;

/** The body of POST /threads/{id}/runs, …/runs/stream and …/runs/wait. Other keys are ignored. */
export const runPayload = z.looseObject({
  assistant_id: z.string(),
  /** Absent or null: go on from the checkpoint without new input. */
  input: jsonValue.optional(),
  command: runCommand.nullish(),
  /** The point to go on from; a point before the newest one makes a branch. */
  checkpoint: checkpointReference.nullish(),
  checkpoint_id: z.string().nullish(),
  config: z
    .looseObject({ recursion_limit: z.number().nullish(), configurable: jsonObject.nullish() })
    .nullish(),
  /** `model_name`, `thinking_enabled`, `reasoning_effort`, `is_plan_mode`, …; unknown keys are ignored. */
  context: jsonObject.nullish(),
  metadata: jsonObject.nullish(),
  stream_mode: z.union([z.string(), z.array(z.string())]).nullish(),
  stream_subgraphs: z.boolean().nullish(),
  /** `enqueue` when absent. */
  multitask_strategy: z.enum(MULTITASK_STRATEGIES).nullish(),
  on_disconnect: z.enum(["cancel", "continue"]).nullish(),
  /** `create` when absent. */
  if_not_exists: z.enum(["create", "reject"]).nullish(),
  interrupt_before: z.union([z.literal("*"), z.array(z.string())]).nullish(),
  interrupt_after: z.union([z.literal("*"), z.array(z.string())]).nullish(),
});
export type RunPayload = z.input<typeof runPayload>;

export const run = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  assistant_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: runStatus,
  metadata: jsonObject,
  multitask_strategy: z.enum(MULTITASK_STRATEGIES),
  /** Why the run failed; null unless status is `error`. */
  error: z.string().nullable(),
  /** Why the run ended before its work did: `recursion_limit`, `cancelled`, `process_lost`; else null. */
  stop_reason: z.string().nullable(),
});
export type Run = z.output<typeof run>;

/** The query of POST …/cancel; `wait=1` answers only when the run has ended. */
export const cancelQuery = z.object({
  wait: z.enum(["0", "1", "true", "false"]).default("0"),
  action: z.enum(["interrupt", "rollback"]).default("interrupt"),
});

export const assistant = z.object({
  assistant_id: z.string(),
  graph_id: z.string(),
  name: z.string(),
  description: z.string(),
  config: jsonObject,
  context: jsonObject,
  metadata: jsonObject,
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Assistant = z.output<typeof assistant>;

/** POST /assistants/search */
export const assistantSearch = z.object({
  graph_id: z.string().nullish(),
  metadata: jsonObject.nullish(),
  limit: z.number().int().min(1).max(1000).default(10),
  offset: z.number().int().min(0).default(0),
});
