/** Assembles the two-node agent graph. */
import { END, START, StateGraph, type StreamTransformer } from "@langchain/langgraph";
import { type AgentMiddleware, createSubagentTransformer, createToolCallTransformer } from "langchain";
import type { AgentGraphOptions } from "./agent-graph-options.js";
import { planAgent } from "./agent-plan.js";
import { createModelNode } from "./model-node.js";
import { startRun, TOOLS_NODE } from "./route.js";
import { createToolsNode } from "./tools-node.js";
import { keepRoutes } from "./update-state.js";

export type { AgentGraphOptions } from "./agent-graph-options.js";

/** A compiled LangGraph graph: `invoke`, `stream`, `streamEvents`, `getState`, `getStateHistory`, `updateState`, … */
export type AgentStateGraph = ReturnType<typeof createAgentGraph>;

/**
 * An agent as a graph of two nodes: `model` with every hook and the model call, and `tools`. It honours LangChain's
 * `AgentMiddleware` as `createAgent` does, but a chain of any length costs no supersteps and no checkpoints.
 *
 * Supersteps: two per round of model and tools, and one for the answer; an interrupt in a hook may add one. So
 * `recursionLimit` counts `2 × rounds + 1`. Calls of one message run side by side, one task each; their results
 * stand in the order of the calls, and a call that has finished never runs again when the thread is resumed.
 *
 * Fields that begin with `_` are private to middleware but stand in the state: a server must strip them.
 *
 * @example
 * const graph = createAgentGraph({ model, tools, middleware, systemPrompt, checkpointer });
 * await graph.invoke({ messages: [new HumanMessage("Hello")] }, { configurable: { thread_id: "1" } });
 *
 * @throws DeerflowError `middleware_name_taken`, `tool_name_taken`, `state_schema_unsupported`
 */
export function createAgentGraph(options: AgentGraphOptions) {
  const plan = planAgent(options);
  const { nodeName } = plan;
  const { middleware = [], contextSchema, checkpointer, store, name } = options;
  const graph = new StateGraph(
    plan.schema.schema,
    contextSchema === undefined ? {} : { context: contextSchema },
  )
    .addNode(nodeName, createModelNode(plan), { ends: [nodeName, TOOLS_NODE, END] })
    .addNode(TOOLS_NODE, createToolsNode(plan), { ends: [nodeName, END] })
    .addConditionalEdges(START, () => startRun(nodeName), [nodeName])
    .addEdge(TOOLS_NODE, nodeName)
    .compile({
      ...(checkpointer === undefined ? {} : { checkpointer }),
      ...(store === undefined ? {} : { store }),
      ...(name === undefined ? {} : { name }),
      transformers: transformersOf(middleware),
    });
  keepRoutes(graph, plan);
  return graph;
}

/** The library does not export the names of its own projections, so the type of each is left open. */
const transformersOf = (middleware: readonly AgentMiddleware[]): (() => StreamTransformer<unknown>)[] => [
  createToolCallTransformer([]),
  createSubagentTransformer([]),
  ...middleware.flatMap((entry) => entry.streamTransformers ?? []),
];
