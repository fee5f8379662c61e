/** An AI message with some of its calls changed, in every form in which a provider's message carries them. */
import { AIMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { isRecord } from "../base/json.js";

/** The key in `additional_kwargs` that says which calls are no longer as the model made them, and by whom. */
export const EDITED_CALLS_KEY = "deerflow_edited_calls";

type Fields = Readonly<Record<string, unknown>>;

/** How one provider writes a call as an item of a list. */
interface CallForm {
  readonly type: string;
  readonly id: string;
  readonly args: string;
  /** The arguments are JSON text. */
  readonly asText: boolean;
}

const FORMS: readonly CallForm[] = [
  // Anthropic
  { type: "tool_use", id: "id", args: "input", asText: false },
  // LangChain's standard blocks
  { type: "tool_call", id: "id", args: "args", asText: false },
  // OpenAI's Responses
  { type: "function_call", id: "call_id", args: "arguments", asText: true },
];

/**
 * The message under its own id with `calls` in place of its calls, position by position. Only what differs is
 * rewritten; the given message stays as it is.
 * @param edited ids of the calls that a person changed
 * @param marks further keys for `additional_kwargs`; undefined takes one away
 */
export function withCalls(
  message: AIMessage,
  calls: readonly ToolCall[],
  edited: readonly string[],
  marks: Fields = {},
): AIMessage {
  const { content, additional_kwargs: extras, response_metadata: metadata, id, name } = message;
  const { usage_metadata } = message;
  const note =
    edited.length === 0 ? {} : { [EDITED_CALLS_KEY]: edited.map((call) => ({ id: call, by: "person" })) };
  return new AIMessage({
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
    // The cast is sound: every block keeps its type, and so its shape.
    content: Array.isArray(content) ? (rewritten(content, message, calls) as typeof content) : content,
    tool_calls: [...calls],
    invalid_tool_calls: message.invalid_tool_calls ?? [],
    additional_kwargs: defined({ ...withRawCalls(extras, message, calls), ...note, ...marks }),
    response_metadata: Array.isArray(metadata["output"])
      ? { ...metadata, output: rewritten(metadata["output"], message, calls) }
      : metadata,
  });
}

/** A list of blocks or items in which those that are calls say what `calls` say. */
function rewritten(items: readonly unknown[], message: AIMessage, calls: readonly ToolCall[]): unknown[] {
  const find = finder(message, calls);
  return items.map((item) => {
    const form = isRecord(item) ? FORMS.find(({ type }) => type === item["type"]) : undefined;
    if (form === undefined || !isRecord(item)) return item;
    const call = find(item[form.id]);
    if (call === undefined) return item;
    const args = form.asText ? JSON.stringify(call.args) : call.args;
    return { ...item, [form.id]: call.id, name: call.name, [form.args]: args };
  });
}

/** OpenAI's Chat Completions keep the calls once more beside the content, as they came over the wire. */
function withRawCalls(
  extras: Fields,
  message: AIMessage,
  calls: readonly ToolCall[],
): Record<string, unknown> {
  const { tool_calls: raw, function_call: single } = extras;
  const find = finder(message, calls);
  const [only] = calls;
  return {
    ...extras,
    ...(Array.isArray(raw) ? { tool_calls: raw.map((item: unknown) => withRawCall(item, find)) } : {}),
    ...(isRecord(single) && only !== undefined && calls.length === 1
      ? { function_call: { ...single, name: only.name, arguments: JSON.stringify(only.args) } }
      : {}),
  };
}

function withRawCall(item: unknown, find: (id: unknown) => ToolCall | undefined): unknown {
  if (!isRecord(item)) return item;
  const call = find(item["id"]);
  if (call === undefined) return item;
  const before = isRecord(item["function"]) ? item["function"] : {};
  const after = { ...before, name: call.name, arguments: JSON.stringify(call.args) };
  return { ...item, id: call.id, function: after };
}

/**
 * Finds the changed call by the id that it had, and only if it changed. Servers exist that give one id to several
 * calls, so the n-th asked for under an id is the n-th that had it.
 */
function finder(message: AIMessage, calls: readonly ToolCall[]): (id: unknown) => ToolCall | undefined {
  const before = message.tool_calls ?? [];
  const asked = new Map<unknown, number>();
  return (id) => {
    const turn = asked.get(id) ?? 0;
    asked.set(id, turn + 1);
    const position = before.flatMap((call, index) => (call.id === id ? [index] : []))[turn];
    if (position === undefined || calls[position] === before[position]) return undefined;
    return calls[position];
  };
}

const defined = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
