/** Gives every tool call of the request an answer, because providers refuse a history with an open call. */
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";

const INTERRUPTED =
  "This call was interrupted before it returned. Its effects are unknown: check before you repeat it.";

export function danglingToolCalls() {
  return createMiddleware({
    name: "dangling-tool-calls",
    wrapModelCall: (request, next) =>
      next({ ...request, messages: answerDanglingToolCalls(request.messages) }),
  });
}

/**
 * The same messages, with a placeholder error directly after each AI message whose calls nobody answered, and
 * with answers moved up to the message that asked. The state keeps the original.
 *
 * An answer belongs to the last message before it that asked under its id: some servers number the calls of
 * every message afresh, so an id alone says nothing about a whole thread.
 */
export function answerDanglingToolCalls(messages: readonly BaseMessage[]): BaseMessage[] {
  const answers = new Map<BaseMessage, Map<string, ToolMessage>>();
  const askedBy = new Map<string, BaseMessage>();
  for (const message of messages) {
    for (const call of callsOf(message)) askedBy.set(call.id ?? "", message);
    if (!ToolMessage.isInstance(message)) continue;
    const asking = askedBy.get(message.tool_call_id);
    // An answer whose question was cut away has no place in a request.
    if (asking === undefined) continue;
    answers.set(asking, (answers.get(asking) ?? new Map()).set(message.tool_call_id, message));
  }
  return messages.flatMap((message): BaseMessage[] => {
    if (ToolMessage.isInstance(message)) return [];
    const given = answers.get(message);
    return [message, ...callsOf(message).map((call) => given?.get(call.id ?? "") ?? placeholder(call))];
  });
}

const callsOf = (message: BaseMessage) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []);

const placeholder = (call: { id?: string | undefined; name: string }): ToolMessage =>
  new ToolMessage({
    id: `dangling-${call.id ?? call.name}`,
    tool_call_id: call.id ?? "",
    name: call.name,
    content: INTERRUPTED,
    status: "error",
  });
