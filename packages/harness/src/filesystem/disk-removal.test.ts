import { chdir, cwd } from "node:process";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeTree } from "./disk-removal.js";
import { HeldDirectory } from "./held-directory.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const ORDINARY = 65_534;

/** Root may remove anything, so that it has to step down for a look at what others may. */
async function asOrdinaryUser(folder: string, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  execFileSync("chown", ["-R", String(ORDINARY), folder]);
  process.seteuid?.(ORDINARY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

const NOT_UTF8 = Buffer.from([0x6e, 0xff, 0xfe]);

describe.runIf(process.platform === "linux")("removing from the disk", () => {
  let host: string;
  let files: MountedDiskBackend;
  const bytesBelow = (...names: (string | Buffer)[]) =>
    Buffer.concat([Buffer.from(host), ...names.flatMap((name) => [Buffer.from("/"), Buffer.from(name)])]);

  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-removal-"));
    files = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }] });
  });
  afterEach(() => rm(host, { recursive: true, force: true }));

  it("takes names along that are not UTF-8, of files and of folders", async () => {
    await mkdir(bytesBelow("folder", NOT_UTF8), { recursive: true });
    writeFileSync(bytesBelow("folder", NOT_UTF8, "inner"), "x");
    writeFileSync(bytesBelow("folder", NOT_UTF8, NOT_UTF8), "x");
    writeFileSync(bytesBelow("folder", "a"), "x");
    writeFileSync(bytesBelow("folder", Buffer.from([0xff])), "x");
    expect(await files.remove("/w/folder")).toBe(true);
    expect(await readdir(host)).toEqual([]);
  });

  it("takes folders that were closed to their owner", async () => {
    for (const path of ["closed/inner", "read-only/inner", "way/closed"])
      await mkdir(join(host, "tree", path), { recursive: true });
    writeFileSync(join(host, "tree/read-only/inner/file"), "x");
    for (const path of ["closed/inner", "closed", "way/closed"]) chmodSync(join(host, "tree", path), 0);
    for (const path of ["read-only/inner", "read-only"]) chmodSync(join(host, "tree", path), 0o500);
    chmodSync(join(host, "tree"), 0o100);
    await asOrdinaryUser(host, async () => {
      const folder = await HeldDirectory.openRoot(host);
      await removeTree(folder, "tree").finally(() => folder.close());
    });
    expect(await readdir(host)).toEqual([]);
  });

  it("takes a deep tree without holding a folder open for each level", async () => {
    const before = cwd();
    chdir(host);
    for (let depth = 0; depth < 200; depth += 1) {
      mkdirSync("d");
      writeFileSync("f", "");
      chdir("d");
    }
    chdir(before);
    const open = () => readdirSync("/proc/self/fd").length;
    const atFirst = open();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, open() - atFirst);
    });
    expect(await files.remove("/w/d")).toBe(true);
    clearInterval(watch);
    expect(await readdir(host)).toEqual(["f"]);
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThan(100);
  });

  it("leaves what a link inside names", async () => {
    await mkdir(join(host, "kept"));
    writeFileSync(join(host, "kept/file"), "kept");
    await mkdir(join(host, "folder"));
    await symlink("../kept", join(host, "folder/link"));
    expect(await files.remove("/w/folder")).toBe(true);
    expect(await readFile(join(host, "kept/file"), "utf8")).toBe("kept");
  });

  it("tells the one that removed from the one that came too late", async () => {
    for (let index = 0; index < 40; index += 1) await files.write(`/w/d/${index % 5}/${index}`, NOT_UTF8);
    const twin = new MountedDiskBackend({
      mounts: [{ virtualPath: "/other", hostPath: host, mode: "read-write" }],
    });
    const removed = await Promise.all([files.remove("/w/d"), twin.remove("/other/d")]);
    expect(removed.toSorted()).toEqual([false, true]);
    expect(await readdir(host)).toEqual([]);
  });
});
