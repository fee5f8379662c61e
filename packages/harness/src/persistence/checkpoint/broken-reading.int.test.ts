import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";
import { InterningCheckpointSaver } from "./interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "./sql-checkpoint-rows.js";

/** A database whose connection breaks right before the statement `at` of a reading, which is then run again. */
function breaking(database: SqlDatabase, at: number): SqlDatabase {
  const read: SqlDatabase["read"] = async (work) => {
    let left = at;
    const broken = (session: SqlSession): SqlSession => ({
      ...session,
      all: (sql, parameters) => {
        left -= 1;
        return left < 0 ? Promise.reject(new Error("the connection broke")) : session.all(sql, parameters);
      },
    });
    const first = await database
      .read((session) => work(broken(session)))
      .then(
        (result) => ({ result }),
        () => undefined,
      );
    return first === undefined ? database.read(work) : first.result;
  };
  return { ...database, read };
}

it("reads a message with media, whichever statement of the reading has to be run again", async () => {
  const database = await openDatabase({ backend: "memory" });
  const saverOn = (one: SqlDatabase) =>
    new InterningCheckpointSaver(sqlCheckpointDatabase(one), { scope: "local" });
  const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
  const url = `data:image/png;base64,${Buffer.alloc(50_000, "picture").toString("base64")}`;
  const picture = new HumanMessage({ id: "1", content: [{ type: "image_url", image_url: { url } }] });
  const checkpoint = {
    ...emptyCheckpoint(),
    channel_values: { messages: [picture] },
    channel_versions: { messages: 1 },
  };
  await saverOn(database).put(config, checkpoint, { source: "loop", step: 0, parents: {} }, { messages: 1 });
  for (let at = 0; at < 12; at += 1) {
    const saver = saverOn(breaking(database, at));
    const tuples = [await saver.getTuple(config)];
    for await (const tuple of saver.list(config)) tuples.push(tuple);
    const expected = {
      checkpoint: { channel_values: { messages: [{ id: "1", content: picture.content }] } },
    };
    expect(tuples).toMatchObject([expected, expected]);
  }
  await database.close();
});
