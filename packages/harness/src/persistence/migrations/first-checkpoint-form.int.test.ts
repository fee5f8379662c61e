import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Kysely } from "kysely";
import { afterAll, expect, it } from "vitest";
import { messageToText } from "../checkpoint/message-codec.js";
import { sha256 } from "../checkpoint/part.js";
import { SqliteCheckpointSaver } from "../sqlite/sqlite-checkpoint-saver.js";
import { SqliteConnection } from "../sqlite/sqlite-connection.js";
import { sqliteDialect } from "../sqlite/sqlite-dialect.js";
import { MIGRATIONS } from "./migrations.js";

const folder = mkdtempSync(join(tmpdir(), "deerflow-first-form-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A payload of the first form: one byte that says how to read it, then JSON. */
const payload = (value: unknown, flags = 0): Buffer =>
  Buffer.concat([Uint8Array.of(flags), Buffer.from(JSON.stringify(value))]);
const MARKED = 2;

/** A database as the second schema had it: one thread with two checkpoints, a fork of the second, and a write. */
async function makeFirstForm(path: string): Promise<void> {
  const connection = await SqliteConnection.open(path);
  const database = new Kysely<unknown>({ dialect: sqliteDialect(connection) });
  for (const { up } of MIGRATIONS.filter(({ version }) => version <= 2)) await up(database, "sqlite");
  const insert = (table: string, ...rows: readonly (readonly unknown[])[]) => {
    for (const row of rows)
      connection.run(`INSERT INTO ${table} VALUES (${row.map(() => "?").join(", ")})`, row);
  };
  insert("checkpoint_threads", [7, "local", "t", 3]);
  for (const [seq, id] of ["a", "b"].entries()) {
    const text = messageToText(new HumanMessage({ id, content: `text of ${id}` })).text;
    insert("checkpoint_messages", [
      7,
      seq + 1,
      sha256(text),
      Buffer.concat([Uint8Array.of(0), Buffer.from(text)]),
    ]);
  }
  const messages = (last: number) => payload({ $deerflow: "messages", at: [0, last - 1] }, MARKED);
  insert(
    "checkpoint_values",
    [7, "", "messages", "1", 0, "[1,1]", messages(1)],
    [7, "", "messages", "2", 0, "[1,2]", messages(2)],
    [7, "", "brief", "2", 0, "[]", payload("left")],
    [7, "", "brief", "2", 1, "[]", payload("right")],
  );
  const body = (id: string) => payload({ v: 4, id, ts: "", versions_seen: {} });
  const metadata = payload({ source: "loop", step: 1, parents: {} });
  insert(
    "checkpoints",
    [7, "", "1", null, 4, '{"messages":[1,0],"gone":[1]}', body("1"), metadata],
    [7, "", "2", "1", 4, '{"messages":[2,0],"brief":[2,0]}', body("2"), metadata],
    [7, "", "3", "1", 4, '{"messages":["2",0],"brief":[2,1]}', body("3"), metadata],
  );
  insert("checkpoint_writes", [7, "", "2", "task", 0, "path", "messages", "[2,2]", messages(1)]);
  connection.exec("PRAGMA user_version = 2");
  await connection.close();
}

it("turns checkpoints of the first form into numbered ones, and conversations go on", async () => {
  const path = join(folder, "old.db");
  await makeFirstForm(path);
  const saver = SqliteCheckpointSaver.fromPath(path);
  const at = (checkpoint_id: string) =>
    saver.getTuple({ configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id } });
  const idsOf = (messages: unknown) => (messages as BaseMessage[]).map(({ id }) => id);
  const [first, second, third] = [await at("1"), await at("2"), await at("3")];
  expect(first?.checkpoint.channel_versions).toEqual({ messages: 1, gone: 1 });
  expect(idsOf(first?.checkpoint.channel_values["messages"])).toEqual(["a"]);
  expect(idsOf(second?.checkpoint.channel_values["messages"])).toEqual(["a", "b"]);
  expect([second, third].map((tuple) => tuple?.checkpoint.channel_values["brief"])).toEqual([
    "left",
    "right",
  ]);
  expect(third?.checkpoint.channel_versions["messages"]).toBe("2");
  expect(idsOf(second?.pendingWrites?.[0]?.[2])).toEqual(["b"]);

  const next = { ...third?.checkpoint, id: "4" } as NonNullable<typeof third>["checkpoint"];
  const messages = [
    ...(next.channel_values["messages"] as BaseMessage[]),
    new HumanMessage({ id: "c", content: "c" }),
  ];
  await saver.put(
    third?.config ?? {},
    { ...next, channel_values: { ...next.channel_values, messages } },
    { source: "loop", step: 2, parents: {} },
    { messages: 3 },
  );
  expect(idsOf((await at("4"))?.checkpoint.channel_values["messages"])).toEqual(["a", "b", "c"]);
  await saver.close();
});
