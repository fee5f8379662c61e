/** What the checkpoint core asks of a database. A driver stores rows; it knows nothing of messages or graphs. */

export interface ThreadRow {
  /** Given once; never again after the thread is removed. */
  readonly key: number;
  /** The number that the next message of the thread gets. */
  readonly nextMessage: number;
}

export interface CheckpointRow {
  readonly ns: string;
  readonly id: string;
  readonly parentId: string | undefined;
  /** The checkpoint format's version (`v`). */
  readonly format: number;
  /** Versions and branches of the channels (`channel-map.ts`). */
  readonly channels: string;
  readonly body: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface ListedCheckpointRow extends CheckpointRow {
  readonly threadKey: number;
  readonly threadId: string;
}

export interface ValueRow {
  readonly ns: string;
  readonly channel: string;
  readonly version: string;
  readonly branch: number;
  /** Ranges of the messages that the value refers to, as JSON. */
  readonly refs: string;
  readonly data: Uint8Array;
}

export interface WriteRow {
  readonly ns: string;
  readonly checkpointId: string;
  readonly taskId: string;
  /** The place of the write in its task; below zero for LangGraph's special channels. */
  readonly index: number;
  readonly taskPath: string;
  readonly channel: string;
  readonly refs: string;
  readonly data: Uint8Array;
}

export interface MessageRow {
  readonly seq: number;
  readonly data: Uint8Array;
}

export interface CheckpointListQuery {
  readonly scope: string;
  readonly threadId?: string | undefined;
  readonly ns?: string | undefined;
  readonly id?: string | undefined;
  /** Only ids below this one. */
  readonly beforeId?: string | undefined;
  /** Only rows that come after this one in the list. */
  readonly after?: Pick<ListedCheckpointRow, "id" | "threadKey" | "ns"> | undefined;
  readonly limit: number;
}

/** One open transaction. */
export interface CheckpointRows {
  findThread(scope: string, threadId: string): Promise<ThreadRow | undefined>;
  addThread(scope: string, threadId: string): Promise<ThreadRow>;
  /** Removes the thread with everything that belongs to it. */
  removeThread(scope: string, threadId: string): Promise<void>;
  setNextMessage(threadKey: number, nextMessage: number): Promise<void>;

  /** Without an id the newest, by id. */
  findCheckpoint(threadKey: number, ns: string, id: string | undefined): Promise<CheckpointRow | undefined>;
  /** Descending by id, then thread, then namespace. */
  listCheckpoints(query: CheckpointListQuery): Promise<readonly ListedCheckpointRow[]>;
  /** Adds or replaces. */
  putCheckpoint(threadKey: number, row: CheckpointRow): Promise<void>;

  /** All branches of one version, ascending. */
  findValues(
    threadKey: number,
    key: Pick<ValueRow, "ns" | "channel" | "version">,
  ): Promise<readonly ValueRow[]>;
  addValue(threadKey: number, row: ValueRow): Promise<void>;

  findWrites(threadKey: number, ns: string, checkpointId: string): Promise<readonly WriteRow[]>;
  /** Of two writes with one index the first stays, but below zero the second replaces it. */
  addWrite(threadKey: number, row: WriteRow): Promise<void>;

  findMessageByHash(threadKey: number, hash: Uint8Array): Promise<number | undefined>;
  addMessage(threadKey: number, row: MessageRow & { readonly hash: Uint8Array }): Promise<void>;
  /** Those with `first <= seq <= last`. */
  findMessages(threadKey: number, first: number, last: number): Promise<readonly MessageRow[]>;
}

/** A database that holds checkpoints. */
export interface CheckpointDatabase {
  /** How messages call it, such as the path of its file. */
  readonly name: string;
  /** Runs `work` on one snapshot. */
  read<T>(work: (rows: CheckpointRows) => Promise<T>): Promise<T>;
  /** Runs `work` as one transaction; resolves after its commit. `work` may be run again. */
  write<T>(work: (rows: CheckpointRows) => Promise<T>): Promise<T>;
}
