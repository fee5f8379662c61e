/** Turns whatever a tool throws into an answer for the model, so that one failing tool does not end the run. */
import { ToolMessage } from "@langchain/core/messages";
import { createMiddleware, ToolInvocationError } from "langchain";
import { isBubbleUp } from "../langgraph/bubble-up.js";
import { DeerflowError, reasonOf } from "../base/errors.js";
import type { Logger } from "../base/logger.js";

/** What machinery may know of a failed call; stands in `additional_kwargs.deerflow_tool_meta`. */
export interface ToolFailure {
  readonly status: "error";
  readonly error_type: string;
  readonly recoverable_by_model: boolean;
  readonly recommended_next_action: string;
  readonly source: "tool" | "arguments";
}

export interface ToolErrorsOptions {
  /** Replaces host paths in a text by what the agent sees. */
  readonly mask: (text: string) => string;
  readonly logger: Logger;
}

export function toolErrors({ mask, logger }: ToolErrorsOptions) {
  return createMiddleware({
    name: "tool-errors",
    async wrapToolCall(request, next) {
      try {
        return await next(request);
      } catch (error) {
        // An interrupt, a parent command or the user's stop is no failure of the tool.
        if (isBubbleUp(error) || request.runtime.signal?.aborted) throw error;
        const { toolCall } = request;
        logger.warn("A tool failed", { tool: toolCall.name, reason: reasonOf(error) });
        const failure = describeFailure(error);
        return new ToolMessage({
          tool_call_id: toolCall.id ?? "",
          name: toolCall.name,
          status: "error",
          content: mask(`${failureText(error, toolCall.name)} ${failure.recommended_next_action}`),
          additional_kwargs: { deerflow_tool_meta: failure },
        });
      }
    },
  });
}

/** The facts of a failure; pure. */
export function describeFailure(error: unknown): ToolFailure {
  if (ToolInvocationError.isInstance(error)) {
    return failureOf("invalid_arguments", "arguments", "Correct the arguments and call the tool again.");
  }
  if (DeerflowError.is(error)) {
    const again = error.retry === "model";
    // The message of what nobody can try again says what to do itself.
    const next = error.retry === "never" ? undefined : error.next;
    return {
      ...failureOf(error.code, "tool", next ?? (again ? "Try again." : "Go on without this tool.")),
      recoverable_by_model: again,
    };
  }
  const type = error instanceof Error ? error.name : typeof error;
  return failureOf(type, "tool", "Try another way, or tell the user what does not work.");
}

const failureOf = (type: string, source: "tool" | "arguments", action: string): ToolFailure => ({
  status: "error",
  error_type: type,
  recoverable_by_model: true,
  recommended_next_action: action,
  source,
});

const failureText = (error: unknown, tool: string): string =>
  ToolInvocationError.isInstance(error) || DeerflowError.is(error)
    ? `Error: ${reasonOf(error)}`
    : `Error: ${tool} failed: ${reasonOf(error)}.`;
