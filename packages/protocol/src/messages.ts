/** Messages on the wire: flat objects, the same in stream chunks, in state values and in the event log. */
import { z } from "zod";
import { type JsonValue, jsonObject, jsonValue } from "./json.js";

export const toolCall = z.object({
  id: z.string().optional(),
  name: z.string(),
  args: jsonObject,
  type: z.literal("tool_call").optional(),
});
export type ToolCall = z.output<typeof toolCall>;

/** A call whose arguments are no valid JSON. */
export const invalidToolCall = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  args: z.string().optional(),
  error: z.string().optional(),
});
export type InvalidToolCall = z.output<typeof invalidToolCall>;

/** A piece of a call while the model still writes it; pieces of one call share `index`. */
export const toolCallChunk = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  args: z.string().optional(),
  index: z.number().optional(),
});
export type ToolCallChunk = z.output<typeof toolCallChunk>;

export const usageMetadata = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  total_tokens: z.number(),
});
export type UsageMetadata = z.output<typeof usageMetadata>;

/** One part of a content list; `type` says which other keys are there. */
export const contentPart = z.looseObject({ type: z.string() });
export type ContentPart = { type: string; [key: string]: JsonValue | undefined };

export const MESSAGE_TYPES = ["human", "ai", "system", "tool", "remove"] as const;
/** `AIMessageChunk` and the like mark a piece of a message that is still being written. */
export const wireMessage = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  content: z.union([z.string(), z.array(contentPart)]),
  name: z.string().optional(),
  additional_kwargs: jsonObject.optional(),
  response_metadata: jsonObject.optional(),
  tool_calls: z.array(toolCall).optional(),
  invalid_tool_calls: z.array(invalidToolCall).optional(),
  tool_call_chunks: z.array(toolCallChunk).optional(),
  usage_metadata: usageMetadata.optional(),
  tool_call_id: z.string().optional(),
  status: z.enum(["success", "error"]).optional(),
  artifact: jsonValue.optional(),
});
export type WireMessage = z.output<typeof wireMessage>;

/** The id of a `remove` message that clears the whole list. */
export const REMOVE_ALL_MESSAGES = "__remove_all__";

/** One row of `GET /api/threads/{id}/messages/page`. */
export const messageRow = z.object({
  run_id: z.string(),
  seq: z.number().int().min(1),
  content: wireMessage,
  metadata: jsonObject,
  created_at: z.string(),
});
export type MessageRow = z.output<typeof messageRow>;

export const messagePage = z.object({
  data: z.array(messageRow),
  has_more: z.boolean(),
  /** A seq when `has_more`, else null. */
  next_before_seq: z.number().int().min(1).nullable(),
});
export type MessagePage = z.output<typeof messagePage>;
