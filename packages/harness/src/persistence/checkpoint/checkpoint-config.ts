/** Reads thread, namespace and checkpoint out of the config that LangGraph hands to a saver. */
import type { RunnableConfig } from "@langchain/core/runnables";
import { getCheckpointId } from "@langchain/langgraph-checkpoint";
import { DeerflowError } from "../../base/errors.js";

/** Half of a surrogate pair becomes another character in every database, and PostgreSQL has no zero character. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/**
 * The same text, if every database gives it back as it is.
 *
 * @throws DeerflowError `invalid_request`
 */
export function storableText(name: string, text: string): string {
  if (!UNSTORABLE.test(text)) return text;
  throw new DeerflowError("invalid_request", {
    reason: `${name} has a zero character or half of a character`,
  });
}

/** The thread's id as text; undefined when the config has none. */
export function threadIdOf(config: RunnableConfig): string | undefined {
  const threadId: unknown = config.configurable?.["thread_id"];
  if (threadId === undefined) return undefined;
  if ((typeof threadId === "string" && threadId !== "") || typeof threadId === "number")
    return storableText("configurable.thread_id", String(threadId));
  throw new DeerflowError("invalid_request", { reason: "configurable.thread_id is not a non-empty string" });
}

/** @throws DeerflowError `invalid_request` */
export function requireThreadId(config: RunnableConfig): string {
  const threadId = threadIdOf(config);
  if (threadId !== undefined) return threadId;
  throw new DeerflowError("invalid_request", { reason: "configurable.thread_id is missing" });
}

/** The namespace: empty for the outermost graph; undefined when the config does not say. */
export function namespaceOf(config: RunnableConfig): string | undefined {
  const namespace: unknown = config.configurable?.["checkpoint_ns"];
  return namespace === undefined || namespace === null
    ? undefined
    : storableText("configurable.checkpoint_ns", String(namespace));
}

export function checkpointIdOf(config: RunnableConfig | undefined): string | undefined {
  const id = (config && getCheckpointId(config)) || undefined;
  return id === undefined ? undefined : storableText("configurable.checkpoint_id", id);
}

/** @throws DeerflowError `invalid_request` */
export function requireCheckpointId(config: RunnableConfig): string {
  const id = checkpointIdOf(config);
  if (id !== undefined) return id;
  throw new DeerflowError("invalid_request", { reason: "configurable.checkpoint_id is missing" });
}

export interface CheckpointAddress {
  readonly threadId: string;
  readonly ns: string;
  readonly id: string;
}

export const configOf = ({ threadId, ns, id }: CheckpointAddress): RunnableConfig => ({
  configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id },
});
