/** Names and ids that the graph puts on messages of its own making before anyone stores or streams them. */
import { randomUUID } from "node:crypto";
import type { AIMessage, ToolMessage } from "@langchain/core/messages";

/**
 * Marks an AI message as this agent's, and makes every call in it addressable: local servers leave ids out, leave
 * them empty or give one id to several calls. Changes the message in place; it is fresh from the model.
 */
export function stampAiMessage(message: AIMessage, agentName: string): void {
  message.name = agentName;
  message.lc_kwargs.name = agentName;
  if (!message.id) message._updateId(randomUUID());
  const taken = new Set<string>();
  for (const call of message.tool_calls ?? []) {
    if (!call.id || taken.has(call.id)) call.id = `call_${randomUUID()}`;
    taken.add(call.id);
  }
}

export function stampToolMessage(message: ToolMessage): void {
  if (!message.id) message._updateId(randomUUID());
}
