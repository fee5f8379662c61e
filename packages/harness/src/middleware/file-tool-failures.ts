/** Turns what a file tool throws into an answer for the model, whatever else the agent does with exceptions. */
import type { ClientTool } from "@langchain/core/tools";
import { createMiddleware, MiddlewareError } from "langchain";
import { isBubbleUp } from "../langgraph/bubble-up.js";
import { DeerflowError, reasonOf } from "../base/errors.js";
import type { Logger } from "../base/logger.js";
import { refuse } from "../tools/define-tool.js";

export interface FileToolFailuresOptions {
  /** Only what these throw is an answer; the failures of others are their agent's affair. */
  readonly tools: readonly ClientTool[];
  readonly logger: Logger;
}

/**
 * The tools answer their failures themselves; this stands behind them, because an agent of `createAgent` ends the run
 * for anything that a tool throws as soon as it has a wrap for tool calls, which it has with this package. Interrupts,
 * the user's stop and failures of other middleware pass.
 */
export function fileToolFailures({ tools, logger }: FileToolFailuresOptions) {
  return createMiddleware({
    name: "file-tool-failures",
    async wrapToolCall(request, next) {
      try {
        return await next(request);
      } catch (error) {
        const { toolCall, tool, runtime } = request;
        const isOurs = tool !== undefined && tools.includes(tool as ClientTool);
        if (!isOurs || isBubbleUp(error) || runtime.signal?.aborted) throw error;
        if (MiddlewareError.isInstance(error)) throw error;
        if (DeerflowError.is(error) && error.retry === "model") {
          return refuse(toolCall, error.code, error.details);
        }
        logger.warn("A file tool failed", { tool: toolCall.name, reason: reasonOf(error) });
        // The message of an error may hold a path of the host.
        return DeerflowError.is(error)
          ? refuse(toolCall, "file_tool_unusable", { tool: toolCall.name, kind: error.code })
          : refuse(toolCall, "file_tool_failed", { tool: toolCall.name, kind: "unforeseen" });
      }
    },
  });
}
