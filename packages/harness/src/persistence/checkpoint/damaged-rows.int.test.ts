import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { testDatabases } from "../../testing/test-databases.js";
import { openPersistence } from "../open-persistence.js";
import type { SqlValue } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";

const configOf = (thread_id: string) => ({ configurable: { thread_id, checkpoint_ns: "" } });
const bytes = (...values: number[]) => new Uint8Array(values);

// Behind the saver's back comes another program, which what lives in memory does not have.
const databases = (await testDatabases()).filter(({ backend }) => backend !== "memory");

describe.each(databases)("damaged checkpoints on $name", ({ open, drop }) => {
  afterAll(drop);

  /** Two threads of one user; then something of the first is damaged. */
  async function withDamage(statement: string, value: SqlValue | undefined) {
    const location = await open();
    const persistence = await openPersistence(location);
    const saver = persistence.checkpointer(LOCAL_PRINCIPAL);
    for (const threadId of ["hurt", "well"]) {
      const values = { messages: [new HumanMessage({ id: "1", content: threadId })] };
      const checkpoint = {
        ...emptyCheckpoint(),
        channel_values: values,
        channel_versions: { messages: 1 },
      };
      const metadata = { source: "input", step: -1, parents: {} } as const;
      await saver.put(configOf(threadId), checkpoint, metadata, { messages: 1 });
    }
    const database = await openDatabase(location);
    const ofHurt = "thread_key IN (SELECT thread_key FROM checkpoint_threads WHERE thread_id = 'hurt')";
    await database.write((session) =>
      session.run(`${statement} WHERE ${ofHurt}`, value === undefined ? [] : [value]),
    );
    await database.close();
    return { persistence, saver: persistence.checkpointer(LOCAL_PRINCIPAL) };
  }

  it.each<[string, string, SqlValue | undefined]>([
    ["message", "UPDATE checkpoint_messages SET data = ?", bytes(0x00, 0xff)],
    ["deflated message", "UPDATE checkpoint_messages SET data = ?", bytes(0x01, 0xff)],
    ["lost message", "DELETE FROM checkpoint_messages", undefined],
    ["lost value", "DELETE FROM checkpoint_values", undefined],
    ["checkpoint", "UPDATE checkpoints SET body = ?", bytes()],
    ["checkpoint of an unknown form", "UPDATE checkpoints SET body = ?", bytes(0x04, 0x01, 0x61, 0x00)],
    ["list of channels", "UPDATE checkpoints SET channels = ?", "{"],
    ["metadata", "UPDATE checkpoints SET metadata = ?", bytes(0x00, 0xff)],
  ])("names the thread of a damaged %s, and reads and removes as ever", async (_what, statement, value) => {
    const { persistence, saver } = await withDamage(statement, value);
    const damaged = {
      code: "database_damaged",
      details: { path: persistence.description, reason: expect.stringMatching(/^in thread hurt: /) },
    };
    await expect(saver.getTuple(configOf("hurt"))).rejects.toMatchObject(damaged);
    await expect(saver.list(configOf("hurt")).next()).rejects.toMatchObject(damaged);
    expect(await saver.getTuple(configOf("well"))).toBeDefined();
    await saver.deleteThread("hurt");
    expect(await saver.getTuple(configOf("hurt"))).toBeUndefined();
    await persistence.close();
  });
});
