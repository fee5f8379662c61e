/** What a hook is told of the run around it. */
import { interopParse } from "@langchain/core/utils/types";
import type { AgentMiddleware, Runtime } from "langchain";
import type { NodeConfig } from "./agent-state.js";

/** The runtime with the run's context as it is, for the outside of the chain. */
export const plainRuntime = (config: NodeConfig): Runtime => runtimeWith(config, config.context);

/**
 * The runtime of one middleware: its `contextSchema` parses the run's context and fills in the defaults.
 * @throws ZodError when the context does not fit
 */
export const middlewareRuntime = (middleware: AgentMiddleware, config: NodeConfig): Runtime =>
  runtimeWith(config, parsedContext(middleware, config) ?? config.context);

/** As {@link middlewareRuntime}, but without a schema the context is empty, as `createAgent` gives it to hooks. */
export const secludedRuntime = (middleware: AgentMiddleware, config: NodeConfig): Runtime =>
  runtimeWith(config, parsedContext(middleware, config) ?? {});

const parsedContext = ({ contextSchema }: AgentMiddleware, config: NodeConfig): unknown =>
  contextSchema === undefined ? undefined : interopParse(contextSchema, config.context ?? {});

function runtimeWith(config: NodeConfig, context: unknown): Runtime {
  const { store, configurable, writer, interrupt, signal } = config;
  // The cast is sound: LangGraph sets all of these for a node; the type allows undefined only by absence.
  return Object.freeze({ context, store, configurable, writer, interrupt, signal }) as Runtime;
}
