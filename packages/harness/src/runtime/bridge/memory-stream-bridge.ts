/** The stream bridge of a single process. */
import { type Clock, systemClock } from "../../base/clock.js";
import type { JsonValue } from "../../base/json.js";
import type { Schedule, StreamBridge, StreamFrame, SubscribeOptions } from "./contract.js";
import { cursorNumber, frameId, gapData } from "./stream-cursor.js";

export interface MemoryStreamBridgeOptions {
  readonly clock?: Clock;
  readonly schedule?: Schedule;
  /** How long an ended run stays. Default 10 minutes. */
  readonly retentionMilliseconds?: number;
  /** How many frames of one run are kept; the oldest go first. Default 20,000. */
  readonly framesPerRun?: number;
}

interface KeptFrame extends StreamFrame {
  readonly id: string;
}

/** The frames of one run, and those who wait for the next one. */
class RunBuffer {
  readonly frames: KeptFrame[] = [];
  ended = false;
  /** Number of the frame before the first kept one. */
  dropped = 0;
  lastMilliseconds = 0;
  readonly #waiting = new Set<() => void>();

  get lastNumber(): number {
    return this.dropped + this.frames.length;
  }

  wake(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }

  /** Resolves at the next change, or when `signal` aborts. */
  changed(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const resume = (): void => {
        this.#waiting.delete(resume);
        signal?.removeEventListener("abort", resume);
        resolve();
      };
      this.#waiting.add(resume);
      signal?.addEventListener("abort", resume);
    });
  }
}

const timers: Schedule = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
};

export class MemoryStreamBridge implements StreamBridge {
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #retentionMilliseconds: number;
  readonly #framesPerRun: number;
  readonly #runs = new Map<string, RunBuffer>();
  readonly #callOff = new Map<string, () => void>();

  constructor(options: MemoryStreamBridgeOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#schedule = options.schedule ?? timers;
    this.#retentionMilliseconds = options.retentionMilliseconds ?? 600_000;
    this.#framesPerRun = options.framesPerRun ?? 20_000;
  }

  async open(runId: string): Promise<void> {
    this.#buffer(runId);
  }

  async publish(runId: string, event: string, data: JsonValue): Promise<string> {
    const buffer = this.#buffer(runId);
    buffer.lastMilliseconds = Math.max(buffer.lastMilliseconds, this.#clock.now());
    const id = frameId(buffer.lastMilliseconds, buffer.lastNumber + 1);
    buffer.frames.push({ id, event, data });
    if (buffer.frames.length > this.#framesPerRun) {
      buffer.frames.shift();
      buffer.dropped += 1;
    }
    buffer.wake();
    return id;
  }

  async end(runId: string): Promise<void> {
    const buffer = this.#runs.get(runId);
    if (buffer === undefined || buffer.ended) return;
    buffer.ended = true;
    buffer.wake();
    this.#callOff.set(
      runId,
      this.#schedule(this.#retentionMilliseconds, () => this.#forget(runId)),
    );
  }

  async has(runId: string): Promise<boolean> {
    return this.#runs.has(runId);
  }

  /** Checks the cursor at once, so that a bad one is refused before any answer begins. */
  subscribe(runId: string, options: SubscribeOptions = {}): AsyncIterable<StreamFrame> {
    return read(this.#runs.get(runId), { runId, seen: cursorNumber(options.after), options });
  }

  async close(): Promise<void> {
    for (const runId of this.#runs.keys()) this.#forget(runId);
  }

  #buffer(runId: string): RunBuffer {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const buffer = new RunBuffer();
    this.#runs.set(runId, buffer);
    return buffer;
  }

  #forget(runId: string): void {
    const buffer = this.#runs.get(runId);
    this.#runs.delete(runId);
    this.#callOff.get(runId)?.();
    this.#callOff.delete(runId);
    if (buffer === undefined) return;
    buffer.ended = true;
    buffer.wake();
  }
}

/** One reader: keeps its own place, so that it can neither hold up the run nor another reader. */
async function* read(
  buffer: RunBuffer | undefined,
  reader: { runId: string; seen: number; options: SubscribeOptions },
): AsyncGenerator<StreamFrame> {
  if (buffer === undefined) return;
  const { runId, options } = reader;
  const { signal } = options;
  let { seen } = reader;
  let seenId = options.after ?? "";
  for (;;) {
    if (signal?.aborted === true) return;
    if (seen < buffer.dropped || seen > buffer.lastNumber) {
      yield gapFrame(runId, seenId, buffer);
      seen = buffer.dropped;
    }
    const frame = buffer.frames[seen - buffer.dropped];
    if (frame !== undefined) {
      seen += 1;
      seenId = frame.id;
      yield frame;
    } else if (buffer.ended) {
      return;
    } else {
      await buffer.changed(signal);
    }
  }
}

const gapFrame = (runId: string, after: string, { frames }: RunBuffer): StreamFrame => ({
  event: "gap",
  data: gapData(runId, after, { earliest: frames[0]?.id, latest: frames.at(-1)?.id }),
});
