/** Sends the frames of a run to one client, at the client's pace. */
import { type Logger, reasonOf, type StreamFrame } from "@deerflow/harness";
import { encodeFrame, HEARTBEAT, OPENING } from "./frames.js";

export interface EventStreamOptions {
  /** Opens the frames; the signal aborts when the client goes away. */
  open(signal: AbortSignal): Promise<AsyncIterable<StreamFrame>>;
  readonly heartbeatMilliseconds: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the client goes away before the last frame. */
  onDisconnect?(): Promise<void>;
  readonly logger: Logger;
}

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // Proxies that buffer would hold back every frame.
  "X-Accel-Buffering": "no",
} as const;

/**
 * The answer with its frames. Rejects when the frames cannot be opened, so that the client gets a plain error.
 * A stream that breaks later ends with an `error` event.
 */
export async function eventStream(options: EventStreamOptions): Promise<Response> {
  const { heartbeatMilliseconds, headers, onDisconnect, logger } = options;
  const gone = new AbortController();
  const frames = (await options.open(gone.signal))[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(OPENING));
      heartbeat = setInterval(() => {
        // A client that does not read gets none on top of what already waits for it.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(HEARTBEAT));
      }, heartbeatMilliseconds);
      heartbeat.unref();
    },
    async pull(controller) {
      const next = await nextFrame(frames, logger);
      if (next !== undefined && !gone.signal.aborted) {
        controller.enqueue(encoder.encode(encodeFrame(next.frame)));
      }
      if (next === undefined || next.last) {
        clearInterval(heartbeat);
        if (!gone.signal.aborted) controller.close();
      }
    },
    async cancel() {
      clearInterval(heartbeat);
      gone.abort();
      await onDisconnect?.();
    },
  });
  return new Response(body, { headers: { ...HEADERS, ...headers } });
}

/** The next frame; undefined after the last one. The answer has begun, so a failure can only be one more frame. */
async function nextFrame(
  frames: AsyncIterator<StreamFrame>,
  logger: Logger,
): Promise<{ frame: StreamFrame; last: boolean } | undefined> {
  try {
    const { done, value } = await frames.next();
    return done === true ? undefined : { frame: value, last: false };
  } catch (error) {
    logger.error("A stream broke.", { reason: reasonOf(error) });
    const data = { error: "internal", message: "The stream broke; the server's log says more." };
    return { frame: { event: "error", data }, last: true };
  }
}
