/** What a person said to a run whose process died before the first checkpoint is said again with the next run. */
import { BaseMessage } from "@langchain/core/messages";
import type { JsonObject, JsonValue } from "../base/json.js";
import type { RunRecord } from "../persistence/contract.js";
import type { RunRequest } from "./run-request.js";

/**
 * The request with the messages in front that the state never got. Pure.
 * @param earlier the runs before this one, newest first; only those at the front that a dead process left count
 * @param values the state of the thread
 */
export function withLostInput(
  request: RunRequest,
  earlier: readonly RunRecord[],
  values: unknown,
): RunRequest {
  const { input, command, checkpointId } = request;
  if (input === undefined || command !== undefined || checkpointId !== undefined) return request;
  const end = earlier.findIndex((run) => run.stopReason !== "process_lost");
  const lost = earlier.slice(0, end === -1 ? earlier.length : end).toReversed();
  const known = new Set<JsonValue | undefined>(storedIds(values));
  const missing = lost
    .flatMap((run) => messagesOf(run.request["input"]))
    .filter(({ id }) => id !== undefined && !known.has(id));
  if (missing.length === 0) return request;
  return { ...request, input: { ...input, messages: [...missing, ...messagesOf(input)] } };
}

function storedIds(values: unknown): (string | undefined)[] {
  const messages =
    typeof values === "object" && values !== null && "messages" in values ? values.messages : [];
  return Array.isArray(messages) ? messages.filter(BaseMessage.isInstance).map(({ id }) => id) : [];
}

function messagesOf(input: JsonValue | undefined): JsonObject[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const { messages } = input;
  if (!Array.isArray(messages)) return [];
  return messages.filter(
    (message): message is JsonObject =>
      typeof message === "object" && message !== null && !Array.isArray(message),
  );
}
