/** The facts of checkpoints: what LangGraph reads of each, and each pending write. */
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { TASKS } from "@langchain/langgraph-checkpoint";
import { digestOf } from "./canonical-digest.js";
import type { Fact, ThreadFacts } from "./thread-facts.js";

/** From this format on the Sends of a step are a channel; in older ones savers derive them from the parent's writes. */
const SENDS_IN_CHANNEL_FORMAT = 4;

export interface CheckpointContent {
  readonly ns: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly format: number;
  readonly time: unknown;
  readonly versions: Readonly<Record<string, unknown>>;
  readonly versionsSeen: unknown;
  /** Of the value of each channel. A channel that has no version holds its default, which is not stored. */
  readonly channelDigests: ReadonlyMap<string, string>;
  readonly metadata: unknown;
}

export interface PendingWrite {
  readonly taskId: string;
  readonly channel: string;
  readonly value: unknown;
}

/** The fact of the checkpoint itself and of each of its writes. */
export function factsOfCheckpoint(
  content: CheckpointContent,
  writes: readonly PendingWrite[],
): readonly (readonly [name: string, fact: Fact])[] {
  const { ns, id } = content;
  const place = ns === "" ? id : `${ns}/${id}`;
  const seen = new Map<string, number>();
  const ofWrites = writes.map(({ taskId, channel, value }) => {
    const name = `write ${place} ${taskId} ${channel}`;
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return [`${name} ${before}`, { digest: digestOf(value), checkpointId: id }] as const;
  });
  return [[`checkpoint ${place}`, { digest: digestOfCheckpoint(content), checkpointId: id }], ...ofWrites];
}

function digestOfCheckpoint({ channelDigests, ...content }: CheckpointContent): string {
  const derived = content.format < SENDS_IN_CHANNEL_FORMAT && content.parentId !== undefined;
  const isStored = (channel: string) => !(derived && channel === TASKS);
  const stored = (entries: Iterable<readonly [string, unknown]>) =>
    Object.fromEntries([...entries].filter(([channel]) => isStored(channel)));
  return digestOf({
    ...content,
    versions: stored(Object.entries(content.versions)),
    channels: stored(channelDigests),
  });
}

/** The facts of a thread as its saver reads it, in all namespaces. Holds one checkpoint at a time. */
export async function factsOfSaver(saver: BaseCheckpointSaver, threadId: string): Promise<ThreadFacts> {
  const facts = new Map<string, Fact>();
  for await (const tuple of saver.list({ configurable: { thread_id: threadId } })) {
    const writes = tuple.pendingWrites ?? [];
    const pending = writes.map(([taskId, channel, value]) => ({ taskId, channel, value }));
    for (const [name, fact] of factsOfCheckpoint(contentOf(tuple), pending)) facts.set(name, fact);
  }
  return facts;
}

function contentOf({ checkpoint, config, parentConfig, metadata }: CheckpointTuple): CheckpointContent {
  const { channel_values, channel_versions, versions_seen } = checkpoint;
  const values = Object.entries(channel_values).filter(
    ([channel, value]) => value !== undefined && Object.hasOwn(channel_versions, channel),
  );
  return {
    ns: String(config.configurable?.["checkpoint_ns"] ?? ""),
    id: checkpoint.id,
    parentId: parentConfig?.configurable?.["checkpoint_id"],
    format: checkpoint.v,
    time: checkpoint.ts,
    versions: channel_versions,
    versionsSeen: versions_seen,
    channelDigests: new Map(values.map(([channel, value]) => [channel, digestOf(value)])),
    metadata,
  };
}
