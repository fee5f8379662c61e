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
 */
export function answerDanglingToolCalls(messages: readonly BaseMessage[]): BaseMessage[] {
  const answers = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) answers.set(message.tool_call_id, message);
  }
  const asked = new Set(messages.flatMap((message) => callsOf(message).map((call) => call.id)));
  return messages
    .flatMap((message): BaseMessage[] => {
      // An answer stands behind its question; one whose question was cut away has no place in a request.
      if (ToolMessage.isInstance(message)) return [];
      const calls = callsOf(message);
      return [message, ...calls.map((call) => answers.get(call.id ?? "") ?? placeholder(call))];
    })
    .filter((message) => !ToolMessage.isInstance(message) || asked.has(message.tool_call_id));
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
