/** Everything about an agent that is settled before its first step. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { SystemMessage } from "@langchain/core/messages";
import type { AgentMiddleware, Runtime } from "langchain";
import type { AgentGraphOptions } from "./agent-graph-options.js";
import type { NodeConfig } from "./agent-state.js";
import { ToolBinder } from "./bind-tools.js";
import { middlewareRuntime, secludedRuntime } from "./hook-runtime.js";
import { type HookTable, hookTable } from "./hooks.js";
import { AgentStateSchema } from "./state-schema.js";
import { ToolRegistry } from "./tool-registry.js";

/** A middleware that has the hook `Name`. */
export type MiddlewareWith<Name extends keyof AgentMiddleware> = AgentMiddleware &
  Required<Pick<AgentMiddleware, Name>>;

export interface AgentPlan {
  readonly nodeName: string;
  readonly agentName: string;
  readonly parity: boolean;
  readonly model: BaseChatModel;
  readonly systemMessage: SystemMessage;
  readonly schema: AgentStateSchema;
  readonly hooks: HookTable;
  /** Outermost first. */
  readonly modelWraps: readonly MiddlewareWith<"wrapModelCall">[];
  /** Outermost first. */
  readonly toolWraps: readonly MiddlewareWith<"wrapToolCall">[];
  readonly registry: ToolRegistry;
  readonly binder: ToolBinder;
  readonly hookRuntime: (middleware: AgentMiddleware, config: NodeConfig) => Runtime;
}

/** @throws DeerflowError `middleware_name_taken`, `state_schema_unsupported` */
export function planAgent(options: AgentGraphOptions): AgentPlan {
  const { model, tools = [], middleware = [], systemPrompt = "", parity = false } = options;
  return {
    nodeName: options.nodeName ?? "model",
    agentName: options.name ?? "model",
    parity,
    model,
    systemMessage: typeof systemPrompt === "string" ? new SystemMessage(systemPrompt) : systemPrompt,
    schema: new AgentStateSchema(options.stateSchema, middleware),
    hooks: hookTable(middleware),
    modelWraps: middleware.filter((entry) => hasHook(entry, "wrapModelCall")),
    toolWraps: middleware.filter((entry) => hasHook(entry, "wrapToolCall")),
    registry: new ToolRegistry(tools, middleware),
    binder: new ToolBinder(),
    hookRuntime: parity ? secludedRuntime : middlewareRuntime,
  };
}

const hasHook = <Name extends keyof AgentMiddleware>(
  middleware: AgentMiddleware,
  name: Name,
): middleware is MiddlewareWith<Name> => middleware[name] !== undefined;
