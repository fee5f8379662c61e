/** What a saver acknowledged, kept so that it can be held against what is stored after a crash. */
import { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver, Checkpoint } from "@langchain/langgraph";
import { sha256 } from "../../base/hash.js";
import { isRecord } from "../../base/json.js";
import type { InterningCheckpointSaver } from "../../persistence/checkpoint/interning-checkpoint-saver.js";

/** What a saver has said is stored. */
export type Acknowledgement =
  | {
      readonly kind: "put";
      readonly threadId: string;
      readonly checkpointId: string;
      readonly digest: string;
    }
  | {
      readonly kind: "writes";
      readonly threadId: string;
      readonly checkpointId: string;
      readonly taskId: string;
      readonly writes: readonly (readonly [channel: string, digest: string])[];
      /** Calls whose results are among them. */
      readonly calls: readonly string[];
    };

/** Tells of every `put` and `putWrites` of this saver after it has resolved. */
export function acknowledging<Saver extends BaseCheckpointSaver>(
  saver: Saver,
  tell: (fact: Acknowledgement) => void,
): Saver {
  const [put, putWrites] = [saver.put.bind(saver), saver.putWrites.bind(saver)];
  saver.put = async (config, checkpoint, metadata, newVersions) => {
    const threadId = String(config.configurable?.["thread_id"]);
    const digest = digestOf(writtenValues(checkpoint));
    const stored = await put(config, checkpoint, metadata, newVersions);
    tell({ kind: "put", threadId, checkpointId: checkpoint.id, digest });
    return stored;
  };
  saver.putWrites = async (config, writes, taskId, taskPath?: string) => {
    const fact = {
      kind: "writes" as const,
      threadId: String(config.configurable?.["thread_id"]),
      checkpointId: String(config.configurable?.["checkpoint_id"]),
      taskId,
      writes: writes.map(([channel, value]) => [channel, digestOf(value)] as const),
      calls: writes.flatMap(([, value]) => callsIn(value)),
    };
    // The base class knows no task path; savers of this kind take one.
    await (putWrites as (...all: unknown[]) => Promise<void>)(config, writes, taskId, taskPath);
    tell(fact);
  };
  return saver;
}

const callsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(ToolMessage.isInstance).map(({ tool_call_id }) => tool_call_id) : [];

/** LangGraph's own channels, whose writes a later one of the same task takes the place of. */
const REPLACED: ReadonlySet<string> = new Set(["__interrupt__", "__resume__", "__error__", "__scheduled__"]);

/** A channel that was never written has no version, and is not stored. */
const writtenValues = ({ channel_values, channel_versions }: Checkpoint): Record<string, unknown> =>
  Object.fromEntries(Object.entries(channel_values).filter(([channel]) => channel in channel_versions));

/** What was acknowledged and is not there, or is not what it was. */
export async function faultsOf(
  saver: InterningCheckpointSaver,
  threadId: string,
  facts: readonly Acknowledgement[],
): Promise<readonly string[]> {
  const own = facts.filter((fact) => fact.threadId === threadId);
  const put = new Set(own.flatMap(({ kind, checkpointId }) => (kind === "put" ? [checkpointId] : [])));
  const stored = new Map<string, Stored>();
  for await (const { checkpoint, pendingWrites = [] } of saver.list({
    configurable: { thread_id: threadId },
  })) {
    const writes = pendingWrites.flatMap(([task, channel, value]) => [
      `${task} ${channel}`,
      `${task} ${channel} ${digestOf(value)}`,
    ]);
    stored.set(checkpoint.id, { digest: digestOf(writtenValues(checkpoint)), writes: new Set(writes) });
  }
  // Writes may be acknowledged before their checkpoint, which is lost then with what nobody was told of.
  const early = own.filter(({ checkpointId }) => !put.has(checkpointId) && !stored.has(checkpointId));
  const rest = own.filter((fact) => !early.includes(fact));
  return [...rest.flatMap((fact) => faultsIn(stored, fact)), ...(await lostWrites(saver, threadId, early))];
}

interface Stored {
  readonly digest: string;
  /** Task and channel of each write, once with the digest of its value and once without. */
  readonly writes: ReadonlySet<string>;
}

function faultsIn(stored: ReadonlyMap<string, Stored>, fact: Acknowledgement): readonly string[] {
  const found = stored.get(fact.checkpointId);
  const what = `${fact.kind} at checkpoint ${fact.checkpointId} of ${fact.threadId}`;
  if (found === undefined) return [`${what}: there is no such checkpoint`];
  if (fact.kind === "put") return found.digest === fact.digest ? [] : [`${what}: its values are others`];
  return fact.writes
    .map(([channel, digest]) => `${fact.taskId} ${channel}${REPLACED.has(channel) ? "" : ` ${digest}`}`)
    .filter((write) => !found.writes.has(write))
    .map((write) => `${what}: there is no ${write}`);
}

/** Which of these have no rows; LangGraph gives writes back with their checkpoint only. */
async function lostWrites(
  { storage }: InterningCheckpointSaver,
  threadId: string,
  facts: readonly Acknowledgement[],
): Promise<readonly string[]> {
  const keys = facts.map(({ checkpointId }) => ({ ns: "", id: checkpointId }));
  const rows = await storage.database.read(async (tables) => {
    const thread = await tables.findThread(storage.scope, threadId);
    return thread === undefined ? [] : tables.findWrites(thread.key, keys);
  });
  const tasks = new Set(rows.map(({ taskId }) => taskId));
  return facts.flatMap((fact) =>
    fact.kind === "writes" && !tasks.has(fact.taskId)
      ? [`the writes of task ${fact.taskId} of ${threadId} are lost`]
      : [],
  );
}

/** The same for equal values, whichever program made them. */
export const digestOf = (value: unknown): string => sha256(JSON.stringify(shapeOf(value)) ?? "");

/** The fields of a message that its author set; the rest differs between one that was made and one that was read. */
const MESSAGE_FIELDS = ["type", "id", "content", "tool_calls", "tool_call_id"] as const;

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (!isRecord(value)) return value;
  const fields =
    value instanceof BaseMessage
      ? MESSAGE_FIELDS
      : // A Send names its class itself, also where it has become a plain object.
        Object.keys(value)
          .filter((field) => field !== "lg_name")
          .toSorted();
  return Object.fromEntries(fields.map((field) => [field, shapeOf(value[field])]));
}
