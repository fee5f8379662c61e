/** One tool call through every `wrapToolCall`, outermost first, and what becomes of its failure. */
import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { type ClientTool, ToolInputParsingException } from "@langchain/core/tools";
import { type Command, isCommand } from "@langchain/langgraph";
import { MiddlewareError, type ToolCallRequest, ToolInvocationError } from "langchain";
import { isBubbleUp } from "../langgraph/bubble-up.js";
import { DeerflowError } from "../base/errors.js";
import type { AgentPlan, MiddlewareWith } from "./agent-plan.js";
import type { AgentState, NodeConfig } from "./agent-state.js";
import { middlewareRuntime, plainRuntime } from "./hook-runtime.js";
import { stampToolMessage } from "./message-stamps.js";

export type ToolOutcome = ToolMessage | Command;

type Handler = (request: ToolCallRequest) => Promise<ToolOutcome>;

/** What one tools task works with. */
export interface ToolScene {
  readonly plan: AgentPlan;
  /** The whole state before the tools ran. */
  readonly state: AgentState;
  readonly config: NodeConfig;
}

/**
 * Runs one call. A failure of the tool or of its arguments becomes an answer for the model; a failure of a
 * middleware ends the run, and so does an abort. Interrupts and commands to the parent graph always pass.
 * With `parity`, a tool that throws ends the run as soon as any `wrapToolCall` exists.
 */
export async function runToolCall(scene: ToolScene, call: ToolCall): Promise<ToolOutcome> {
  const { plan, state, config } = scene;
  try {
    const handler = plan.toolWraps.reduceRight<Handler>(
      (inner, middleware) => layer(scene, middleware, inner),
      (request) => invokeTool(scene, request),
    );
    const tool = plan.registry.find(call.name);
    const outcome = await handler({ toolCall: call, tool, state, runtime: plainRuntime(config) });
    if (ToolMessage.isInstance(outcome)) stampToolMessage(outcome);
    return outcome;
  } catch (error) {
    if (isBubbleUp(error) || config.signal?.aborted) throw error;
    return answerFailure(call, error, plan.parity && plan.toolWraps.length > 0);
  }
}

/** @throws the error itself when it must end the run */
export function answerFailure(call: ToolCall, error: unknown, endsRun: boolean): ToolMessage {
  const cause = rootCause(error);
  if (ToolInvocationError.isInstance(cause)) return failed(call, cause.message);
  if (endsRun || MiddlewareError.isInstance(error)) throw error;
  return failed(call, DeerflowError.is(error) ? error.sentence : `${error}\n Please fix your mistakes.`);
}

/** Arguments that do not fit stay the model's to correct, however many middleware wrapped the error. */
const rootCause = (error: unknown): unknown =>
  MiddlewareError.isInstance(error) ? rootCause(error.cause) : error;

async function invokeTool(
  { plan, state, config }: ToolScene,
  request: ToolCallRequest,
): Promise<ToolOutcome> {
  const { toolCall } = request;
  // The cast is sound: a tool that a middleware hands over is called, so it can only be one that runs here.
  const tool = (request.tool ?? plan.registry.find(toolCall.name)) as ClientTool | undefined;
  if (tool === undefined) {
    const names = plan.registry.names.join(", ");
    return failed(toolCall, `Error: ${toolCall.name} is not a valid tool, try one of [${names}].`);
  }
  try {
    // What LangChain's ToolRuntime holds, beside the config that the tool's own runnables inherit.
    const runtime = { ...config, config, toolCallId: toolCall.id, state };
    const output: unknown = await tool.invoke({ ...toolCall, type: "tool_call" }, runtime);
    if (ToolMessage.isInstance(output) || isCommand(output)) return output;
    return new ToolMessage({
      name: String(tool.name),
      content: typeof output === "string" ? output : JSON.stringify(output),
      tool_call_id: toolCall.id ?? "",
    });
  } catch (error) {
    throw error instanceof ToolInputParsingException ? argumentsError(error, toolCall) : error;
  }
}

/** LangChain quotes the stack of the cause in the message, and the model must not learn where the host keeps code. */
function argumentsError(error: ToolInputParsingException, call: ToolCall): ToolInvocationError {
  error.stack = String(error);
  return new ToolInvocationError(error, call);
}

function layer(
  { plan, config }: ToolScene,
  middleware: MiddlewareWith<"wrapToolCall">,
  inner: Handler,
): Handler {
  return async (request) => {
    const { state } = request;
    const fromFurtherIn = new Set<unknown>();
    const next: Handler = async (changed) => {
      try {
        // A wrap sees only its own fields; the next one in sees the whole state again, with this one's changes.
        return await inner({ ...changed, state: { ...state, ...changed.state } });
      } catch (error) {
        fromFurtherIn.add(error);
        throw error;
      }
    };
    const own = {
      ...request,
      state: plan.schema.view(middleware, state),
      runtime: middlewareRuntime(middleware, config),
    };
    try {
      return accept(middleware.name, await middleware.wrapToolCall(own, next));
    } catch (error) {
      if (isBubbleUp(error) || fromFurtherIn.has(error)) throw error;
      throw MiddlewareError.wrap(error, middleware.name);
    }
  };
}

function accept(middleware: string, outcome: unknown): ToolOutcome {
  if (ToolMessage.isInstance(outcome) || isCommand(outcome)) return outcome;
  throw new DeerflowError("wrap_result_invalid", {
    hook: "wrapToolCall",
    middleware,
    actual: typeof outcome,
    expected: "a ToolMessage or a Command",
  });
}

const failed = (call: ToolCall, content: string): ToolMessage =>
  new ToolMessage({ content, tool_call_id: call.id ?? "", name: call.name, status: "error" });
