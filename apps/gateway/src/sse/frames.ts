/** The one place where a frame of a run becomes bytes of an event stream. */
import type { StreamFrame } from "@deerflow/harness";

/** Sent at once, so that headers reach the client while the run still waits; readers skip comments. */
export const OPENING = ": open\n\n";
export const HEARTBEAT = ": heartbeat\n\n";

/** `id:` where the frame has one, then `event:` and one `data:` line of JSON. */
export function encodeFrame({ id, event, data }: StreamFrame): string {
  const name = event.replaceAll(/[\r\n]/g, " ");
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
