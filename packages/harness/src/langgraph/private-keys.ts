/**
 * The only file that touches what LangGraph does not document. Two keys that it leaves in a task's config, and the
 * shape of what it stores for a pending Send. `private-keys.test.ts` fails when an upgrade moves one of them.
 */
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { LangGraphRunnableConfig, OverwriteValue } from "@langchain/langgraph";

const READ = "__pregel_read";
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
