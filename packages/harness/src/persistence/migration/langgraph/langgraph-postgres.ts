/** The tables of `@langchain/langgraph-checkpoint-postgres`: each version of a channel has a row of its own. */
import { DeerflowError } from "../../../base/errors.js";
import { isRecord } from "../../../base/json.js";
import type { SqlSession, SqlValue } from "../../sql/contract.js";
import type { LangGraphSource, StoredCheckpoint, StoredValue, ValueIdentity } from "./contract.js";
import { headOf, type ReadableDatabase, versionsOf, writeOf } from "./langgraph-sqlite.js";
import type { CheckpointHead } from "./parents-first.js";
import { storedValue } from "./value-decoder.js";

/** Blobs of one question. */
const BLOBS_AT_ONCE = 50;

interface Place {
  readonly threadId: string;
  readonly head: CheckpointHead;
}

export class LangGraphPostgres implements LangGraphSource {
  readonly name: string;
  readonly #database: ReadableDatabase;

  /** @param database - whose turns look for tables in the saver's schema */
  constructor(database: ReadableDatabase) {
    this.name = database.name;
    this.#database = database;
  }

  async threadIds(): Promise<readonly string[]> {
    const sql = `SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id`;
    return (await this.#all(sql, [])).map((row) => String(row["thread_id"]));
  }

  async heads(threadId: string): Promise<readonly CheckpointHead[]> {
    const sql = `SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id FROM checkpoints
      WHERE thread_id = ?`;
    return (await this.#all(sql, [threadId])).map(headOf);
  }

  checkpoint(
    threadId: string,
    head: CheckpointHead,
    known: ReadonlyMap<string, ValueIdentity>,
  ): Promise<StoredCheckpoint> {
    return this.#database.read(async (session) => {
      const key = [threadId, head.ns, head.id];
      const where = "WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?";
      const [row] = await session.all(
        `SELECT CAST(checkpoint AS TEXT) AS checkpoint, CAST(metadata AS TEXT) AS metadata
          FROM checkpoints ${where}`,
        key,
      );
      const writes = await session.all(
        `SELECT task_id, idx, channel, type, blob AS data FROM checkpoint_writes ${where} ORDER BY task_id, idx`,
        key,
      );
      if (row === undefined) throw new DeerflowError("migration_source_changed", { path: this.name });
      const body = bodyOf(row["checkpoint"] ?? null);
      const identities = identitiesOf(body);
      const wanted = [...identities].filter(([channel, identity]) => known.get(channel) !== identity);
      return {
        body,
        metadata: storedValue("json", row["metadata"]),
        identities,
        values: await this.#blobs(session, { threadId, head }, wanted),
        writes: writes.map(writeOf),
      };
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #all(sql: string, parameters: readonly SqlValue[]) {
    return this.#database.read((session) => session.all(sql, parameters));
  }

  async #blobs(
    session: SqlSession,
    { threadId, head }: Place,
    wanted: readonly (readonly [channel: string, version: string])[],
  ): Promise<ReadonlyMap<string, StoredValue>> {
    const values = new Map<string, StoredValue>();
    for (let at = 0; at < wanted.length; at += BLOBS_AT_ONCE) {
      const part = wanted.slice(at, at + BLOBS_AT_ONCE);
      const rows = await session.all(
        `SELECT channel, type, blob AS data FROM checkpoint_blobs
          WHERE thread_id = ? AND checkpoint_ns = ? AND (${part.map(() => "channel = ? AND version = ?").join(" OR ")})`,
        [threadId, head.ns, ...part.flat()],
      );
      for (const { channel, type, data } of rows) {
        if (type !== "empty") values.set(String(channel), storedValue(type, data));
      }
    }
    return values;
  }
}

function bodyOf(text: SqlValue): Readonly<Record<string, unknown>> {
  const body: unknown = JSON.parse(String(text));
  if (isRecord(body)) return body;
  throw new DeerflowError("migration_value_unknown", { reason: "a checkpoint is not an object" });
}

/** The saver stores a version once and never changes it. */
const identitiesOf = (body: Readonly<Record<string, unknown>>): ReadonlyMap<string, ValueIdentity> =>
  new Map(Object.entries(versionsOf(body)).map(([channel, version]) => [channel, String(version)]));
