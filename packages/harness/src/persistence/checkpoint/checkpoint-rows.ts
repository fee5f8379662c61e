/** What the checkpoint core asks of a database. It stores rows; it knows nothing of messages or graphs. */

/** The numbers that the next row of each kind gets in a thread. They only grow: no number is given twice. */
export interface ThreadCounters {
  readonly nextMessage: number;
  readonly nextValue: number;
  readonly nextPart: number;
  /** Raised when rows of the thread are removed: what a program remembers of a number holds for one generation. */
  readonly generation: number;
}

export interface ThreadRow extends ThreadCounters {
  /** Given once; never again after the thread is removed. */
  readonly key: number;
}

export interface ListedThreadRow extends ThreadRow {
  readonly scope: string;
  readonly threadId: string;
}

export interface CheckpointKey {
  readonly ns: string;
  readonly id: string;
}

export interface CheckpointRow extends CheckpointKey {
  readonly parentId: string | undefined;
  /** The checkpoint format's version (`v`). */
  readonly format: number;
  /** Versions and values of the channels (`channel-map.ts`). */
  readonly channels: string;
  readonly body: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface ListedCheckpointRow extends CheckpointRow {
  readonly threadKey: number;
  readonly threadId: string;
  /** The thread's, when the row was read. */
  readonly generation: number;
}

/** Columns named `refs` say which messages and parts the data refers to (`refs.ts`); empty for none. */
export interface ValueRow {
  readonly number: number;
  readonly channel: string;
  /** Ranges of the values that this one changes, oldest first (`record-deltas.ts`); empty for a whole value. */
  readonly bases: string;
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
  readonly number: number;
  /** SHA-256 of the message's text. */
  readonly hash: Uint8Array;
  readonly refs: string;
  readonly data: Uint8Array;
}

/**
 * A media block of messages, a slice of data that is too long for one row, or a block of a long list of numbers.
 * Media that is itself too long refers to its slices: who needs a part needs what its refs name.
 */
export interface PartRow {
  readonly number: number;
  /** SHA-256 of the part before it was deflated. */
  readonly hash: Uint8Array;
  /** The IANA media type of a media block; empty for the other kinds. */
  readonly mediaType: string;
  readonly refs: string;
  readonly data: Uint8Array;
}

/** The tables of a thread, in the order in which their rows may be added: none refers to a later one. */
export interface ThreadTables {
  readonly parts: PartRow;
  readonly messages: MessageRow;
  readonly values: ValueRow;
  readonly checkpoints: CheckpointRow;
  readonly writes: WriteRow;
}

export type ThreadTable = keyof ThreadTables;

/** Rows without their data, which may be large; `bytes` is its length, of all data columns together. */
export type HeadOf<T> = Omit<T, "data" | "body" | "metadata"> & { readonly bytes: number };

/** New rows of one thread. */
export type ThreadAdditions = { readonly [T in ThreadTable]: readonly ThreadTables[T][] };

export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

/** First and last of each range, one after the other. */
export type NumberRanges = readonly number[];

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

/** Who works on a run: what a write of a run that another process has taken over since is refused by. */
export interface RunFence {
  readonly threadId: string;
  readonly runId: string;
  readonly epoch: number;
}

/** One turn on the database. What changes rows belongs into `CheckpointDatabase.write`. */
export interface CheckpointRows {
  findThread(scope: string, threadId: string): Promise<ThreadRow | undefined>;
  /** Ascending by key, those above `afterKey`. Without a scope those of all. */
  listThreads(query: {
    readonly scope?: string | undefined;
    readonly afterKey?: number | undefined;
    readonly limit: number;
  }): Promise<readonly ListedThreadRow[]>;
  /**
   * Finds or adds each thread; nobody else writes to it until the transaction ends. One row for each of `threadIds`,
   * in their order.
   *
   * @throws DeerflowError `database_busy` when others go on removing one of them
   */
  lockThreads(scope: string, threadIds: readonly string[]): Promise<readonly ThreadRow[]>;
  /** Removes the thread with everything that belongs to it. False when there was none. */
  removeThread(scope: string, threadId: string): Promise<boolean>;
  setCounters(threadKey: number, counters: ThreadCounters): Promise<void>;
  /** Those of `fences` whose run is no longer theirs, or is not running. Their runs stay as they are until the end. */
  findStale(scope: string, fences: readonly RunFence[]): Promise<readonly RunFence[]>;

  /** Without an id the newest, by id. */
  findCheckpoint(threadKey: number, ns: string, id: string | undefined): Promise<CheckpointRow | undefined>;
  /** Those of one namespace, descending by id; with an id only those below it. */
  recentCheckpoints(
    threadKey: number,
    ns: string,
    page: { readonly beforeId: string | undefined; readonly limit: number },
  ): Promise<readonly CheckpointRow[]>;
  /** Descending by id, then thread, then namespace. */
  listCheckpoints(query: CheckpointListQuery): Promise<readonly ListedCheckpointRow[]>;
  /** The writes of these checkpoints; in no order. */
  findWrites(threadKey: number, checkpoints: readonly CheckpointKey[]): Promise<readonly WriteRow[]>;
  /** Those whose numbers lie in the ranges; in no order. */
  findNumbered<T extends "values" | "messages" | "parts">(
    table: T,
    threadKey: number,
    ranges: NumberRanges,
  ): Promise<readonly ThreadTables[T][]>;
  /** The number of each row with one of these hashes, or one of these numbers, by the hash in hexadecimal. */
  findHashes(
    table: "messages" | "parts",
    threadKey: number,
    wanted: { readonly hashes: readonly Uint8Array[]; readonly numbers?: readonly number[] },
  ): Promise<ReadonlyMap<string, number>>;

  /**
   * Adds rows. A checkpoint replaces the one of its key. Of two writes with one key the first stays, but below
   * index zero the second replaces it. Another row with a number that is taken stays out, and with `refuse` is an
   * error of the database.
   */
  add(threadKey: number, rows: ThreadAdditions, taken?: "keep" | "refuse"): Promise<void>;

  /** How many rows each table has of the thread, and the bytes of their columns. */
  sizes(threadKey: number): Promise<{ readonly [T in ThreadTable]: TableSize }>;
  /** All rows of a table without their data, in the order of their keys. */
  heads<T extends ThreadTable>(table: T, threadKey: number): Promise<readonly HeadOf<ThreadTables[T]>[]>;
  /** Rows in the order of their keys, those after `after`. */
  page<T extends ThreadTable>(
    table: T,
    threadKey: number,
    page: { readonly after: ThreadTables[T] | undefined; readonly limit: number },
  ): Promise<readonly ThreadTables[T][]>;
  /** Removes checkpoints, each with the writes that belong to it. */
  removeCheckpoints(threadKey: number, keys: readonly CheckpointKey[]): Promise<void>;
  /** Removes the writes of checkpoints that are not there (any more). */
  removeWrites(threadKey: number, checkpoints: readonly CheckpointKey[]): Promise<void>;
  removeNumbered(
    table: "values" | "messages" | "parts",
    threadKey: number,
    ranges: NumberRanges,
  ): Promise<void>;
}

/** A database that holds checkpoints. */
export interface CheckpointDatabase {
  /** How messages call it, such as the path of its file. */
  readonly name: string;
  /** Runs `work`, which reads. `work` may be run again. */
  read<T>(work: (rows: CheckpointRows) => Promise<T>): Promise<T>;
  /** Runs `work` as one transaction; resolves after its commit. `work` may be run again. */
  write<T>(work: (rows: CheckpointRows) => Promise<T>): Promise<T>;
  /** Bytes on disk, of everything in the database. */
  size(): Promise<number>;
  /** Gives the space of removed rows back to the disk. */
  compact(): Promise<void>;
}
