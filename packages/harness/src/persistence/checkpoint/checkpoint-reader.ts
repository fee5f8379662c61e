/** Builds what LangGraph reads, checkpoint tuples, out of rows. */
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  maxChannelVersion,
  type SerializerProtocol,
  TASKS,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import { channelMapFromText } from "./channel-map.js";
import { configOf } from "./checkpoint-config.js";
import type { CheckpointRows, ListedCheckpointRow, ValueRow, WriteRow } from "./checkpoint-rows.js";
import type { MessageShelf } from "./message-shelf.js";
import { decodeValue } from "./value-codec.js";

/** Older formats kept the Sends of a step with the writes of the checkpoint before it. */
const SENDS_IN_CHANNEL_FORMAT = 4;

/** All rows of one checkpoint, read in one snapshot. */
export interface CheckpointParts {
  readonly row: ListedCheckpointRow;
  readonly values: readonly ValueRow[];
  readonly writes: readonly WriteRow[];
  /** The Sends that an old checkpoint finds with its parent; undefined for the newer formats. */
  readonly sends: readonly WriteRow[] | undefined;
}

/** LangGraph applies the writes of a step in this order. */
const inAppliedOrder = (writes: readonly WriteRow[]): readonly WriteRow[] =>
  [...writes].sort((a, b) =>
    compareWritesSortKeys(
      writesSortKey(a.taskPath, a.taskId, a.index),
      writesSortKey(b.taskPath, b.taskId, b.index),
    ),
  );

async function findValues(rows: CheckpointRows, row: ListedCheckpointRow): Promise<readonly ValueRow[]> {
  const values: ValueRow[] = [];
  for (const [channel, { version, branch }] of channelMapFromText(row.channels)) {
    if (branch === undefined) continue;
    const key = { ns: row.ns, channel, version: String(version) };
    const found = (await rows.findValues(row.threadKey, key)).find((value) => value.branch === branch);
    if (found !== undefined) values.push(found);
  }
  return values;
}

async function findSends(
  rows: CheckpointRows,
  row: ListedCheckpointRow,
): Promise<readonly WriteRow[] | undefined> {
  if (row.format >= SENDS_IN_CHANNEL_FORMAT || row.parentId === undefined) return undefined;
  const writes = await rows.findWrites(row.threadKey, row.ns, row.parentId);
  return inAppliedOrder(writes.filter(({ channel }) => channel === TASKS));
}

/** Fetches everything that belongs to `row`, its messages onto the shelf. */
export async function fetchParts(
  rows: CheckpointRows,
  row: ListedCheckpointRow,
  shelf: MessageShelf,
): Promise<CheckpointParts> {
  const values = await findValues(rows, row);
  const writes = inAppliedOrder(await rows.findWrites(row.threadKey, row.ns, row.id));
  const sends = await findSends(rows, row);
  await shelf.fetch(
    rows,
    [...values, ...writes, ...(sends ?? [])].map(({ refs }) => refs),
  );
  return { row, values, writes, sends };
}

/** Decodes one stored metadata. */
export const decodeMetadata = (serde: SerializerProtocol, data: Uint8Array): Promise<CheckpointMetadata> =>
  // The saver stores only metadata in this column.
  decodeValue(serde, data, []) as Promise<CheckpointMetadata>;

async function decodeCheckpoint(
  serde: SerializerProtocol,
  { row, values }: CheckpointParts,
  shelf: MessageShelf,
): Promise<Checkpoint> {
  // The saver stores the checkpoint without its channels in this column.
  const body = (await decodeValue(serde, row.body, [])) as Omit<
    Checkpoint,
    "channel_values" | "channel_versions"
  >;
  const channelValues: [string, unknown][] = [];
  for (const { channel, data, refs } of values) {
    channelValues.push([channel, await decodeValue(serde, data, await shelf.take(refs))]);
  }
  const versions = [...channelMapFromText(row.channels)].map(([channel, { version }]) => [channel, version]);
  return {
    ...body,
    channel_values: Object.fromEntries(channelValues),
    channel_versions: Object.fromEntries(versions),
  };
}

async function withSends(checkpoint: Checkpoint, sends: readonly unknown[]): Promise<Checkpoint> {
  const versions = Object.values<ChannelVersions[string]>(checkpoint.channel_versions);
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
    channel_versions: {
      ...checkpoint.channel_versions,
      [TASKS]: versions.length > 0 ? maxChannelVersion(...versions) : 1,
    },
  };
}

/** The tuple that LangGraph asked for. */
export async function toTuple(
  serde: SerializerProtocol,
  parts: CheckpointParts,
  shelf: MessageShelf,
): Promise<CheckpointTuple> {
  const { row, writes, sends } = parts;
  const decodeWrite = async ({ data, refs }: WriteRow) => decodeValue(serde, data, await shelf.take(refs));
  const checkpoint = await decodeCheckpoint(serde, parts, shelf);
  const pendingWrites: CheckpointPendingWrite[] = [];
  for (const write of writes) pendingWrites.push([write.taskId, write.channel, await decodeWrite(write)]);
  const address = { threadId: row.threadId, ns: row.ns };
  return {
    config: configOf({ ...address, id: row.id }),
    checkpoint:
      sends === undefined
        ? checkpoint
        : await withSends(checkpoint, await Promise.all(sends.map(decodeWrite))),
    metadata: await decodeMetadata(serde, row.metadata),
    pendingWrites,
    ...(row.parentId === undefined ? {} : { parentConfig: configOf({ ...address, id: row.parentId }) }),
  };
}
