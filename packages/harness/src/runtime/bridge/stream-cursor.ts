/** Reading and writing the ids of stream frames. */
import type { JsonValue } from "../../base/json.js";
import { DeerflowError } from "../../base/errors.js";

const FRAME_ID = /^\d{1,16}-(\d{1,12})$/;

/** The id of the `number`-th frame of a run. */
export const frameId = (milliseconds: number, number: number): string => `${milliseconds}-${number}`;

/**
 * The number of the frame that a reader has seen last; 0 when it has seen none.
 * @throws DeerflowError `stream_cursor_invalid`
 */
export function cursorNumber(after: string | undefined): number {
  if (after === undefined || after === "" || after === "-1") return 0;
  const match = FRAME_ID.exec(after);
  if (match === null) throw new DeerflowError("stream_cursor_invalid", { cursor: after.slice(0, 80) });
  return Number(match[1]);
}

/** What a reader is told whose next frame is gone (the form that DeerFlow's clients know). */
export const gapData = (
  runId: string,
  after: string,
  kept: { readonly earliest?: string | undefined; readonly latest?: string | undefined },
): JsonValue => ({
  code: "stream_replay_gap",
  run_id: runId,
  requested_event_id: after,
  earliest_available_event_id: kept.earliest ?? null,
  latest_available_event_id: kept.latest ?? null,
  recovery: "reload_durable_state",
});
