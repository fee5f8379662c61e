/** The frames of a run's event stream. Every frame but `gap` carries an id to resume after. */
import { z } from "zod";
import { jsonObject, jsonValue } from "./json.js";
import { wireMessage } from "./messages.js";

/** One server-sent event. `event` is `<name>` or, for frames of a subgraph, `<name>|<namespace>|…`. */
export const streamFrame = z.object({
  id: z.string().optional(),
  event: z.string(),
  data: jsonValue,
});
export type StreamFrame = z.output<typeof streamFrame>;

/** Send this as `Last-Event-ID` to get a run from its first frame. */
export const FROM_THE_START = "-1";

/** First frame of every run. */
export const metadataData = z.object({ run_id: z.string(), attempt: z.number().int() });
export type MetadataData = z.output<typeof metadataData>;

/** `values`: the whole state; `__interrupt__` holds what waits for a person. */
export const valuesData = jsonObject;

/** `messages`: a message or a piece of one, and where it came from (`langgraph_node`, `checkpoint_ns`, …). */
export const messagesData = z.tuple([wireMessage, jsonObject]);
export type MessagesData = z.output<typeof messagesData>;

/** `updates`: what each node changed. */
export const updatesData = z.record(z.string(), jsonValue.nullable());

/** `error`: the run has failed; nothing but `end` follows. */
export const errorData = z.looseObject({ error: z.string(), message: z.string() });
export type ErrorData = z.output<typeof errorData>;

/** `gap`: frames between the cursor and what is still kept are lost; reload the state, then join after the latest. */
export const gapData = z.object({
  code: z.literal("stream_replay_gap"),
  run_id: z.string(),
  requested_event_id: z.string(),
  earliest_available_event_id: z.string().nullable(),
  latest_available_event_id: z.string().nullable(),
  recovery: z.literal("reload_durable_state"),
});
export type GapData = z.output<typeof gapData>;

/** `end`: the run is over; `status` is its final status. */
export const endData = z.looseObject({ status: z.string(), stop_reason: z.string().nullable() }).nullable();
export type EndData = z.output<typeof endData>;

/** The name of an event without its namespace, and the namespace (empty at the root). */
export function splitEventName(event: string): { name: string; namespace: readonly string[] } {
  const [name = "", ...namespace] = event.split("|");
  return { name, namespace };
}
