import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const PIECE = 64 * 1024;

describe("a file opened for its bytes", () => {
  let host: string;
  let files: MountedDiskBackend;
  const openHere = () =>
    readdirSync("/proc/self/fd").filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(host);
      } catch {
        return false; // the one that lists
      }
    });
  const sizes = async (path: string) => {
    const found: number[] = [];
    for await (const piece of (await files.openBytes(path)) ?? []) found.push(piece.length);
    return found;
  };

  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-pieces-"));
    files = new MountedDiskBackend({
      mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }],
      maxReadBytes: 10,
    });
  });
  afterEach(() => rm(host, { recursive: true, force: true }));

  it("comes in order, in pieces of 64 KiB, whatever the limit for reading at once", async () => {
    const content = Buffer.alloc(2.5 * PIECE, "every piece is another one; ");
    await writeFile(join(host, "f"), content);
    expect(await sizes("/w/f")).toEqual([PIECE, PIECE, PIECE / 2]);
    const hash = createHash("sha256");
    for await (const piece of (await files.openBytes("/w/f")) ?? []) hash.update(piece);
    expect(hash.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
  });

  it("is nothing for what is missing or a folder, and no pieces for an empty file", async () => {
    await mkdir(join(host, "d"));
    await writeFile(join(host, "empty"), "");
    expect(await files.openBytes("/w/missing")).toBeUndefined();
    expect(await files.openBytes("/w/d")).toBeUndefined();
    expect(await files.openBytes("/w")).toBeUndefined();
    expect(await sizes("/w/empty")).toEqual([]);
  });

  it("is refused for a pipe and for a link to the outside", async () => {
    execFileSync("mkfifo", [join(host, "pipe")]);
    await symlink("/etc/passwd", join(host, "link"));
    await expect(files.openBytes("/w/pipe")).rejects.toMatchObject({ code: "path_denied" });
    await expect(files.openBytes("/w/link")).rejects.toMatchObject({ code: "path_denied" });
  });

  it.runIf(process.platform === "linux")("is closed at its end and when its reader stops early", async () => {
    await writeFile(join(host, "f"), Buffer.alloc(3 * PIECE));
    await sizes("/w/f");
    expect(openHere()).toEqual([]);
    for await (const piece of (await files.openBytes("/w/f")) ?? []) {
      expect(openHere()).toHaveLength(1);
      expect(piece.length).toBe(PIECE);
      break;
    }
    expect(openHere()).toEqual([]);
    await (await files.openBytes("/w/f"))?.return();
    await expect(files.read("/w/f")).rejects.toMatchObject({ code: "file_too_large" });
    expect(openHere()).toEqual([]);
  });

  it("is compared by version at any size", async () => {
    await writeFile(join(host, "f"), "");
    await truncate(join(host, "f"), 3 * PIECE);
    const version = createHash("sha256")
      .update(Buffer.alloc(3 * PIECE))
      .digest("hex");
    await expect(files.write("/w/f", Buffer.from("x"), { expectedVersion: null })).rejects.toMatchObject({
      code: "file_changed",
    });
    await files.write("/w/f", Buffer.from("x"), { expectedVersion: version });
    expect(Buffer.from((await files.read("/w/f"))?.bytes ?? []).toString()).toBe("x");
  });
});
