/** Public names of this room; nothing is defined here. */
export { type AgentGraphOptions, type AgentStateGraph, createAgentGraph } from "./create-agent-graph.js";
export type { AgentState, StateUpdate } from "./agent-state.js";
export { TOOLS_NODE } from "./route.js";
export type { AgentTool } from "./tool-registry.js";
