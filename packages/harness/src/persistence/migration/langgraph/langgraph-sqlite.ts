/** The tables of `@langchain/langgraph-checkpoint-sqlite`: every checkpoint holds the values of all channels. */
import { DeerflowError } from "../../../base/errors.js";
import { sha256 } from "../../../base/hash.js";
import { isRecord } from "../../../base/json.js";
import type { SqlDatabase, SqlValue } from "../../sql/contract.js";
import type {
  LangGraphSource,
  StoredCheckpoint,
  StoredValue,
  StoredWrite,
  ValueIdentity,
} from "./contract.js";
import type { CheckpointHead } from "./parents-first.js";
import { storedValue } from "./value-decoder.js";

/** What is read, in turns. */
export type ReadableDatabase = Pick<SqlDatabase, "name" | "read" | "close">;

export function langGraphSqlite(file: ReadableDatabase): LangGraphSource {
  const all = (sql: string, parameters: readonly SqlValue[]) =>
    file.read((session) => session.all(sql, parameters));
  return {
    name: file.name,
    async threadIds() {
      const rows = await all("SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id", []);
      return rows.map((row) => String(row["thread_id"]));
    },
    async heads(threadId) {
      const rows = await all(
        "SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id FROM checkpoints WHERE thread_id = ?",
        [threadId],
      );
      return rows.map(headOf);
    },
    checkpoint: (threadId, head, known) =>
      file.read(async (session) => {
        const key = [threadId, head.ns, head.id];
        const [row] = await session.all(
          `SELECT type, checkpoint, metadata FROM checkpoints
            WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?`,
          key,
        );
        const writes = await session.all(
          `SELECT task_id, idx, channel, type, value AS data FROM writes
            WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? ORDER BY task_id, idx`,
          key,
        );
        if (row === undefined) throw new DeerflowError("migration_source_changed", { path: file.name });
        return toCheckpoint(row, writes.map(writeOf), known);
      }),
    close: () => file.close(),
  };
}

/** The address of a checkpoint out of a row of either official saver. */
export const headOf = (row: Readonly<Record<string, SqlValue>>): CheckpointHead => ({
  ns: String(row["checkpoint_ns"] ?? ""),
  id: String(row["checkpoint_id"]),
  parentId: row["parent_checkpoint_id"] ? String(row["parent_checkpoint_id"]) : undefined,
});

/** A pending write out of a row of either official saver. */
export const writeOf = (row: Readonly<Record<string, SqlValue>>): StoredWrite => ({
  taskId: String(row["task_id"]),
  index: Number(row["idx"]),
  channel: String(row["channel"]),
  value: storedValue(row["type"], row["data"]),
});

function toCheckpoint(
  row: Readonly<Record<string, SqlValue>>,
  writes: readonly StoredWrite[],
  known: ReadonlyMap<string, ValueIdentity>,
): StoredCheckpoint {
  const stored = storedValue(row["type"], row["checkpoint"]);
  if (stored.type !== "json" || !isRecord(stored.json)) {
    throw new DeerflowError("migration_value_unknown", { reason: "a checkpoint is not an object" });
  }
  const { channel_values, ...body } = stored.json;
  const held = isRecord(channel_values) ? channel_values : {};
  const identities = new Map<string, ValueIdentity>();
  const values = new Map<string, StoredValue>();
  for (const [channel, version] of Object.entries(versionsOf(body))) {
    const has = Object.hasOwn(held, channel);
    // Versions do not tell values apart here: a state that was changed in place keeps its version.
    const identity = `${JSON.stringify(version)} ${has ? sha256(JSON.stringify(held[channel])) : ""}`;
    identities.set(channel, identity);
    if (has && known.get(channel) !== identity) values.set(channel, { type: "json", json: held[channel] });
  }
  return { body, metadata: storedValue(row["type"], row["metadata"]), identities, values, writes };
}

/** The versions of the channels. What was never written has none, and its value, a default, is not stored. */
export function versionsOf(body: Readonly<Record<string, unknown>>): Record<string, number | string> {
  const versions = body["channel_versions"];
  // LangGraph writes numbers; savers of other programs text.
  return (isRecord(versions) ? versions : {}) as Record<string, number | string>;
}
