/** Reads a thread out of LangGraph's own tables: its facts, and on the way, if wanted, each checkpoint into a saver of ours. */
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type PendingWrite,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { digestOf } from "../canonical-digest.js";
import { factsOfCheckpoint } from "../checkpoint-content.js";
import type { Fact, ThreadFacts } from "../thread-facts.js";
import type { LangGraphSource, StoredCheckpoint, StoredWrite, ValueIdentity } from "./contract.js";
import { versionsOf } from "./langgraph-sqlite.js";
import { type CheckpointHead, parentsFirst } from "./parents-first.js";
import { ValueDecoder } from "./value-decoder.js";

const FIRST_FORMAT = 1;
/** Calls of the saver that are under way together: they share a transaction. The saver keeps their order. */
const CALLS_AT_ONCE = 32;

export interface ReadThreadOptions {
  /** Where the checkpoints are stored; absent when only the facts are wanted. */
  readonly saver?: BaseCheckpointSaver | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the children of a checkpoint need to know of it. */
interface Known {
  readonly identities: ReadonlyMap<string, ValueIdentity>;
  readonly digests: ReadonlyMap<string, string>;
}

const NOTHING_KNOWN: Known = { identities: new Map(), digests: new Map() };

interface DecodedCheckpoint extends Pick<StoredCheckpoint, "body"> {
  readonly head: CheckpointHead;
  readonly metadata: unknown;
  /** What differs from the parent. */
  readonly changed: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly writes: readonly (StoredWrite & { readonly decoded: unknown })[];
  readonly known: Known;
}

/** @throws DeerflowError `migration_value_unknown`, `migration_source_changed`; what the saver throws */
export async function readThread(
  source: LangGraphSource,
  threadId: string,
  { saver, signal }: ReadThreadOptions = {},
): Promise<ThreadFacts> {
  const decoder = new ValueDecoder();
  const known = new Map<string, Known>();
  const facts = new Map<string, Fact>();
  const calls: Promise<unknown>[] = [];
  for (const head of parentsFirst(await source.heads(threadId))) {
    signal?.throwIfAborted();
    const ofParent = (head.parentId && known.get(`${head.ns} ${head.parentId}`)) || NOTHING_KNOWN;
    const stored = await source.checkpoint(threadId, head, ofParent.identities);
    const decoded = await decode({ decoder, head, stored, ofParent });
    known.set(`${head.ns} ${head.id}`, decoded.known);
    for (const [name, fact] of factsOf(decoded)) facts.set(name, fact);
    if (saver === undefined) continue;
    calls.push(...store(saver, threadId, decoded));
    if (calls.length >= CALLS_AT_ONCE) await Promise.all(calls.splice(0));
  }
  await Promise.all(calls);
  return facts;
}

async function decode({
  decoder,
  head,
  stored,
  ofParent,
}: {
  readonly decoder: ValueDecoder;
  readonly head: CheckpointHead;
  readonly stored: StoredCheckpoint;
  readonly ofParent: Known;
}): Promise<DecodedCheckpoint> {
  const { body, identities } = stored;
  const changed = [...identities.keys()].filter(
    (channel) => ofParent.identities.get(channel) !== identities.get(channel),
  );
  const digests = new Map(ofParent.digests);
  for (const channel of digests.keys()) if (!identities.has(channel)) digests.delete(channel);
  const values: Record<string, unknown> = {};
  for (const channel of changed) {
    const value = stored.values.get(channel);
    digests.delete(channel);
    if (value === undefined) continue;
    values[channel] = await decoder.decode(value);
    digests.set(channel, digestOf(values[channel]));
  }
  const writes: DecodedCheckpoint["writes"][number][] = [];
  for (const write of stored.writes) writes.push({ ...write, decoded: await decoder.decode(write.value) });
  const metadata = await decoder.decode(stored.metadata);
  return { head, body, metadata, changed, values, writes, known: { identities, digests } };
}

function factsOf({ head, body, metadata, writes, known }: DecodedCheckpoint) {
  return factsOfCheckpoint(
    {
      ...head,
      format: formatOf(body),
      time: body["ts"],
      versions: versionsOf(body),
      versionsSeen: body["versions_seen"] ?? {},
      channelDigests: known.digests,
      metadata,
    },
    writes.map(({ taskId, channel, decoded }) => ({ taskId, channel, value: decoded })),
  );
}

const formatOf = (body: StoredCheckpoint["body"]): number => Number(body["v"] ?? FIRST_FORMAT);

/** Begins the calls that store a checkpoint and its writes. */
function store(
  saver: BaseCheckpointSaver,
  threadId: string,
  decoded: DecodedCheckpoint,
): readonly Promise<unknown>[] {
  const { head, body, metadata, changed, values, writes } = decoded;
  const versions = versionsOf(body);
  const configOf = (id: string | undefined): RunnableConfig => ({
    configurable: {
      thread_id: threadId,
      checkpoint_ns: head.ns,
      ...(id === undefined ? {} : { checkpoint_id: id }),
    },
  });
  const checkpoint = {
    v: formatOf(body),
    id: head.id,
    ts: body["ts"],
    channel_values: values,
    channel_versions: versions,
    versions_seen: body["versions_seen"] ?? {},
    // The saver that wrote the row had a checkpoint in its hands.
  } as Checkpoint;
  const newVersions: ChannelVersions = Object.fromEntries(
    changed.map((channel) => [channel, versions[channel]] as const),
    // `changed` holds keys of the versions.
  ) as ChannelVersions;
  // The row's column holds what LangGraph put there.
  const put = saver.put(configOf(head.parentId), checkpoint, metadata as CheckpointMetadata, newVersions);
  const puts = [...byTask(writes)].flatMap(([taskId, ofTask]) =>
    callsOf(ofTask).map((call) => saver.putWrites(configOf(head.id), call, taskId)),
  );
  return [put, ...puts];
}

function byTask<T extends StoredWrite>(writes: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const tasks = new Map<string, T[]>();
  for (const write of writes) {
    const known = tasks.get(write.taskId);
    if (known === undefined) tasks.set(write.taskId, [write]);
    else known.push(write);
  }
  return tasks;
}

/**
 * The calls of `putWrites` that give the writes of one task the places they had. Savers count the writes of a
 * call, and give those of LangGraph's special channels places of their own, so such a write may fill a gap.
 */
export function callsOf(
  writes: readonly { readonly index: number; readonly channel: string; readonly decoded: unknown }[],
): PendingWrite[][] {
  const toPending = ({ channel, decoded }: (typeof writes)[number]): PendingWrite => [channel, decoded];
  const special = writes.filter(({ channel }) => channel in WRITES_IDX_MAP).map(toPending);
  const regular = writes.filter(({ channel }) => !(channel in WRITES_IDX_MAP));
  const call: PendingWrite[] = [];
  for (const write of [...regular].sort((a, b) => a.index - b.index)) {
    while (call.length < write.index && special.length > 0) call.push(...special.splice(0, 1));
    call.push(toPending(write));
  }
  // Savers take a call of special writes only as newer ones that replace what is there.
  return [call, special].filter((one) => one.length > 0);
}
