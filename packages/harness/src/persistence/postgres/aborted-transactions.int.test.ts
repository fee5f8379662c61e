import { HumanMessage } from "@langchain/core/messages";
import { Client } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { testDatabases } from "../../testing/test-databases.js";
import { DatabaseCheckpointSaver } from "../checkpoint/database-checkpoint-saver.js";
import { openDatabase } from "../sql/open-database.js";

const found = (await testDatabases()).filter(({ name }) => name === "PostgreSQL");
const at = (thread: string, id?: string) => ({
  configurable: { thread_id: thread, checkpoint_ns: "", ...(id === undefined ? {} : { checkpoint_id: id }) },
});
const put = (saver: DatabaseCheckpointSaver, thread: string, id: string, values: Record<string, unknown>) => {
  const channel_versions = Object.fromEntries(Object.keys(values).map((key) => [key, 1]));
  const checkpoint = { v: 4, id, ts: "", channel_values: values, channel_versions, versions_seen: {} };
  return saver.put(at(thread), checkpoint, { source: "loop", step: 1, parents: {} }, channel_versions);
};

describe.each(found)("$name", ({ open, drop, name }) => {
  const savers: DatabaseCheckpointSaver[] = [];
  afterAll(async () => {
    for (const saver of savers) await saver.close();
    await drop();
  });
  const start = async () => {
    const location = await open();
    if (location.backend !== "postgres") throw new Error("not PostgreSQL");
    const saverOf = () => {
      const saver = new DatabaseCheckpointSaver(
        { name, open: () => openDatabase(location) },
        { scope: "local" },
      );
      savers.push(saver);
      return saver;
    };
    const saver = saverOf();
    await saver.setup();
    const run = async (sql: string) => {
      const client = new Client({ connectionString: location.url });
      await client.connect();
      await client.query(sql.replaceAll("$schema", String(location.schema)));
      await client.end();
    };
    return { saver, saverOf, run };
  };

  it.each([
    ["40P01", undefined],
    ["53100", "database_full"],
  ])(
    "sees what failed (%s), not what failed because of it",
    async (state, code) => {
      const { saver, run } = await start();
      await run(`CREATE FUNCTION $schema.fails() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        IF random() < 0.3 THEN RAISE EXCEPTION ''x'' USING ERRCODE = ''${state}''; END IF; RETURN NEW; END';
      CREATE TRIGGER fails BEFORE INSERT ON $schema.checkpoint_values FOR EACH ROW EXECUTE FUNCTION $schema.fails()`);
      const codes = new Set<unknown>();
      for (let round = 0; round < 30; round += 1) {
        const puts = ["a", "b", "c"].map((thread) =>
          put(saver, thread, String(round), {
            x: `some value of some length ${round}`,
            m: [new HumanMessage(`q${round}`)],
          }),
        );
        for (const result of await Promise.allSettled(puts))
          if (result.status === "rejected") codes.add((result.reason as { code?: unknown }).code);
      }
      expect([...codes]).toEqual(code === undefined ? [] : [code]);
    },
    120_000,
  );

  it("keeps threads apart while others delete one of them", async () => {
    const { saver, saverOf } = await start();
    const stop = performance.now() + 12_000;
    const deleting = [saverOf(), saverOf()].map(async (other) => {
      for (let round = 0; performance.now() < stop; round += 1) {
        await put(other, "aaa", `9${round}`, { x: 1 }).catch(() => undefined);
        await other.deleteThread("aaa").catch(() => undefined);
      }
    });
    const wrong: unknown[] = [];
    for (let round = 1_000_000; performance.now() < stop; round += 1) {
      const id = String(round);
      await Promise.all(
        ["aaa", "mmm", "zzz"].map((thread) => put(saver, thread, id, { x: `${thread}${id}` })),
      );
      for (const thread of ["mmm", "zzz"]) {
        const x = (await saver.getTuple(at(thread, id)))?.checkpoint.channel_values["x"];
        if (x !== `${thread}${id}`) wrong.push([thread, id, x]);
      }
    }
    await Promise.all(deleting);
    expect(wrong).toEqual([]);
  }, 60_000);
});
