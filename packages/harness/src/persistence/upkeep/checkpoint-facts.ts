/** What the decisions of upkeep need to know of a stored checkpoint: everything but its values. */
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type ChannelMap, channelMapFromText } from "../checkpoint/channel-map.js";
import type { CheckpointKey, CheckpointRow } from "../checkpoint/checkpoint-rows.js";
import { decodeValue } from "../checkpoint/value-codec.js";

export interface CheckpointFacts extends CheckpointKey {
  readonly parentId: string | undefined;
  /** What made it: `input`, `loop`, `update` or `fork`; undefined when it does not say. */
  readonly source: string | undefined;
  /** The checkpoints of the graphs around this one when it was made, by namespace; empty for the outermost graph. */
  readonly parents: ReadonlyMap<string, string>;
  /** Milliseconds since 1970; undefined when neither its id nor its content says. */
  readonly createdAt: number | undefined;
  /** Channels whose value is in the checkpoint. */
  readonly holds: ReadonlySet<string>;
  /** Channels whose value LangGraph makes of the writes of the ancestors, back to one that holds it. */
  readonly rebuilds: readonly string[];
  /** Whether the Sends of its step lie with the writes of its parent. */
  readonly needsSendsOfParent: boolean;
}

/** Older formats kept the Sends of a step with the writes of the checkpoint before it. */
const SENDS_IN_CHANNEL_FORMAT = 4;

/** @param serde - how the saver that wrote the checkpoint writes values */
export async function checkpointFacts(
  serde: SerializerProtocol,
  row: CheckpointRow,
): Promise<CheckpointFacts> {
  const metadata = fieldsOf(await decodeValue(serde, row.metadata, []));
  const channels = channelMapFromText(row.channels);
  return {
    ns: row.ns,
    id: row.id,
    parentId: row.parentId,
    source: textOf(metadata["source"]),
    parents: new Map(
      Object.entries(fieldsOf(metadata["parents"])).map(([ns, id]) => [ns, String(id)] as const),
    ),
    createdAt: timeOfId(row.id) ?? timeOf(fieldsOf(await decodeValue(serde, row.body, []))["ts"]),
    holds: new Set([...channels].filter(([, { value }]) => value !== undefined).map(([channel]) => channel)),
    rebuilds: rebuiltChannels(metadata, channels),
    needsSendsOfParent: row.format < SENDS_IN_CHANNEL_FORMAT,
  };
}

/**
 * The delta channels that a checkpoint does not hold. LangGraph counts in the metadata how long ago each was
 * stored whole; one without a count was stored whole just now.
 */
export function rebuiltChannels(metadata: Readonly<Record<string, unknown>>, channels: ChannelMap): string[] {
  const counted = Object.keys(fieldsOf(metadata["counters_since_delta_snapshot"]));
  // Where versions tell what was written, a channel without one has nothing to rebuild.
  const versioned = metadata["delta_writes_versioned"] === true;
  return counted.filter((channel) => {
    const place = channels.get(channel);
    return place === undefined ? !versioned : place.value === undefined;
  });
}

/** Hundreds of nanoseconds between the start of the Gregorian calendar, which UUIDs count from, and 1970. */
const UUID_EPOCH = 122_192_928_000_000_000n;
const UUID_6 = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** When a UUID of version 6, as LangGraph gives checkpoints, was made: milliseconds since 1970. */
export function timeOfId(id: string): number | undefined {
  const [, high, middle, low] = UUID_6.exec(id) ?? [];
  if (high === undefined) return undefined;
  const time = Number((BigInt(`0x${high}${middle}${low}`) - UUID_EPOCH) / 10_000n);
  // Ids of tests and of other programs may count from anywhere.
  return time > 0 ? time : undefined;
}

function timeOf(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  // Its keys are read with care: the metadata of a checkpoint is what its graph put there.
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
