import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { threadDirectories } from "../../context/home-paths.js";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { threadFiles } from "../../agent/lead-agent.js";
import { openPersistence } from "../../persistence/open-persistence.js";
import type { Persistence } from "../../persistence/contract.js";
import { StorageQuota } from "./storage-quota.js";

let home: string;
let persistence: Persistence;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "deerflow-quota-"));
  persistence = await openPersistence({ backend: "memory" });
});
afterEach(async () => {
  await persistence.close();
  rmSync(home, { recursive: true });
});

const quota = (threadBytes: number) =>
  new StorageQuota({
    persistence,
    limits: () => ({ threadBytes, userBytes: 0 }),
    files: async (principal, threadId) => threadFiles(threadDirectories(home, principal, threadId)),
  });

describe("the quota of a thread that has no row yet", () => {
  it("counts the files that lie there already", async () => {
    const { uploads } = threadDirectories(home, LOCAL_PRINCIPAL, "t1");
    mkdirSync(uploads, { recursive: true });
    writeFileSync(join(uploads, "a.bin"), Buffer.alloc(300));
    await expect(quota(400).requireRoom(LOCAL_PRINCIPAL, "t1", 200)).rejects.toMatchObject({
      code: "quota_exceeded",
      details: { used: 300, bytes: 500 },
    });
    await quota(500).requireRoom(LOCAL_PRINCIPAL, "t1", 200);
  });

  it("does not count the checkpoints of somebody else's thread", async () => {
    const other = { ...LOCAL_PRINCIPAL, userId: "somebody-else" };
    await persistence.threads.create(other, { threadId: "t1" });
    const saver = persistence.checkpointer(other);
    Object.assign(saver, { threadBytes: async () => 1_000_000 });
    const lookedAt = { threads: persistence.threads, checkpointer: () => saver };
    const limited = new StorageQuota({
      persistence: lookedAt,
      limits: () => ({ threadBytes: 400, userBytes: 0 }),
      files: async (principal, threadId) => threadFiles(threadDirectories(home, principal, threadId)),
    });
    await limited.requireRoom(LOCAL_PRINCIPAL, "t1", 400);
    await expect(limited.requireRoom(other, "t1", 1)).rejects.toMatchObject({ code: "quota_exceeded" });
  });
});
