/**
 * Which tool calls of the last AI message still lack an answer. Pure. A task that a foreign Send started has no
 * messages at all, and so no calls.
 */
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/**
 * Only answers after the last AI message count: some servers number calls afresh in every message, so an older
 * answer may bear the same id.
 */
export function pendingCalls(messages: readonly BaseMessage[] = []): readonly ToolCall[] {
  const position = lastAiPosition(messages);
  const message = messages[position];
  if (!AIMessage.isInstance(message)) return [];
  const answered = new Set(answersAfter(messages, position).map((answer) => answer.tool_call_id));
  return (message.tool_calls ?? []).filter((call) => call.id === undefined || !answered.has(call.id));
}

/** The answers to the last AI message, in their order. */
export const lastAnswers = (messages: readonly BaseMessage[] = []): readonly ToolMessage[] =>
  answersAfter(messages, lastAiPosition(messages));

/** True when the conversation ends with an AI message that calls no tool. */
export function endsWithAnswer(messages: readonly BaseMessage[] = []): boolean {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) && (last.tool_calls ?? []).length === 0;
}

const lastAiPosition = (messages: readonly BaseMessage[]): number =>
  messages.findLastIndex((message) => AIMessage.isInstance(message));

const answersAfter = (messages: readonly BaseMessage[], position: number): readonly ToolMessage[] =>
  messages.slice(position + 1).filter((message) => ToolMessage.isInstance(message));
