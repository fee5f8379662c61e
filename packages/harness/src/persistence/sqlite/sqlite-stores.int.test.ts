import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterAll, expect, it } from "vitest";
import type { Clock } from "../../base/clock.js";
import { runEventStoreSuite } from "../../testing/run-event-store-suite.js";
import { runStoreSuite } from "../../testing/run-store-suite.js";
import { threadStoreSuite } from "../../testing/thread-store-suite.js";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { openPersistence } from "../open-persistence.js";
import { openSqlite } from "./open-sqlite.js";

const folder = mkdtempSync(join(tmpdir(), "deerflow-stores-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
const inFile = (clock: Clock) => {
  opened += 1;
  return openPersistence({ backend: "sqlite", path: join(folder, `${opened}.db`), clock });
};
const inMemory = (clock: Clock) => openPersistence({ backend: "memory", clock });

for (const suite of [threadStoreSuite, runStoreSuite, runEventStoreSuite]) {
  suite("SQLite", inFile);
  suite("SQLite in memory", inMemory);
}

/** Two threads of one user; then something of the first is damaged behind the store's back. */
async function withDamage(statement: string) {
  opened += 1;
  const path = join(folder, `${opened}.db`);
  const persistence = await openPersistence({ backend: "sqlite", path });
  const saver = persistence.checkpointer(LOCAL_PRINCIPAL);
  for (const threadId of ["hurt", "well"]) {
    await persistence.threads.create(LOCAL_PRINCIPAL, { threadId, metadata: { team: "north" } });
    const config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
    const values = { messages: [new HumanMessage({ id: "1", content: threadId })] };
    const checkpoint = { ...emptyCheckpoint(), channel_values: values, channel_versions: { messages: 1 } };
    await saver.put(config, checkpoint, { source: "input", step: -1, parents: {} }, { messages: 1 });
  }
  const connection = await openSqlite(path);
  connection.run(statement);
  await connection.close();
  return { path, persistence, saver: persistence.checkpointer(LOCAL_PRINCIPAL) };
}

it.each(["metadata", "list_values"])("lists and removes a thread whose %s is damaged", async (column) => {
  const { persistence } = await withDamage(
    `UPDATE threads SET ${column} = '{"broken' WHERE thread_id = 'hurt'`,
  );
  const all = { limit: 9, offset: 0 };
  const found = await persistence.threads.search(LOCAL_PRINCIPAL, all);
  expect(found.map(({ threadId }) => threadId).toSorted()).toEqual(["hurt", "well"]);
  const north = await persistence.threads.search(LOCAL_PRINCIPAL, { ...all, metadata: { team: "north" } });
  expect(north).toHaveLength(column === "metadata" ? 1 : 2);
  expect(await persistence.threads.remove(LOCAL_PRINCIPAL, "hurt")).toBe(true);
  expect(await persistence.threads.search(LOCAL_PRINCIPAL, all)).toHaveLength(1);
  await persistence.close();
});

it.each([
  ["message", "UPDATE checkpoint_messages SET data = x'00ff' WHERE thread_key = 1"],
  ["deflated message", "UPDATE checkpoint_messages SET data = x'01ff' WHERE thread_key = 1"],
  ["lost message", "DELETE FROM checkpoint_messages WHERE thread_key = 1"],
  ["checkpoint", "UPDATE checkpoints SET body = x'' WHERE thread_key = 1"],
  ["checkpoint of an unknown form", "UPDATE checkpoints SET body = x'04016100' WHERE thread_key = 1"],
  ["list of channels", "UPDATE checkpoints SET channels = '{' WHERE thread_key = 1"],
  ["metadata", "UPDATE checkpoints SET metadata = x'00ff' WHERE thread_key = 1"],
])("names the thread of a damaged %s, and reads and removes as ever", async (_what, statement) => {
  const { path, persistence, saver } = await withDamage(statement);
  const configOf = (thread_id: string) => ({ configurable: { thread_id, checkpoint_ns: "" } });
  const damaged = {
    code: "database_damaged",
    details: { path, reason: expect.stringMatching(/^in thread hurt: /) },
  };
  await expect(saver.getTuple(configOf("hurt"))).rejects.toMatchObject(damaged);
  await expect(saver.list(configOf("hurt")).next()).rejects.toMatchObject(damaged);
  expect(await saver.getTuple(configOf("well"))).toBeDefined();
  await saver.deleteThread("hurt");
  expect(await saver.getTuple(configOf("hurt"))).toBeUndefined();
  await persistence.close();
});
