/** How the runtime gets an agent for one run. The runtime knows nothing of prompts, tools or middleware. */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { JsonObject } from "../base/json.js";
import type { Principal } from "../context/principal.js";

/** One run's wish. `context` comes from the client: hostile, to be parsed, unknown keys ignored. */
export interface AgentRequest {
  readonly principal: Principal;
  readonly threadId: string;
  readonly runId: string;
  /** A name like `lead_agent`. */
  readonly assistantId: string;
  /** `model_name`, `thinking_enabled`, `reasoning_effort`, `is_plan_mode`, … */
  readonly context: JsonObject;
  readonly checkpointer: BaseCheckpointSaver;
}

/**
 * The part of a compiled LangGraph graph that the runtime drives. Structural, so that any compiled graph fits.
 * `stream` is called with several stream modes and yields `[mode, chunk]`, or `[namespace, mode, chunk]` with
 * `subgraphs: true`.
 */
export interface AgentGraph {
  /** By name, as a compiled graph has them; without them nobody checks where a command leads. */
  readonly nodes?: Readonly<Record<string, unknown>>;
  stream(input: unknown, config: Record<string, unknown>): Promise<AsyncIterable<unknown>>;
  getState(config: Record<string, unknown>, options?: { subgraphs?: boolean }): Promise<unknown>;
  getStateHistory(config: Record<string, unknown>, options?: Record<string, unknown>): AsyncIterable<unknown>;
  updateState(config: Record<string, unknown>, values: unknown, asNode?: string): Promise<unknown>;
}

/** An agent that is ready to run, with what must be let go afterwards. */
export interface PreparedAgent {
  readonly graph: AgentGraph;
  /** Name of the model that will answer, for run metadata. */
  readonly modelName: string;
  close(): Promise<void>;
}

/** @throws DeerflowError before anything is written when the request cannot be served (`model_unknown`, …) */
export type AgentFactory = (request: AgentRequest) => Promise<PreparedAgent>;
