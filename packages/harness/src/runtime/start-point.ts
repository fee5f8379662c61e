/** Where a run begins: on the newest checkpoint of its thread, or on an older one that it branches off. */
import { END } from "@langchain/langgraph";
import type { AgentGraph } from "../agent/contract.js";
import type { RunRequest } from "./run-request.js";

export interface StartPoint {
  /** The newest checkpoint: what a rollback goes back to. Undefined on a thread without a state. */
  readonly checkpointId: string | undefined;
  /** The state whose messages the event log has already. */
  readonly values: unknown;
  /** The older checkpoint that the run branches off. */
  readonly fork: string | undefined;
}

/** The configuration that points to a thread's newest checkpoint, or to the one named. */
export const threadConfig = (threadId: string, checkpointId?: string) => ({
  configurable: {
    thread_id: threadId,
    checkpoint_ns: "",
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
  },
});

/**
 * Finds the start of a run. Of tool calls that ran side by side when a run was stopped or died, some may have been
 * answered; the graph forgets these answers when it gets new input, so they are made part of the state before.
 */
export async function findStart(
  graph: AgentGraph,
  threadId: string,
  { checkpointId, input, command }: Pick<RunRequest, "checkpointId" | "input" | "command">,
): Promise<StartPoint> {
  const head = await readHead(graph, threadConfig(threadId));
  // A checkpoint that is the newest anyway is no fork: the run simply goes on.
  const fork = checkpointId === head.checkpointId ? undefined : checkpointId;
  const forgets = input !== undefined && command === undefined && fork === undefined;
  if (!forgets || !head.isHalfDone) return { checkpointId: head.checkpointId, values: head.values, fork };
  const { values } = await readHead(graph, threadConfig(threadId, head.checkpointId));
  await graph.updateState(threadConfig(threadId), null, END);
  const settled = await readHead(graph, threadConfig(threadId));
  return { checkpointId: settled.checkpointId, values, fork };
}

/** The state of a thread as it is now. */
export const valuesNow = async (graph: AgentGraph, threadId: string): Promise<unknown> =>
  (await readHead(graph, threadConfig(threadId))).values;

interface Head {
  readonly checkpointId: string | undefined;
  readonly values: unknown;
  /** Whether some task of the next step is done already. */
  readonly isHalfDone: boolean;
}

async function readHead(graph: AgentGraph, config: Record<string, unknown>): Promise<Head> {
  const snapshot = await graph.getState(config);
  const { config: found, values, tasks } = snapshot as Record<string, unknown>; // a StateSnapshot, read with care
  const configurable = (found as { configurable?: { checkpoint_id?: unknown } } | undefined)?.configurable;
  const id = configurable?.checkpoint_id;
  return {
    checkpointId: typeof id === "string" ? id : undefined,
    values,
    isHalfDone: Array.isArray(tasks) && tasks.some((task: { result?: unknown }) => task.result !== undefined),
  };
}
