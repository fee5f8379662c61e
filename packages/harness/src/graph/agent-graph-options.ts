/** What an agent graph is made of. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { SystemMessage } from "@langchain/core/messages";
import type { InteropZodObject } from "@langchain/core/utils/types";
import type { AnyStateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { AgentMiddleware } from "langchain";
import type { AgentTool } from "./tool-registry.js";

export interface AgentGraphOptions {
  /** Without bound tools; the graph binds them. */
  readonly model: BaseChatModel;
  /** Own tools, in the order in which the model sees them; those of middleware follow. */
  readonly tools?: readonly AgentTool[];
  /** First is outermost. Names must differ. */
  readonly middleware?: readonly AgentMiddleware[];
  readonly systemPrompt?: string | SystemMessage;
  /** Fields of the state beside the messages and beside those of the middleware. */
  readonly stateSchema?: AnyStateSchema | InteropZodObject;
  /** Checks the `context` that a run is started with. */
  readonly contextSchema?: InteropZodObject;
  /** `false` forbids it to a subgraph that would inherit one. */
  readonly checkpointer?: BaseCheckpointSaver | boolean;
  readonly store?: BaseStore;
  /** Name of the agent; stands on its AI messages. Default `model`. */
  readonly name?: string;
  /** Do as `createAgent` does, oddities included. Default false: the saner rules of `resolveJump` and `runToolCall`. */
  readonly parity?: boolean;
  /** Name of the node that runs hooks and model, as streams show it. Default `model`. */
  readonly nodeName?: string;
}
