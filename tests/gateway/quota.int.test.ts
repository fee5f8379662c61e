/** What threads and users may keep, over a real socket and a real disk. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOCAL_PRINCIPAL, StorageQuota } from "@deerflow/harness";
import type { ErrorBody, ThreadUsage, UploadList } from "@deerflow/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { madeTarGz } from "../../packages/harness/src/testing/made-archives.js";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

let gateway: ScriptedGateway;
afterEach(() => gateway.close());

const start = async (threadBytes: number, userBytes = 0) => {
  gateway = await startScriptedGateway({}, undefined, () => ({ threadBytes, userBytes }));
};

const at = (thread: string, path: string) => `${gateway.url}/api/threads/${thread}${path}`;
async function upload(thread: string, files: Readonly<Record<string, number | Buffer>>, extract = false) {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === "number" ? Buffer.alloc(content, 1) : content;
    form.append("files", new Blob([new Uint8Array(bytes)]), name);
  }
  if (extract) form.append("extract", "true");
  const answer = await fetch(at(thread, "/uploads"), { method: "POST", body: form });
  return { status: answer.status, body: (await answer.json()) as ErrorBody };
}
const remove = (thread: string, name: string) => fetch(at(thread, `/uploads/${name}`), { method: "DELETE" });
const usage = async (thread: string) => (await (await fetch(at(thread, "/usage"))).json()) as ThreadUsage;
const listed = async (thread: string) => {
  const answer = await fetch(at(thread, "/uploads/list"));
  return answer.status === 404
    ? "no thread"
    : ((await answer.json()) as UploadList).files.map((file) => file.filename);
};
const run = (thread: string, text: string) =>
  fetch(at(thread, "/runs/wait"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      assistant_id: "lead_agent",
      input: { messages: [{ role: "user", content: text }] },
    }),
  });

describe("the quota of a thread", () => {
  it("refuses an upload with the numbers, keeps nothing of it, and makes no thread for it", async () => {
    await start(1000);
    expect(await upload("t1", { "a.bin": 600, "b.bin": 500 })).toEqual({
      status: 413,
      body: {
        code: "quota_exceeded",
        detail:
          "Thread t1 would hold 1100 bytes with this (0 are held now); 1000 are allowed. Delete files or threads that are not needed, or raise quota.thread_bytes.",
        quota: { scope: "thread", used: 0, would_be: 1100, limit: 1000 },
      },
    });
    expect(await listed("t1")).toBe("no thread");
    expect((await upload("t1", { "a.bin": 600 })).status).toBe(200);
    const second = await upload("t1", { "b.bin": 500 });
    expect(second.body.quota).toEqual({ scope: "thread", used: 600, would_be: 1100, limit: 1000 });
    expect(await listed("t1")).toEqual(["a.bin"]);
    expect((await upload("t1", { "b.bin": 400 })).status).toBe(200);
  });

  it("has room again as soon as a file is removed", async () => {
    await start(1000);
    await upload("t1", { "a.bin": 900 });
    expect((await upload("t1", { "b.bin": 900 })).status).toBe(413);
    await remove("t1", "a.bin");
    expect((await upload("t1", { "b.bin": 900 })).status).toBe(200);
  });

  it("counts what an archive unpacks to, and keeps nothing of an upload that comes to too much", async () => {
    await start(1000);
    await upload("t1", { "kept.bin": 100 });
    const archive = madeTarGz([{ name: "zeros", content: Buffer.alloc(901) }]);
    const refused = await upload("t1", { "first.bin": 1, "heavy.tgz": archive }, true);
    expect(refused.body.quota).toEqual({ scope: "thread", used: 100, would_be: 1002, limit: 1000 });
    expect(await listed("t1")).toEqual(["kept.bin"]);
    expect((await usage("t1")).thread.total).toBe(100);
    const light = madeTarGz([{ name: "zeros", content: Buffer.alloc(900) }]);
    expect((await upload("t1", { "heavy.tgz": light }, true)).status).toBe(200);
  });

  it("is never passed by uploads side by side", async () => {
    await start(1000);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => upload("t1", { [`${number}.bin`]: 300 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect((await usage("t1")).thread.total).toBe(900);
  });

  it("refuses a run before it exists, and counts what was said", async () => {
    await start(20_000);
    expect((await run("t1", "hello")).status).toBe(200);
    const { thread } = await usage("t1");
    expect(thread.checkpoints).toBeGreaterThan(100);
    expect(thread).toMatchObject({ uploads: 0, total: thread.checkpoints, complete: true, limit: 20_000 });
    await upload("t1", { "a.bin": 20_000 - thread.checkpoints });
    const refused = await run("t1", "again");
    expect([refused.status, ((await refused.json()) as ErrorBody).quota]).toEqual([
      413,
      { scope: "thread", used: 20_000, would_be: expect.any(Number), limit: 20_000 },
    ]);
    expect(await (await fetch(at("t1", "/runs"))).json()).toHaveLength(1);
    const large = await run("fresh", "x".repeat(21_000));
    expect(large.status).toBe(413);
    expect((await fetch(at("fresh", ""))).status).toBe(404);
  });

  it("counts every folder of the thread, and no link", async () => {
    await start(5000);
    await upload("t1", { "a.bin": 10 });
    const disk = join(gateway.disk, "t1");
    const outside = join(gateway.disk, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "large"), Buffer.alloc(9000));
    for (const [folder, size] of [
      ["outputs", 20],
      ["workspace", 40],
    ] as const) {
      await mkdir(join(disk, folder, "deep"), { recursive: true });
      await writeFile(join(disk, folder, "deep", "file"), Buffer.alloc(size));
      await symlink(join(outside, "large"), join(disk, folder, "link"));
      await symlink(outside, join(disk, folder, "deep", "folder"));
    }
    expect((await usage("t1")).thread).toEqual({
      uploads: 10,
      outputs: 20,
      workspace: 40,
      checkpoints: 0,
      total: 70,
      complete: true,
      limit: 5000,
    });
  });
});

describe("the quota of a user", () => {
  it("holds over all threads, with the numbers, and is freed by any of them", async () => {
    await start(0, 1000);
    await upload("t1", { "a.bin": 400 });
    await upload("t2", { "a.bin": 400 });
    const refused = await upload("t3", { "a.bin": 400 });
    expect(refused.status).toBe(413);
    expect(refused.body.detail).toContain("Your threads together would hold 1200 bytes");
    expect(refused.body.quota).toEqual({ scope: "user", used: 800, would_be: 1200, limit: 1000 });
    expect(await usage("t1")).toMatchObject({ thread: { limit: null }, user: { total: 800, limit: 1000 } });
    await remove("t1", "a.bin");
    expect((await upload("t3", { "a.bin": 400 })).status).toBe(200);
    expect((await upload("t1", { "b.bin": 400 })).status).toBe(413);
    await fetch(at("t2", ""), { method: "DELETE" });
    expect((await upload("t1", { "b.bin": 400 })).status).toBe(200);
  });

  it("is never passed by uploads to several threads side by side", async () => {
    await start(0, 1000);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, number) => upload(`t${number}`, { "a.bin": 300 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  });

  it("sees what another thread's run has added", async () => {
    await start(0, 30_000);
    await upload("t1", { "a.bin": 10 });
    const before = (await usage("t1")).user?.total ?? 0;
    await run("t2", "hello there");
    expect((await usage("t1")).user?.total).toBeGreaterThan(before + 100);
  });
});

describe("without a quota", () => {
  it("nothing is refused, and what is kept is told all the same", async () => {
    await start(0);
    expect((await upload("t1", { "a.bin": 5000 })).status).toBe(200);
    expect(await usage("t1")).toMatchObject({ thread: { uploads: 5000, limit: null }, user: null });
    expect((await fetch(at("unknown", "/usage"))).status).toBe(404);
  });

  it("a count ends where there are more files than are looked at, and says so", async () => {
    await start(0);
    await upload("t1", { "a.bin": 1, "b.bin": 1, "c.bin": 1 });
    const { threads, files } = gateway.deps;
    const persistence = {
      threads: threads as never, // not asked for what one thread keeps
      checkpointer: () => ({}) as never, // a foreign checkpointer, which does not count
    };
    const bounds = { maxEntries: 2, maxMilliseconds: 60_000 };
    const limits = () => ({ threadBytes: 0, userBytes: 0 });
    const quota = new StorageQuota({ persistence, files, limits, bounds });
    expect(await quota.usage(LOCAL_PRINCIPAL, "t1")).toMatchObject({ uploads: 2, total: 2, isWhole: false });
  });
});
