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
import { channelMapFromText, valueNumbersOf, type ValuePlace } from "./channel-map.js";
import { configOf } from "./checkpoint-config.js";
import type { CheckpointKey, CheckpointRows, ListedCheckpointRow, WriteRow } from "./checkpoint-rows.js";
import type { ThreadShelf } from "./thread-shelf.js";
import { decodeValue } from "./value-codec.js";

/** Older formats kept the Sends of a step with the writes of the checkpoint before it. */
const SENDS_IN_CHANNEL_FORMAT = 4;

/** All rows of one checkpoint; its values are on the shelf. */
export interface CheckpointParts {
  readonly row: ListedCheckpointRow;
  readonly writes: readonly WriteRow[];
  /** The Sends that an old checkpoint finds with its parent; undefined for the newer formats. */
  readonly sends: readonly WriteRow[] | undefined;
  readonly shelf: ThreadShelf;
}

/** LangGraph applies the writes of a step in this order. */
const inAppliedOrder = (writes: readonly WriteRow[]): readonly WriteRow[] =>
  [...writes].sort((a, b) =>
    compareWritesSortKeys(
      writesSortKey(a.taskPath, a.taskId, a.index),
      writesSortKey(b.taskPath, b.taskId, b.index),
    ),
  );

/** The checkpoint whose writes hold the Sends of this one. */
const sendsKeyOf = ({ format, ns, parentId }: ListedCheckpointRow): CheckpointKey | undefined =>
  format >= SENDS_IN_CHANNEL_FORMAT || parentId === undefined ? undefined : { ns, id: parentId };

/** Fetches everything that belongs to checkpoints of one thread, in few questions. */
export async function fetchParts(
  rows: CheckpointRows,
  listed: readonly ListedCheckpointRow[],
  shelf: ThreadShelf,
): Promise<readonly CheckpointParts[]> {
  const values = await shelf.fetchValues(
    rows,
    listed.flatMap((row) => valueNumbersOf(channelMapFromText(row.channels))),
  );
  const keys = listed.flatMap((row) => [{ ns: row.ns, id: row.id }, sendsKeyOf(row) ?? []].flat());
  const writes = await rows.findWrites(shelf.threadKey, keys);
  await shelf.fetchRefs(rows, [...values, ...writes]);
  const ofCheckpoint = (key: CheckpointKey) =>
    inAppliedOrder(writes.filter((write) => write.ns === key.ns && write.checkpointId === key.id));
  return listed.map((row) => {
    const sendsKey = sendsKeyOf(row);
    const sends = sendsKey && ofCheckpoint(sendsKey).filter(({ channel }) => channel === TASKS);
    return { row, writes: ofCheckpoint(row), sends, shelf };
  });
}

/** Decodes one stored metadata. */
export const decodeMetadata = (serde: SerializerProtocol, data: Uint8Array): Promise<CheckpointMetadata> =>
  // The saver stores only metadata in this column.
  decodeValue(serde, data, []) as Promise<CheckpointMetadata>;

interface TupleOptions {
  readonly serde: SerializerProtocol;
  /** True when a run may go on from this checkpoint. */
  readonly keep: boolean;
}

const decodePlace = (
  place: ValuePlace,
  shelf: ThreadShelf,
  { serde, keep }: TupleOptions,
): Promise<unknown> =>
  "inline" in place ? serde.loadsTyped("json", place.inline) : shelf.value(place.number, keep);

async function decodeCheckpoint({ row, shelf }: CheckpointParts, options: TupleOptions): Promise<Checkpoint> {
  // The saver stores the checkpoint without its channels in this column.
  const body = (await decodeValue(options.serde, row.body, [])) as Omit<
    Checkpoint,
    "channel_values" | "channel_versions"
  >;
  const channels = [...channelMapFromText(row.channels)];
  const values: [string, unknown][] = [];
  for (const [channel, { value }] of channels) {
    if (value !== undefined) values.push([channel, await decodePlace(value, shelf, options)]);
  }
  return {
    ...body,
    channel_values: Object.fromEntries(values),
    channel_versions: Object.fromEntries(channels.map(([channel, { version }]) => [channel, version])),
  };
}

function withSends(checkpoint: Checkpoint, sends: readonly unknown[]): Checkpoint {
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
export async function toTuple(parts: CheckpointParts, options: TupleOptions): Promise<CheckpointTuple> {
  const { row, writes, sends, shelf } = parts;
  const checkpoint = await decodeCheckpoint(parts, options);
  const pendingWrites: CheckpointPendingWrite[] = [];
  for (const write of writes) pendingWrites.push([write.taskId, write.channel, await shelf.decode(write)]);
  const address = { threadId: row.threadId, ns: row.ns };
  return {
    config: configOf({ ...address, id: row.id }),
    checkpoint:
      sends === undefined
        ? checkpoint
        : withSends(checkpoint, await Promise.all(sends.map((write) => shelf.decode(write)))),
    metadata: await decodeMetadata(options.serde, row.metadata),
    pendingWrites,
    ...(row.parentId === undefined ? {} : { parentConfig: configOf({ ...address, id: row.parentId }) }),
  };
}
