import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, expect, it } from "vitest";
import { InterningCheckpointSaver } from "../checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import { verifyThread } from "../upkeep/verify-thread.js";
import { openSqlite } from "./open-sqlite.js";
import type { SqliteConnection } from "./sqlite-connection.js";
import { sqliteDatabase } from "./sqlite-database.js";

let folder: string;
let connection: SqliteConnection | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-sqlite-faults-"));
});
afterEach(async () => {
  await connection?.close();
  connection = undefined;
  rmSync(folder, { recursive: true });
});

const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };

async function openSaver(path: string) {
  const opened = await openSqlite(path);
  connection = opened;
  const saver = new InterningCheckpointSaver(sqlCheckpointDatabase(sqliteDatabase(opened)), {
    scope: "local",
  });
  let step = 0;
  /** Puts one checkpoint with a message of so many characters that do not deflate well. */
  const put = (characters: number) => {
    step += 1;
    const content = Array.from({ length: characters / 8 }, (_, at) =>
      (Math.sin(at * step) * 1e9).toString(36).slice(0, 8),
    ).join("");
    const messages = [new HumanMessage({ id: `m${step}`, content })];
    const id = String(step).padStart(6, "0");
    const checkpoint = {
      ...emptyCheckpoint(),
      id,
      channel_values: { messages },
      channel_versions: { messages: step },
    };
    return saver.put(config, checkpoint, { source: "loop", step, parents: {} }, { messages: step });
  };
  const ids = async () => {
    const found: string[] = [];
    for await (const { checkpoint } of saver.list(config)) found.push(checkpoint.id);
    return found;
  };
  return { opened, saver, put, ids };
}

it("says that the database is full, undoes that write, keeps the others, and goes on when there is room", async () => {
  const { opened, saver, put, ids } = await openSaver(join(folder, "full.db"));
  await put(1_000);
  const [pages] = opened.all("PRAGMA page_count");
  opened.exec(`PRAGMA max_page_count = ${Number(pages?.["page_count"]) + 20}`);
  await expect(put(1_000_000)).rejects.toMatchObject({ code: "database_full" });
  await put(1_000);
  expect(await ids()).toEqual(["000003", "000001"]);
  opened.exec("PRAGMA max_page_count = 1000000");
  await put(1_000_000);
  expect(await ids()).toEqual(["000004", "000003", "000001"]);
  expect(opened.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect((await verifyThread(saver, "t")).findings).toEqual([]);
});

it.skipIf(process.getuid?.() !== 0)("keeps what was acknowledged when the disk itself is full", async () => {
  const disk = join(folder, "disk");
  execFileSync("mkdir", [disk]);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]);
  try {
    const { opened, saver, put, ids } = await openSaver(join(disk, "full.db"));
    const acknowledged: string[] = [];
    const tryPut = (step: number): Promise<unknown> =>
      put(200_000).then(
        () => {
          acknowledged.unshift(String(step).padStart(6, "0"));
          return tryPut(step + 1);
        },
        (error: unknown) => error,
      );
    const failure = await tryPut(1);
    expect(failure).toMatchObject({ code: "database_full" });
    expect(await ids()).toEqual(acknowledged);
    execFileSync("mount", ["-o", "remount,size=32m", disk]);
    await put(200_000);
    expect(await ids()).toHaveLength(acknowledged.length + 1);
    expect((await verifyThread(saver, "t")).findings).toEqual([]);
    expect(opened.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    await opened.close();
    connection = undefined;
  } finally {
    await connection?.close();
    connection = undefined;
    // At once for all who look; the driver closes its files when its statements are collected.
    execFileSync("umount", ["--lazy", disk]);
  }
});

it("says that the database takes no writes, goes on reading, and writes again when it may", async () => {
  const { opened, put, ids } = await openSaver(join(folder, "read-only.db"));
  await put(1_000);
  opened.exec("PRAGMA query_only = ON");
  await expect(put(1_000)).rejects.toMatchObject({ code: "database_read_only" });
  expect(await ids()).toEqual(["000001"]);
  opened.exec("PRAGMA query_only = OFF");
  await put(1_000);
  expect(await ids()).toEqual(["000003", "000001"]);
});
