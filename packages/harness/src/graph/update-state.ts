/** State updates from outside that do not lose the way the thread was about to go. */
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, END, Send, type StateSnapshot } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { AgentPlan } from "./agent-plan.js";
import type { AgentState, StateUpdate } from "./agent-state.js";
import { pendingCalls } from "./pending-calls.js";
import { pendingSends } from "../langgraph/private-keys.js";
import { startsRun, TOOLS_NODE, toolsRoute } from "./route.js";
import { type Goto, Transaction } from "./transaction.js";

type Update = (config: RunnableConfig, values: unknown, asNode?: string) => Promise<RunnableConfig>;

/** The part of the compiled graph that is worked with. */
export interface UpdatableGraph {
  checkpointer?: BaseCheckpointSaver | boolean;
  getState(config: RunnableConfig): Promise<StateSnapshot>;
  updateState: Update;
}

/**
 * The model node decides where to go while it runs, so an update in its name would end the thread: open tool calls
 * or a waiting approval would be forgotten. This replaces `updateState` by one that sets the way on:
 * - an update that touches the messages goes where they lead: to the tools while calls are open, else to the end;
 * - any other update leaves the thread where it was.
 * An update without `asNode` counts as the model node's when that node was the last to decide.
 */
export function keepRoutes(graph: UpdatableGraph, plan: AgentPlan): void {
  const update: Update = graph.updateState.bind(graph);
  graph.updateState = async (config, values, asNode) => {
    const isPlain = typeof values === "object" && values !== null && !(values instanceof Command);
    if (!isPlain || (asNode !== undefined && asNode !== plan.nodeName)) return update(config, values, asNode);
    const waiting = await waitingOf(graph, config, plan.nodeName);
    if (asNode === undefined && !waiting.isDecidedByModel) return update(config, values);
    // The cast is sound: what is not a Command can only be fields of the state.
    const changes = values as Record<string, unknown>;
    const goto = await routeAfter(plan, waiting, changes);
    // The cast only drops `readonly`, which the constructor's type does not know.
    const command = new Command({ update: changes, goto: goto as string | Send | (string | Send)[] });
    return update(config, command, plan.nodeName);
  };
}

/** Where a thread stands. */
interface Waiting {
  readonly state: AgentState;
  readonly next: readonly string[];
  /** Entries that the model node sent to itself and that have not begun, such as a relocated hook. */
  readonly entries: readonly Send[];
  readonly isDecidedByModel: boolean;
}

async function waitingOf(graph: UpdatableGraph, config: RunnableConfig, nodeName: string): Promise<Waiting> {
  const { values, next, metadata } = await graph.getState(config);
  const { checkpointer } = graph;
  const tuple = typeof checkpointer === "object" ? await checkpointer.getTuple(config) : undefined;
  const entries = pendingSends(tuple)
    .map(({ node, args }) => new Send(node, args))
    .filter((send) => next.includes(nodeName) && send.node === nodeName && !startsRun(send));
  const exists = metadata !== undefined;
  const isDecidedByModel = exists && (next.length === 0 || next.includes(TOOLS_NODE) || entries.length > 0);
  return { state: values, next, entries, isDecidedByModel };
}

async function routeAfter(plan: AgentPlan, waiting: Waiting, changes: StateUpdate): Promise<Goto> {
  if (!("messages" in changes)) {
    if (waiting.entries.length > 0) return waiting.entries;
    if (waiting.next.length === 0) return END;
  }
  const transaction = new Transaction(plan.schema, waiting.state);
  await transaction.apply(changes);
  const { messages } = transaction.state;
  return pendingCalls(messages).length > 0 ? toolsRoute(messages) : END;
}
