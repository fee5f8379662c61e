/** One call of the model through every `wrapModelCall`, outermost first. */
import { AIMessage, type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { type Command, isCommand } from "@langchain/langgraph";
import { MiddlewareError, type ModelRequest } from "langchain";
import { isBubbleUp } from "../langgraph/bubble-up.js";
import { DeerflowError } from "../base/errors.js";
import type { AgentPlan, MiddlewareWith } from "./agent-plan.js";
import type { AgentState, NodeConfig } from "./agent-state.js";
import type { CallableModel } from "./bind-tools.js";
import { middlewareRuntime, plainRuntime } from "./hook-runtime.js";
import { isClientTool } from "./tool-registry.js";

export interface ModelOutcome {
  /** The AI message that the outermost wrap let through; undefined when a wrap answered without the model. */
  readonly message: AIMessage | undefined;
  /** Commands that wraps returned, innermost first. */
  readonly commands: readonly Command[];
}

type Handler = (request: ModelRequest) => Promise<AIMessage | Command>;

/** @throws MiddlewareError around whatever a wrap threw, with the same name and message */
export async function callModel(
  plan: AgentPlan,
  state: AgentState,
  config: NodeConfig,
): Promise<ModelOutcome> {
  const { systemMessage } = plan;
  const onion = new ModelOnion(plan, state, config);
  const response = await onion.handler({
    model: plan.model,
    messages: state.messages,
    systemPrompt: systemMessage.text,
    systemMessage,
    tools: [...plan.registry.offered],
    state,
    runtime: plainRuntime(config),
  });
  return { message: isCommand(response) ? onion.latest : response, commands: onion.commands };
}

/** The layers around one call, and what they let through. A wrap may call its handler any number of times. */
class ModelOnion {
  latest: AIMessage | undefined;
  readonly commands: Command[] = [];
  readonly handler: Handler;
  readonly #plan: AgentPlan;
  readonly #state: AgentState;
  readonly #config: NodeConfig;

  constructor(plan: AgentPlan, state: AgentState, config: NodeConfig) {
    this.#plan = plan;
    this.#state = state;
    this.#config = config;
    this.handler = plan.modelWraps.reduceRight<Handler>(
      (inner, middleware) => this.#layer(middleware, inner),
      (request) => this.#callModel(request),
    );
  }

  async #callModel(request: ModelRequest): Promise<AIMessage> {
    const { systemMessage, toolChoice, modelSettings = {} } = request;
    const settings = toolChoice === undefined ? modelSettings : { ...modelSettings, tool_choice: toolChoice };
    // The cast is sound: whatever LangChain accepts as a model turns messages into an AI message.
    const model = this.#plan.binder.bind(request.model as CallableModel, request.tools ?? [], settings);
    const messages: BaseMessage[] =
      systemMessage.text === "" ? request.messages : [systemMessage, ...request.messages];
    // The cast is sound for the same reason.
    this.latest = (await model.invoke(messages, this.#config)) as AIMessage;
    return this.latest;
  }

  #layer(middleware: MiddlewareWith<"wrapModelCall">, inner: Handler): Handler {
    return async (request) => {
      const own = {
        ...request,
        state: this.#plan.schema.view(middleware, this.#state),
        runtime: middlewareRuntime(middleware, this.#config),
      };
      const next = (changed: Partial<ModelRequest>) => this.#descend(middleware, inner, request, changed);
      try {
        const returned: unknown = await middleware.wrapModelCall(own, next);
        return this.#accept(middleware, returned);
      } catch (error) {
        throw isBubbleUp(error) ? error : MiddlewareError.wrap(error, middleware.name);
      }
    };
  }

  /** From a wrap to the next one in. A wrap always sees an AI message; a command from further in is kept aside. */
  async #descend(
    middleware: MiddlewareWith<"wrapModelCall">,
    inner: Handler,
    given: ModelRequest,
    changed: Partial<ModelRequest>,
  ): Promise<AIMessage> {
    // The cast is sound: a wrap spreads the request that it was given.
    const request = changed as ModelRequest;
    this.#checkTools(middleware, request);
    const systemMessage = settleSystemMessage(middleware.name, given, request);
    const response = await inner({ ...request, systemMessage, systemPrompt: systemMessage.text });
    if (!isCommand(response)) return response;
    this.#keep(response);
    // The cast passes a command on where no message exists, as `createAgent` does.
    return this.latest ?? (response as unknown as AIMessage);
  }

  #accept(middleware: MiddlewareWith<"wrapModelCall">, returned: unknown): AIMessage | Command {
    if (isCommand(returned)) {
      this.#keep(returned);
      return returned;
    }
    if (!AIMessage.isInstance(returned)) {
      throw new DeerflowError("wrap_result_invalid", {
        hook: "wrapModelCall",
        middleware: middleware.name,
        actual: typeof returned,
        expected: "an AIMessage or a Command",
      });
    }
    this.latest = returned;
    return returned;
  }

  #keep(command: Command): void {
    if (!this.commands.includes(command)) this.commands.push(command);
  }

  #checkTools({ name: middleware }: MiddlewareWith<"wrapModelCall">, request: ModelRequest): void {
    const { registry, toolWraps } = this.#plan;
    for (const offered of (request.tools ?? []).filter(isClientTool)) {
      const tool = String(offered.name);
      const registered = registry.find(tool);
      if (registered === undefined && toolWraps.length === 0) {
        throw new DeerflowError("tool_without_executor", { middleware, tool });
      }
      if (registered !== undefined && registered !== offered) {
        throw new DeerflowError("tool_replaced", { middleware, tool });
      }
    }
  }
}

/** A wrap may change the prompt as text or as a message, not both. */
function settleSystemMessage(middleware: string, given: ModelRequest, request: ModelRequest): SystemMessage {
  const textChanged = request.systemPrompt !== given.systemMessage.text;
  const messageChanged = request.systemMessage !== given.systemMessage;
  if (textChanged && messageChanged) throw new DeerflowError("system_message_ambiguous", { middleware });
  return textChanged ? new SystemMessage(request.systemPrompt) : request.systemMessage;
}
