/** What a database of LangGraph.js's own savers is read through. Reading changes nothing in it. */
import type { CheckpointHead } from "./parents-first.js";

/** A value as its row has it. */
export type StoredValue =
  | { readonly type: "json"; readonly json: unknown }
  | { readonly type: "bytes"; readonly bytes: Uint8Array };

/** What tells the value of a channel from others of that channel in one thread; equal for values that are the same. */
export type ValueIdentity = string;

export interface StoredWrite {
  readonly taskId: string;
  readonly index: number;
  readonly channel: string;
  readonly value: StoredValue;
}

export interface StoredCheckpoint {
  /** The checkpoint's other fields, as LangGraph wrote them. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly metadata: StoredValue;
  readonly identities: ReadonlyMap<string, ValueIdentity>;
  /** Values of the channels whose identity is not among the known ones; a channel without a value is absent. */
  readonly values: ReadonlyMap<string, StoredValue>;
  /** By task, in the order in which the task wrote them. */
  readonly writes: readonly StoredWrite[];
}

/** One database, open for reading. */
export interface LangGraphSource {
  /** How messages call it, without a password. */
  readonly name: string;
  /** Ids of threads, ascending. */
  threadIds(): Promise<readonly string[]>;
  /** The thread's checkpoints in all namespaces. */
  heads(threadId: string): Promise<readonly CheckpointHead[]>;
  /** @param known - identities whose values need not be read, by channel */
  checkpoint(
    threadId: string,
    head: CheckpointHead,
    known: ReadonlyMap<string, ValueIdentity>,
  ): Promise<StoredCheckpoint>;
  close(): Promise<void>;
}
