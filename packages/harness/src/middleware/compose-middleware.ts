/** Several middleware as one, for an agent that takes them as a single piece. */
import { SystemMessage } from "@langchain/core/messages";
import { type Command, isCommand, StateSchema } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { DeerflowError } from "../base/errors.js";

type ModelWrap = NonNullable<AgentMiddleware["wrapModelCall"]>;
type ToolWrap = NonNullable<AgentMiddleware["wrapToolCall"]>;
type ModelRequest = Parameters<ModelWrap>[0];
type ChangedRequest = Parameters<Parameters<ModelWrap>[1]>[0];
type ModelAnswer = Awaited<ReturnType<ModelWrap>>;
/** What a wrap sees: an answer, never a command from further in. */
type PlainAnswer = Awaited<ReturnType<Parameters<ModelWrap>[1]>>;
type ToolRequest = Parameters<ToolWrap>[0];

const HOOKS = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;

/** What would need rules of its own for being merged, and that no part has needed yet. */
const UNSUPPORTED = ["contextSchema", "streamTransformers"] as const;

/**
 * One middleware that does what its parts do. The first part is the outermost: its wraps stand around all others'.
 * Of each hook around the agent and the model only one part may have one, and of the state schemas all must be
 * StateSchema when there are several.
 * @throws DeerflowError `middleware_not_composable`
 */
export function composeMiddleware(name: string, parts: readonly AgentMiddleware[]): AgentMiddleware {
  for (const field of UNSUPPORTED) {
    const owner = parts.find((part) => part[field] !== undefined);
    if (owner !== undefined) refuse(name, `${owner.name} has ${field}`);
  }
  const stateSchema = mergeSchemas(name, parts);
  const modelWraps = parts.flatMap((part) => part.wrapModelCall ?? []);
  const toolWraps = parts.flatMap((part) => part.wrapToolCall ?? []);
  const hooks = Object.fromEntries(HOOKS.map((hook) => [hook, onlyOne(name, parts, hook)]));
  const middleware = createMiddleware({
    name,
    tools: parts.flatMap((part) => part.tools ?? []),
    ...(modelWraps.length === 0 ? {} : { wrapModelCall: nestModelWraps(name, modelWraps) }),
    ...(toolWraps.length === 0 ? {} : { wrapToolCall: nestToolWraps(toolWraps) }),
  });
  // The cast is sound: each hook and the schema come from a middleware, under the same key.
  return { ...middleware, stateSchema, ...hooks } as AgentMiddleware;
}

function refuse(name: string, reason: string): never {
  throw new DeerflowError("middleware_not_composable", { name, reason });
}

function onlyOne(name: string, parts: readonly AgentMiddleware[], hook: (typeof HOOKS)[number]) {
  const owners = parts.filter((part) => part[hook] !== undefined);
  if (owners.length > 1) refuse(name, `${owners.map((owner) => owner.name).join(" and ")} have ${hook}`);
  return owners[0]?.[hook];
}

function mergeSchemas(name: string, parts: readonly AgentMiddleware[]): AgentMiddleware["stateSchema"] {
  const owners = parts.filter((part) => part.stateSchema !== undefined);
  if (owners.length < 2) return owners[0]?.stateSchema;
  const fields: StateSchema<Record<string, never>>["fields"] = {};
  for (const { name: owner, stateSchema } of owners) {
    if (!StateSchema.isInstance(stateSchema))
      return refuse(name, `${owner} has a schema that cannot be merged`);
    const taken = Object.keys(stateSchema.fields).find((field) => field in fields);
    if (taken !== undefined) refuse(name, `${owner} has the field ${taken}, which another part has`);
    Object.assign(fields, stateSchema.fields);
  }
  return new StateSchema(fields);
}

/** A state that a wrap does not hand on stays as it was, as between two middleware of an agent. */
function nestToolWraps(wraps: readonly ToolWrap[]): ToolWrap {
  return (request, handler) => {
    const outermost = wraps.reduceRight<typeof handler>(
      (inner, wrap) => (given: ToolRequest) =>
        wrap(given, (changed) => inner({ ...changed, state: { ...given.state, ...changed.state } })),
      handler,
    );
    return outermost(request);
  };
}

function nestModelWraps(name: string, wraps: readonly ModelWrap[]): ModelWrap {
  return async (request, handler) => {
    const commands = new Set<Command>();
    let answered: PlainAnswer | undefined;
    const callModel = async (given: ModelRequest): Promise<ModelAnswer> => {
      // An agent takes a change of the prompt as a text or as a message, not both.
      answered = await handler({ ...given, systemPrompt: request.systemPrompt });
      return answered;
    };
    const layer = (inner: typeof callModel, wrap: ModelWrap) => async (given: ModelRequest) =>
      wrap(given, async (changed) => {
        const answer = await inner(settlePrompt(name, given, changed));
        if (!isCommand(answer)) return answer;
        commands.add(answer);
        // The cast passes a command on where no message exists, as an agent does between two middleware.
        return answered ?? (answer as unknown as PlainAnswer);
      });
    const answer = await wraps.reduceRight(layer, callModel)(request);
    if (isCommand(answer)) commands.add(answer);
    const [command] = commands;
    if (command === undefined) return answer;
    // An agent takes one thing from a middleware: a command, beside which it keeps what the model said.
    if (commands.size > 1) refuse(name, "two parts returned a Command from one model call");
    if (answer !== command && answer !== answered)
      refuse(name, "a Command and a changed answer came together");
    return command;
  };
}

/** Text and message of the prompt, the same again after a part has changed one of them. */
function settlePrompt(middleware: string, before: ModelRequest, after: ChangedRequest): ModelRequest {
  const { systemPrompt = before.systemPrompt, systemMessage = before.systemMessage } = after;
  const textChanged = systemPrompt !== before.systemPrompt;
  const messageChanged = systemMessage !== before.systemMessage;
  if (textChanged && messageChanged) throw new DeerflowError("system_message_ambiguous", { middleware });
  if (textChanged) return { ...after, systemPrompt, systemMessage: new SystemMessage(systemPrompt) };
  return { ...after, systemPrompt: systemMessage.text, systemMessage };
}
