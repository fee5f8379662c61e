/** Server-sent events over fetch: resumable by the last id, with bounded retries and a watch on silence. */
import { createParser } from "eventsource-parser";
import { type Clock, pause, systemClock } from "./clock.js";
import { GatewayError, refusalOf } from "./gateway-error.js";
import { parseJson } from "./json.js";

/** One event of a run, as it came. */
export interface StreamFrame {
  /** Undefined when the server sent none. */
  readonly id: string | undefined;
  readonly event: string;
  /** The parsed JSON; null when the event had no data. */
  readonly data: unknown;
}

/** Where frames come from. */
export interface FrameSource {
  /**
   * Opens one connection that delivers the frames after `lastId`; from the first one when it is undefined.
   *
   * @throws GatewayError `offline` when nothing answers
   */
  open(lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** False while opening again would start something a second time. */
  resumable(): boolean;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Resume after this id. */
  readonly lastId?: string | undefined;
  /** Told when the connection is lost and when it is back. */
  onConnection?(connected: boolean): void;
}

/** Longer than two of the server's heartbeats (15 s). */
export const SILENCE_LIMIT_MS = 40_000;
/** Pauses before each attempt in a row that brings no frame; after the last one the stream gives up. */
export const RETRY_PAUSES_MS: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];

const LAST_EVENTS: ReadonlySet<string> = new Set(["end", "gap"]);

/** Reads one connection to its end. */
async function* readConnection(response: Response, connection: AbortController, clock: Clock) {
  if (!response.ok) throw await refusalOf(response);
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("text/event-stream") || response.body === null)
    throw new GatewayError("broken", "The gateway answered without an event stream.", response.status);
  const ready: StreamFrame[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      ready.push({ id, event: event ?? "message", data: parseJson(data) ?? null }),
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const close = () => void reader.cancel().catch(() => undefined); // a dead connection has nothing left to say
  connection.signal.addEventListener("abort", close, { once: true });
  let cancelWatch = () => {};
  try {
    for (;;) {
      cancelWatch = clock.after(SILENCE_LIMIT_MS, () => connection.abort(new Error("silence")));
      const { done, value } = await reader.read();
      cancelWatch();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    cancelWatch();
    connection.signal.removeEventListener("abort", close);
    close();
  }
}

/** Trying again helps when nothing answered, or when the server was overloaded. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof GatewayError) || error.kind === "offline" || error.status >= 500 || error.status === 429;

const isRepeated = (id: string | undefined, lastId: string | undefined): boolean =>
  id !== undefined && lastId !== undefined && Number(id) <= Number(lastId);

/** How far a stream came, over all its connections. */
interface Progress {
  lastId: string | undefined;
  /** Attempts in a row that brought nothing. */
  failures: number;
  ended: boolean;
}

/** Opens one connection and reads it until it breaks or the stream is over. */
async function* readOnce(
  source: FrameSource,
  progress: Progress,
  { signal, clock = systemClock, onConnection }: StreamOptions,
): AsyncGenerator<StreamFrame> {
  const connection = new AbortController();
  const abort = () => connection.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await source.open(progress.lastId, connection.signal);
    for await (const frame of readConnection(response, connection, clock)) {
      if (isRepeated(frame.id, progress.lastId)) continue;
      if (progress.failures > 0) onConnection?.(true);
      progress.failures = 0;
      progress.lastId = frame.id ?? progress.lastId;
      progress.ended = LAST_EVENTS.has(frame.event);
      yield frame;
      if (progress.ended) return;
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * The frames of a run in order, each once, across lost connections. Ends after `end` or `gap`.
 *
 * @throws GatewayError when the server refuses, or cannot be reached for too long
 */
export async function* streamFrames(
  source: FrameSource,
  options: StreamOptions,
): AsyncGenerator<StreamFrame> {
  const { signal, clock = systemClock, onConnection } = options;
  const progress: Progress = { lastId: options.lastId, failures: 0, ended: false };
  while (!progress.ended) {
    signal.throwIfAborted();
    let failure: unknown;
    try {
      yield* readOnce(source, progress, options);
      if (progress.ended) return;
    } catch (error) {
      failure = error;
    }
    signal.throwIfAborted();
    const wait = RETRY_PAUSES_MS[progress.failures];
    if (wait === undefined || !source.resumable() || (failure !== undefined && !isPassing(failure)))
      throw failure ?? new GatewayError("offline", "The connection to the gateway was lost.");
    progress.failures += 1;
    if (progress.failures === 2) onConnection?.(false);
    await pause(clock, wait, signal);
  }
}
