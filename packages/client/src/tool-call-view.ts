/** What a card of a tool call shows, read from the messages around it. */
import { numberOf, textOf, type JsonRecord } from "./json.js";
import type { LiveOutput, LiveOutputs } from "./live-output.js";
import type { ShownImage, ViewMessage } from "./view-message.js";

/**
 * `writing`: the model still writes the arguments. `refused`: a gate said no before the tool ran.
 * `stopped`: the run ended before a result came.
 */
export type ToolCallState = "writing" | "running" | "done" | "error" | "refused" | "stopped";

export interface ToolCallView {
  readonly id: string;
  readonly name: string;
  /** The model's own short reason, where it gave one. */
  readonly headline: string;
  readonly args: JsonRecord;
  readonly state: ToolCallState;
  /** Why it failed or was refused: a public error code. */
  readonly code: string | undefined;
  readonly result: string;
  /** Absent for none. */
  readonly images?: readonly ShownImage[];
  readonly artifact: JsonRecord;
  /** How long the tool itself measured; undefined where it did not say. */
  readonly durationMs: number | undefined;
  /** What it has printed so far, while it runs. */
  readonly live: LiveOutput | undefined;
}

/** Codes of a gate's "no": the tool did not run. Any other code is a failure of the tool itself. */
const REFUSALS: ReadonlySet<string> = new Set([
  "command_blocked",
  "command_unapproved",
  "file_changed",
  "file_not_read",
  "path_denied",
  "permission_denied",
  "tool_denied",
]);

function stateOf(message: ViewMessage, answer: ViewMessage | undefined, running: boolean): ToolCallState {
  if (answer?.result === undefined) {
    if (!running) return "stopped";
    return message.streaming ? "writing" : "running";
  }
  if (!answer.result.failed) return "done";
  return REFUSALS.has(textOf(answer.result.artifact["code"]) ?? "") ? "refused" : "error";
}

/**
 * Every call of the conversation by its id.
 *
 * @param running true while a call without a result may still get one
 * @param live what running calls have printed, by their ids
 */
export function toolCallsOf(
  messages: readonly ViewMessage[],
  running: boolean,
  live: LiveOutputs = {},
): Readonly<Record<string, ToolCallView>> {
  const answers = new Map(
    messages.flatMap((message) => (message.result ? [[message.result.callId, message]] : [])),
  );
  const views = messages.flatMap((message) =>
    message.calls.map((call): [string, ToolCallView] => {
      const answer = answers.get(call.id);
      const state = stateOf(message, answer, running);
      return [
        call.id,
        {
          ...call,
          headline: textOf(call.args["description"]) ?? "",
          state,
          code: textOf(answer?.result?.artifact["code"]),
          result: answer?.text ?? "",
          ...(answer?.images === undefined ? {} : { images: answer.images }),
          artifact: answer?.result?.artifact ?? {},
          durationMs: numberOf(answer?.result?.artifact["duration_ms"]),
          live: state === "running" && Object.hasOwn(live, call.id) ? live[call.id] : undefined,
        },
      ];
    }),
  );
  return Object.fromEntries(views);
}
