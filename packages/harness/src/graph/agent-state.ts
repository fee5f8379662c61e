/** What an agent knows between two steps, as the nodes of the graph see it. */
import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";

/** The messages and whatever fields the state schema and the middleware add. */
export interface AgentState {
  messages: BaseMessage[];
  [field: string]: unknown;
}

/** What a hook, a tool or a caller wishes to change; a field that the schema does not know is ignored. */
export type StateUpdate = Readonly<Record<string, unknown>>;

/** What LangGraph hands to a node: callbacks, abort signal, context, store, writer. */
export type NodeConfig = LangGraphRunnableConfig;
