/**
 * The only file that touches what LangGraph does not document: keys that it leaves in a task's config, the shape of
 * what it stores for a pending Send, and how it tells the fields of a state schema apart. `private-keys.test.ts` and
 * `current-task.test.ts` fail when an upgrade moves one of them.
 */
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import {
  type DeltaValue,
  getConfig,
  type LangGraphRunnableConfig,
  type OverwriteValue,
  ReducedValue,
} from "@langchain/langgraph";
import { z } from "zod";

const READ = "__pregel_read";
const SEND = "__pregel_send";
const TASK_ID = "__pregel_task_id";
const SAVER = "__pregel_checkpointer";
const RESUMING = "__pregel_resuming";
const SCRATCHPAD = "__pregel_scratchpad";
const PENDING_SENDS = "__pregel_tasks";
const OVERWRITE = "__overwrite__" satisfies keyof OverwriteValue<unknown>;

/**
 * The whole state as the channels hold it now. A task that a `Send` started gets only the Send's arguments, so it
 * reads the state here.
 */
export function readState<State>(config: LangGraphRunnableConfig, fields: readonly string[]): State {
  const read: unknown = config.configurable?.[READ];
  if (typeof read !== "function") throw new TypeError(`LangGraph left no ${READ} in the task's config.`);
  return read(fields, false);
}

/** Makes `getCurrentTaskInput()` inside a tool give the state also in a task that a `Send` started. */
export function setTaskInput(config: LangGraphRunnableConfig, state: unknown): void {
  const scratchpad: { currentTaskInput?: unknown } | undefined = config.configurable?.[SCRATCHPAD];
  if (scratchpad === undefined) throw new TypeError(`LangGraph left no ${SCRATCHPAD} in the task's config.`);
  scratchpad.currentTaskInput = state;
}

/** The Sends that a checkpoint has yet to start. */
export function pendingSends(tuple: CheckpointTuple | undefined): readonly { node: string; args: unknown }[] {
  const sends: unknown = tuple?.checkpoint.channel_values[PENDING_SENDS];
  return Array.isArray(sends) ? sends : [];
}

/** What an `Overwrite`, as the schema validates it, would put in place of the reduced value. */
export function overwriteOf(update: unknown): { readonly value: unknown } | undefined {
  if (typeof update !== "object" || update === null || !(OVERWRITE in update)) return undefined;
  return { value: update[OVERWRITE] };
}

/**
 * Lets a `DeltaValue` stand in the state schema of a middleware for `createAgent`, which knows only `ReducedValue`
 * and takes anything else for a Zod schema. LangGraph looks for the `DeltaValue` first, so it stays one.
 * @param field its reducer is called with one update as well as with a list of them, by whoever sees a ReducedValue
 */
export function knownToCreateAgent<Value, Update>(
  field: DeltaValue<Value, Update>,
): DeltaValue<Value, Update> {
  const reduced = new ReducedValue(z.unknown(), { reducer: (current) => current });
  const marks = Object.getOwnPropertySymbols(reduced).map((mark) => [mark, true] as const);
  return Object.assign(field, Object.fromEntries(marks));
}

/** Whether `interrupt` can stop the graph that the caller runs in: without a saver it throws. */
export function canPause(): boolean {
  try {
    const saver: unknown = getConfig()?.configurable?.[SAVER];
    return Boolean(saver);
  } catch {
    // Outside of every graph there is no config.
    return false;
  }
}

/** The task of a running graph that the caller is part of. */
export interface GraphTask {
  readonly id: string;
  readonly threadId: string | undefined;
  /** Of the graph that the task belongs to; empty for the outermost one. */
  readonly namespace: string;
  /** What the step began with: one for all tasks of a step, and another for every other step. */
  readonly checkpointId: string;
  /** Lives as long as the task does. */
  readonly life: object;
  /** True when the task, or the step, may have been begun before: in a run that is taken up again, and at a retry. */
  readonly mayRepeat: boolean;
  /** Throws what the run was stopped with: its tasks end, and nothing that they still do counts. */
  throwIfStopped(): void;
  /** A field as the step began, the same object for all tasks of the step; undefined when there is none. */
  read(field: string): unknown;
  /** A field with what this task itself has written since. */
  readOwn(field: string): unknown;
  write(field: string, update: unknown): void;
  /**
   * What other tasks of this step wrote to a field before the run broke off and was taken up again, in the order in
   * which it will be applied. An overwrite is left out. Empty in a run that goes straight on.
   */
  readStored(field: string): Promise<readonly StoredWrite[]>;
}

export interface StoredWrite {
  readonly taskId: string;
  readonly update: unknown;
}

const TaskKeys = z.object({
  [READ]: z.custom<(fields: readonly string[], fresh: boolean) => Record<string, unknown>>(isFunction),
  [SEND]: z.custom<(writes: readonly (readonly [string, unknown])[]) => void>(isFunction),
  [TASK_ID]: z.string(),
  [SAVER]: z.unknown().optional(),
  [RESUMING]: z.unknown().optional(),
  thread_id: z.unknown().optional(),
  checkpoint_ns: z.string(),
  checkpoint_map: z.record(z.string(), z.string()),
});

/** The task that the caller runs in; undefined outside of a running graph. */
export function currentTask(
  config: LangGraphRunnableConfig | undefined = getConfig(),
): GraphTask | undefined {
  const { data: keys } = TaskKeys.safeParse(config?.configurable);
  if (keys === undefined) return undefined;
  // The last part of a task's namespace is the task itself.
  const namespace = keys.checkpoint_ns.split("|").slice(0, -1).join("|");
  const checkpointId = keys.checkpoint_map[namespace];
  if (checkpointId === undefined) return undefined;
  const [read, id] = [keys[READ], keys[TASK_ID]];
  const place = { thread_id: keys.thread_id, checkpoint_ns: namespace, checkpoint_id: checkpointId };
  return {
    id,
    threadId: keys.thread_id === undefined ? undefined : String(keys.thread_id),
    namespace,
    checkpointId,
    life: read,
    mayRepeat: keys[RESUMING] === true,
    throwIfStopped: () => config?.signal?.throwIfAborted(),
    read: (field) => read([field], false)[field],
    readOwn: (field) => read([field], true)[field],
    write: (field, update) => keys[SEND]([[field, update]]),
    readStored: async (field) => {
      const saver = keys[SAVER];
      if (keys[RESUMING] !== true || !isSaver(saver)) return [];
      const tuple = await saver.getTuple({ configurable: place });
      return (tuple?.pendingWrites ?? [])
        .filter(([taskId, channel]) => channel === field && taskId !== id)
        .map(([taskId, , update]) => ({ taskId, update }))
        .filter(({ update }) => overwriteOf(update) === undefined);
    },
  };
}

interface Saver {
  getTuple(config: LangGraphRunnableConfig): Promise<CheckpointTuple | undefined>;
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

const isSaver = (value: unknown): value is Saver =>
  typeof value === "object" && value !== null && "getTuple" in value && isFunction(value.getTuple);
