/** How checkpoints of ours lie in a database: what is stored once, what is cut, and what an outdated memory may not spoil. */
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunFence } from "../persistence/checkpoint/checkpoint-rows.js";
import { FencedCheckpointSaver } from "../persistence/checkpoint/fenced-checkpoint-saver.js";
import { InterningCheckpointSaver } from "../persistence/checkpoint/interning-checkpoint-saver.js";
import { hashToText, sha256 } from "../persistence/checkpoint/part.js";
import { sqlCheckpointDatabase } from "../persistence/checkpoint/sql-checkpoint-rows.js";
import type { SqlDatabase } from "../persistence/sql/contract.js";
import { seededRandom } from "./path-spellings.js";

const metadata = { source: "loop", step: 0, parents: {} } as const;
const MEBIBYTE = 1024 * 1024;

const idOf = (step: number): string => String(step).padStart(6, "0");

/** Bytes that no compression makes smaller. */
function noise(seed: number, length: number): Buffer {
  const random = seededRandom(seed);
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = Math.floor(random() * 256);
  return bytes;
}

const imageMessage = (id: string, base64: string): BaseMessage =>
  new HumanMessage({
    id,
    content: [
      { type: "text", text: `look at ${id}` },
      { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
    ],
  });

/** @param open - a new, empty database of the newest schema, for each test */
export function checkpointStorageSuite(name: string, open: () => Promise<SqlDatabase>): void {
  describe(`${name} stores checkpoints sparingly`, () => {
    let database: SqlDatabase;
    let saver: InterningCheckpointSaver;
    const reopened = () => new InterningCheckpointSaver(sqlCheckpointDatabase(database), { scope: "local" });
    const all = (sql: string) => database.read((session) => session.all(sql));
    const count = async (table: string) =>
      Number((await all(`SELECT count(*) AS n FROM ${table}`))[0]?.["n"]);
    const bytesIn = async (table: string) =>
      Number((await all(`SELECT coalesce(sum(octet_length(data)), 0) AS n FROM ${table}`))[0]?.["n"]);

    beforeEach(async () => {
      database = await open();
      saver = reopened();
    });
    afterEach(async () => {
      await saver.settled();
      await database.close();
    });

    /** Puts one checkpoint with these values, all of them new, after the one of the step before. */
    async function put(step: number, values: Record<string, unknown>, by = saver): Promise<void> {
      const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, step]));
      const parent = step > 1 ? { checkpoint_id: idOf(step - 1) } : {};
      await by.put(
        { configurable: { thread_id: "t", checkpoint_ns: "", ...parent } },
        {
          v: 4,
          id: idOf(step),
          ts: "2026-01-01T00:00:00.000Z",
          channel_values: values,
          channel_versions: versions,
          versions_seen: {},
        },
        metadata,
        versions,
      );
    }
    const read = (step?: number): Promise<CheckpointTuple | undefined> =>
      reopened().getTuple({
        configurable: { thread_id: "t", ...(step === undefined ? {} : { checkpoint_id: idOf(step) }) },
      });
    const valueOf = async (channel: string, step?: number) =>
      (await read(step))?.checkpoint.channel_values[channel];

    it("stores an image once, decoded, however many messages and checkpoints show it", async () => {
      const image = noise(1, MEBIBYTE).toString("base64");
      const messages: BaseMessage[] = [];
      for (let step = 1; step <= 5; step += 1) {
        messages.push(imageMessage(`m${step}`, image));
        await put(step, { messages: [...messages] });
      }
      expect(await count("checkpoint_parts")).toBe(1);
      expect(await bytesIn("checkpoint_parts")).toBeLessThan(1.01 * MEBIBYTE);
      expect(await bytesIn("checkpoint_messages")).toBeLessThan(5_000);
      const stored = (await valueOf("messages")) as BaseMessage[];
      expect(stored.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
    });

    it("gives media by the hash of its base64 text, of its own thread only", async () => {
      const image = noise(2, 5 * MEBIBYTE).toString("base64");
      await put(1, { messages: [imageMessage("m", image)] });
      const hash = hashToText(sha256(image));
      const found = await reopened().findMedia("t", hash);
      expect(found).toMatchObject({ mediaType: "image/png" });
      expect(found?.base64 === image).toBe(true);
      expect(await reopened().findMedia("other", hash)).toBeUndefined();
      expect(await reopened().findMedia("t", "0".repeat(64))).toBeUndefined();
      expect(await reopened().findMedia("t", "' OR 1=1 --")).toBeUndefined();
    });

    it("stores a message of 10 MB and a value of 20 MB", async () => {
      const long = noise(3, 7.5 * MEBIBYTE)
        .toString("base64")
        .replaceAll("+", " ");
      const large = {
        text: noise(4, 15 * MEBIBYTE)
          .toString("base64")
          .replaceAll("+", " "),
      };
      await put(1, { messages: [new HumanMessage({ id: "m", content: long })], large });
      const [message] = (await valueOf("messages")) as BaseMessage[];
      expect(message?.content === long).toBe(true);
      expect(((await valueOf("large")) as typeof large).text === large.text).toBe(true);
    });

    it("stores of a large record only the entries that changed, with a whole one every 50 changes", async () => {
      const files: Record<string, { content: string }> = {};
      for (let file = 0; file < 100; file += 1) {
        files[`/f${file}.txt`] = { content: noise(file, 600).toString("base64") };
      }
      for (let step = 1; step <= 120; step += 1) {
        files[`/f${step % 100}.txt`] = { content: `${step} ${noise(step + 500, 600).toString("base64")}` };
        if (step % 10 === 0) delete files[`/f${(step * 7) % 100}.txt`];
        await put(step, { files: { ...files } });
        if (step === 60) expect(await valueOf("files", 60)).toEqual(files);
      }
      expect(await valueOf("files")).toEqual(files);
      const rows = await all("SELECT bases FROM checkpoint_values ORDER BY number");
      const chains = rows.map(({ bases }) => (bases === "" ? 0 : 1));
      expect(chains.filter((isDelta) => isDelta === 0)).toHaveLength(3);
      expect(await bytesIn("checkpoint_values")).toBeLessThan(3 * 100 * 900 + 120 * 2_000);
    });

    it("goes on with changes only after a restart", async () => {
      const files = Object.fromEntries(
        Array.from({ length: 50 }, (_, file) => [`/f${file}`, noise(file, 300).toString("base64")]),
      );
      await put(1, { files });
      const later = reopened();
      await later.getTuple({ configurable: { thread_id: "t" } });
      await put(2, { files: { ...files, "/new": "x" } }, later);
      expect((await all("SELECT bases FROM checkpoint_values ORDER BY number"))[1]?.["bases"]).toBe("[1,1]");
      expect(await valueOf("files")).toEqual({ ...files, "/new": "x" });
    });

    it("keeps rows short where a conversation has lost every second message", async () => {
      const messages = Array.from(
        { length: 2_000 },
        (_, index) => new HumanMessage({ id: `m${index}`, content: "x" }),
      );
      await put(1, { messages });
      const odd = messages.filter((_, index) => index % 2 === 1);
      await put(2, { messages: odd });
      await put(3, { messages: [...odd, new HumanMessage({ id: "new", content: "x" })] });
      const sizes = (await all("SELECT octet_length(refs) AS n FROM checkpoint_values ORDER BY number")).map(
        (row) => Number(row["n"]),
      );
      expect(Math.max(...sizes)).toBeLessThan(1_500);
      expect(await count("checkpoint_parts")).toBe(Math.floor(1_000 / 64));
      const ids = ((await valueOf("messages")) as BaseMessage[]).map(({ id }) => id);
      expect(ids).toEqual([...odd.map(({ id }) => id), "new"]);
    });

    it("stores short values in the checkpoint itself", async () => {
      await put(1, { a: null, b: 7, c: "short", d: [true], messages: [] });
      expect(await count("checkpoint_values")).toBe(0);
      expect((await read())?.checkpoint.channel_values).toEqual({
        a: null,
        b: 7,
        c: "short",
        d: [true],
        messages: [],
      });
    });

    it("keeps text with emoji, zero bytes and odd keys, and bytes, as they were", async () => {
      const value = {
        "🦌\u0000": "\ud83e\udd8c é \u0000 \u2028",
        __proto__x: [1n.toString()],
        nested: { "": null },
      };
      const bytes = new Uint8Array([0, 255, 10, 13]);
      const message = new AIMessage({ id: "🦌", content: "\u0000\ud83d\ude80", tool_calls: [] });
      await put(1, { value, bytes, messages: [message] });
      const stored = (await read())?.checkpoint.channel_values ?? {};
      expect(stored["value"]).toEqual(value);
      expect(new Uint8Array(stored["bytes"] as Uint8Array)).toEqual(bytes);
      expect((stored["messages"] as BaseMessage[])[0]).toMatchObject({
        id: "🦌",
        content: "\u0000\ud83d\ude80",
      });
    });

    it("stores a message again that another program has removed meanwhile", async () => {
      const message = new HumanMessage({ id: "m", content: "x" });
      await put(1, { messages: [message] });
      await sqlCheckpointDatabase(database).write(async (rows) => {
        const [thread] = await rows.lockThreads("local", ["t"]);
        if (thread === undefined) throw new Error("the thread is missing");
        await rows.removeCheckpoints(thread.key, [{ ns: "", id: idOf(1) }]);
        await rows.removeNumbered("values", thread.key, [1, thread.nextValue]);
        await rows.removeNumbered("messages", thread.key, [1, thread.nextMessage]);
        await rows.setCounters(thread.key, { ...thread, generation: thread.generation + 1 });
      });
      await put(2, { messages: [message] });
      expect(((await valueOf("messages")) as BaseMessage[]).map(({ id }) => id)).toEqual(["m"]);
    });

    it("keeps values that a run did not change when the checkpoint it builds on was pruned", async () => {
      await put(1, {
        messages: [new HumanMessage({ id: "m", content: "x" })],
        brief: { text: "kept for ever" },
      });
      await sqlCheckpointDatabase(database).write(async (rows) => {
        const [thread] = await rows.lockThreads("local", ["t"]);
        if (thread === undefined) throw new Error("the thread is missing");
        await rows.removeCheckpoints(thread.key, [{ ns: "", id: idOf(1) }]);
        await rows.removeNumbered("values", thread.key, [1, thread.nextValue]);
        await rows.setCounters(thread.key, { ...thread, generation: thread.generation + 1 });
      });
      const values = { brief: { text: "kept for ever" }, step: "a long enough value" };
      await saver.put(
        { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: idOf(1) } },
        {
          v: 4,
          id: idOf(2),
          ts: "",
          channel_values: values,
          channel_versions: { brief: 1, step: 2 },
          versions_seen: {},
        },
        metadata,
        { step: 2 },
      );
      expect((await read())?.checkpoint.channel_values).toEqual(values);
    });

    it("writes in the order of the calls, also when an earlier one takes longer to prepare", async () => {
      const first = put(1, {
        messages: [
          new HumanMessage({ id: "m", content: noise(9, MEBIBYTE).toString("base64").replaceAll("+", " ") }),
        ],
        brief: { text: "a brief that takes a row" },
      });
      const second = saver.put(
        { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: idOf(1) } },
        {
          v: 4,
          id: idOf(2),
          ts: "",
          channel_values: {},
          channel_versions: { messages: 1, brief: 1 },
          versions_seen: {},
        },
        metadata,
        {},
      );
      await Promise.all([first, second]);
      expect(await valueOf("brief", 2)).toEqual({ text: "a brief that takes a row" });
      expect((await valueOf("messages", 2)) as BaseMessage[]).toHaveLength(1);
    });

    it("copies the value of the right branch when two branches gave it one version", async () => {
      await put(1, { brief: { text: "the first brief of all" } });
      const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: idOf(1) } };
      const branch = (id: string, brief: string, newVersions: Record<string, number>) =>
        saver.put(
          config,
          {
            v: 4,
            id,
            ts: "",
            channel_values: { brief: { text: brief } },
            channel_versions: { brief: 2 },
            versions_seen: {},
          },
          metadata,
          newVersions,
        );
      await branch(idOf(2), "the brief of the left branch", { brief: 2 });
      await branch(idOf(3), "the brief of the right branch", { brief: 2 });
      await branch(idOf(4), "the brief of the left branch", {});
      expect(await valueOf("brief", 4)).toEqual({ text: "the brief of the left branch" });
    });

    it("refuses the writes of a run that was taken over, and of no other in the same commit", async () => {
      const fence = (runId: string, epoch: number): RunFence => ({ threadId: "t", runId, epoch });
      const addRun = (runId: string, threadId: string) =>
        database.write((session) =>
          session.run(
            `INSERT INTO runs (tenant_id, thread_id, run_id, user_id, position, assistant_id, status, multitask_strategy,
              on_disconnect, request, metadata, owner, epoch, created_at, updated_at)
              VALUES ('local', ?, ?, 'u', 1, 'a', 'running', 'enqueue', 'continue', '{}', '{}', 'me', 2, 0, 0)`,
            [threadId, runId],
          ),
        );
      await addRun("r", "t");
      await put(1, { a: "the first value" });
      const write = (by: { putWrites: typeof saver.putWrites }, task: string) =>
        by.putWrites(
          { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: idOf(1) } },
          [["c", task]],
          task,
        );
      const late = new FencedCheckpointSaver(saver, fence("r", 1));
      const current = new FencedCheckpointSaver(saver, fence("r", 2));
      const unknown = new FencedCheckpointSaver(saver, fence("nobody", 1));
      const results = await Promise.allSettled([
        write(late, "late"),
        write(current, "current"),
        write(unknown, "unknown"),
        write(saver, "free"),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
      expect(results[0]).toMatchObject({ reason: { code: "run_superseded" } });
      expect((await read())?.pendingWrites?.map(([task]) => task).sort()).toEqual(["current", "free"]);
    });

    it("lets two savers write to one thread at once, and loses nothing", async () => {
      const other = reopened();
      await put(1, { a: "the first value" });
      const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: idOf(1) } };
      const message = (task: number) => new HumanMessage({ id: `m${task}`, content: `text ${task}` });
      await Promise.all(
        Array.from({ length: 100 }, (_, task) =>
          (task % 2 === 0 ? saver : other).putWrites(
            config,
            [["messages", [message(task), message(0)]]],
            `task${task}`,
          ),
        ),
      );
      expect(await count("checkpoint_messages")).toBe(100);
      const writes = (await read())?.pendingWrites ?? [];
      expect(writes).toHaveLength(100);
      for (const [task, , value] of writes) {
        expect((value as BaseMessage[]).map(({ id }) => id)).toEqual([`m${task.slice(4)}`, "m0"]);
      }
    });
  });
}
