/** The tables of checkpoints: which columns they have, and how a row becomes ours and back. */
import type { SqlRow, SqlValue } from "../sql/contract.js";
import type { HeadOf, ListedCheckpointRow, ThreadRow, ThreadTable, ThreadTables } from "./checkpoint-rows.js";

/** The columns' types are those of the migration; databases hand them out unchecked. */
export const text = (row: SqlRow, column: string): string => {
  const value = row[column];
  // MySQL has the text of keys as bytes.
  return value instanceof Uint8Array ? Buffer.from(value).toString() : (value as string);
};
export const integer = (row: SqlRow, column: string): number => Number(row[column]);
const bytes = (row: SqlRow, column: string): Uint8Array => row[column] as Uint8Array;
const optional = (row: SqlRow, column: string): string | undefined =>
  row[column] === null || row[column] === undefined ? undefined : text(row, column);

interface Column {
  readonly name: string;
  readonly kind: "integer" | "text" | "bytes";
  /** True for what may be large. */
  readonly isData: boolean;
}

interface Table<T> {
  readonly name: string;
  /** After thread_key. */
  readonly columns: readonly Column[];
  /** After thread_key. */
  readonly key: readonly string[];
  /** In the order of the columns. */
  toValues(row: T): readonly SqlValue[];
  keyOf(row: T): readonly SqlValue[];
  fromRow(row: SqlRow): T;
  headFromRow(row: SqlRow): HeadOf<T>;
}

const column = (name: string, kind: Column["kind"], isData = false): Column => ({ name, kind, isData });

/** A head is a row that was read without its data. */
const headOf =
  <T extends object>(fromRow: (row: SqlRow) => T) =>
  (row: SqlRow): HeadOf<T> => {
    const {
      data: _data,
      body: _body,
      metadata: _metadata,
      ...head
    } = fromRow(row) as T & {
      data?: unknown;
      body?: unknown;
      metadata?: unknown;
    };
    return { ...head, bytes: integer(row, "bytes") } as unknown as HeadOf<T>;
  };

function table<T extends object>(parts: Omit<Table<T>, "headFromRow">): Table<T> {
  return { ...parts, headFromRow: headOf(parts.fromRow) };
}

export const TABLES: { readonly [T in ThreadTable]: Table<ThreadTables[T]> } = {
  parts: table({
    name: "checkpoint_parts",
    columns: [
      column("number", "integer"),
      column("hash", "bytes"),
      column("media_type", "text"),
      column("refs", "text"),
      column("data", "bytes", true),
    ],
    key: ["number"],
    toValues: ({ number, hash, mediaType, refs, data }) => [number, hash, mediaType, refs, data],
    keyOf: ({ number }) => [number],
    fromRow: (row) => ({
      number: integer(row, "number"),
      hash: bytes(row, "hash"),
      mediaType: text(row, "media_type"),
      refs: text(row, "refs"),
      data: bytes(row, "data"),
    }),
  }),
  messages: table({
    name: "checkpoint_messages",
    columns: [
      column("number", "integer"),
      column("hash", "bytes"),
      column("refs", "text"),
      column("data", "bytes", true),
    ],
    key: ["number"],
    toValues: ({ number, hash, refs, data }) => [number, hash, refs, data],
    keyOf: ({ number }) => [number],
    fromRow: (row) => ({
      number: integer(row, "number"),
      hash: bytes(row, "hash"),
      refs: text(row, "refs"),
      data: bytes(row, "data"),
    }),
  }),
  values: table({
    name: "checkpoint_values",
    columns: [
      column("number", "integer"),
      column("channel", "text"),
      column("bases", "text"),
      column("refs", "text"),
      column("data", "bytes", true),
    ],
    key: ["number"],
    toValues: ({ number, channel, bases, refs, data }) => [number, channel, bases, refs, data],
    keyOf: ({ number }) => [number],
    fromRow: (row) => ({
      number: integer(row, "number"),
      channel: text(row, "channel"),
      bases: text(row, "bases"),
      refs: text(row, "refs"),
      data: bytes(row, "data"),
    }),
  }),
  checkpoints: table({
    name: "checkpoints",
    columns: [
      column("ns", "text"),
      column("checkpoint_id", "text"),
      column("parent_id", "text"),
      column("format", "integer"),
      column("channels", "text"),
      column("body", "bytes", true),
      column("metadata", "bytes", true),
    ],
    key: ["ns", "checkpoint_id"],
    toValues: ({ ns, id, parentId, format, channels, body, metadata }) => [
      ns,
      id,
      parentId ?? null,
      format,
      channels,
      body,
      metadata,
    ],
    keyOf: ({ ns, id }) => [ns, id],
    fromRow: (row) => ({
      ns: text(row, "ns"),
      id: text(row, "checkpoint_id"),
      parentId: optional(row, "parent_id"),
      format: integer(row, "format"),
      channels: text(row, "channels"),
      body: bytes(row, "body"),
      metadata: bytes(row, "metadata"),
    }),
  }),
  writes: table({
    name: "checkpoint_writes",
    columns: [
      column("ns", "text"),
      column("checkpoint_id", "text"),
      column("task_id", "text"),
      column("idx", "integer"),
      column("task_path", "text"),
      column("channel", "text"),
      column("refs", "text"),
      column("data", "bytes", true),
    ],
    key: ["ns", "checkpoint_id", "task_id", "idx"],
    toValues: ({ ns, checkpointId, taskId, index, taskPath, channel, refs, data }) => [
      ns,
      checkpointId,
      taskId,
      index,
      taskPath,
      channel,
      refs,
      data,
    ],
    keyOf: ({ ns, checkpointId, taskId, index }) => [ns, checkpointId, taskId, index],
    fromRow: (row) => ({
      ns: text(row, "ns"),
      checkpointId: text(row, "checkpoint_id"),
      taskId: text(row, "task_id"),
      index: integer(row, "idx"),
      taskPath: text(row, "task_path"),
      channel: text(row, "channel"),
      refs: text(row, "refs"),
      data: bytes(row, "data"),
    }),
  }),
};

export const toThread = (row: SqlRow): ThreadRow => ({
  key: integer(row, "thread_key"),
  nextMessage: integer(row, "next_message"),
  nextValue: integer(row, "next_value"),
  nextPart: integer(row, "next_part"),
  generation: integer(row, "generation"),
});

export const toListed = (row: SqlRow): ListedCheckpointRow => ({
  ...TABLES.checkpoints.fromRow(row),
  threadKey: integer(row, "thread_key"),
  threadId: text(row, "thread_id"),
  generation: integer(row, "generation"),
});
