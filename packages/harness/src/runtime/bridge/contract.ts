/**
 * Where the frames of a run wait for their readers. Every run is kept whole and can be replayed from its first
 * frame by any number of readers, each at its own pace; a while after its end it is forgotten.
 */
import type { JsonValue } from "../../base/json.js";

/** One event of a run's stream. `gap` frames have no id: they are an answer to one reader, not part of the run. */
export interface StreamFrame {
  /** `<milliseconds>-<number>`; both parts never fall and the number grows by one per frame of a run. */
  readonly id?: string;
  /** `<name>`, or `<name>|<namespace>|…` for a frame of a subgraph. */
  readonly event: string;
  readonly data: JsonValue;
}

export interface SubscribeOptions {
  /**
   * The id of the last frame that the reader has. Absent, empty or `-1` means none: the run is replayed from its
   * first frame. An id whose successor is no longer kept gets a `gap` frame first, then the oldest kept frame; so
   * does a live reader that is overtaken.
   */
  readonly after?: string;
  /** Aborting ends the iteration without an error. */
  readonly signal?: AbortSignal;
}

export interface StreamBridge {
  /** Makes a run known, so that readers may wait for its first frame. Idempotent. */
  open(runId: string): Promise<void>;
  /**
   * Appends a frame. Opens the run when that has not been done.
   * @returns the id of the frame
   */
  publish(runId: string, event: string, data: JsonValue): Promise<string>;
  /** No more frames come: readers finish after the last one. Idempotent. */
  end(runId: string): Promise<void>;
  /** Whether frames of this run are (still) kept. */
  has(runId: string): Promise<boolean>;
  /**
   * Frames as they are and as they come; ends after the last frame of an ended run, at once for an unknown run.
   * @throws DeerflowError `stream_cursor_invalid` for an `after` that is no id
   */
  subscribe(runId: string, options?: SubscribeOptions): AsyncIterable<StreamFrame>;
  /** Forgets everything and ends every reader. */
  close(): Promise<void>;
}

/** Runs `work` once after `milliseconds`; the returned function calls it off. */
export type Schedule = (milliseconds: number, work: () => void) => () => void;
