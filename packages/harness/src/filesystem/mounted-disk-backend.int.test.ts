import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

/** Swaps a folder and a link to the outside, as fast as a process can. */
const SWAP = `
  const { renameSync } = require("node:fs");
  for (;;) {
    renameSync("door", "folder-aside"); renameSync("link-aside", "door");
    renameSync("door", "link-aside"); renameSync("folder-aside", "door");
  }`;

const nameIn = ({ path }: { path: string }) => path.replace(/^.*\//, "");

describe.runIf(process.platform === "linux")("MountedDiskBackend beside a hostile process", () => {
  let host: string;
  let swapper: ChildProcess;
  let files: MountedDiskBackend;

  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-race-"));
    const inside = join(host, "mount");
    await mkdir(join(inside, "door"), { recursive: true });
    await mkdir(join(host, "outside"));
    await writeFile(join(inside, "door/file"), "inside");
    await writeFile(join(host, "outside/file"), "outside");
    await writeFile(join(host, "outside/outside-only"), "outside");
    await symlink(join(host, "outside"), join(inside, "link-aside"));
    files = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: inside, mode: "read-write" }] });
    swapper = spawn(process.execPath, ["-e", SWAP], { cwd: inside, stdio: "ignore" });
  });
  afterEach(async () => {
    swapper.kill("SIGKILL");
    await rm(host, { recursive: true, force: true });
  });

  it("never reads, writes, lists or removes outside, however the folder changes under it", async () => {
    const seen = new Set<string>();
    const attempt = async (work: () => Promise<string>) => {
      seen.add(
        await work().catch((error: unknown) => {
          if (!DeerflowError.is(error)) throw error;
          expect(error.sentence).not.toContain(host);
          return error.code;
        }),
      );
    };
    for (let round = 0; round < 800; round += 1) {
      await attempt(async () => Buffer.from((await files.read("/w/door/file"))?.bytes ?? []).toString());
      if (round % 2 === 0) await attempt(async () => (await files.list("/w/door")).map(nameIn).join());
      if (round % 20 > 0) continue;
      await attempt(async () => files.write("/w/door/file", Buffer.from("inside")).then(() => "written"));
      await attempt(async () => String(await files.remove("/w/door/outside-only")));
    }
    expect(seen).not.toContain("outside");
    expect([...seen].join()).not.toContain("outside-only");
    expect(seen).toContain("inside");
    expect(seen).toContain("written");
    expect(await readFile(join(host, "outside/outside-only"), "utf8")).toBe("outside");
    expect(await readFile(join(host, "outside/file"), "utf8")).toBe("outside");
  });
});
