import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { isByteReadable, isHostSearchable } from "./capabilities.js";
import type { FileBackend } from "./contract.js";
import { FilesystemBackend } from "./filesystem-backend.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const ROUNDS = 800;
/** What a slow or busy machine may need until it has met both states of the door. */
const MOST_ROUNDS = 20 * ROUNDS;

/**
 * Swaps a folder and a link to the outside, as fast as a process can. A write in between may have made the folder anew:
 * that one goes, for the swapping must not end.
 */
const SWAP = `
  const { renameSync, rmSync } = require("node:fs");
  const place = (from) => {
    for (;;) {
      try {
        return renameSync(from, "door");
      } catch {
        try { rmSync("door", { recursive: true, force: true }); } catch { /* The write goes on in it. */ }
      }
    }
  };
  for (;;) {
    renameSync("door", "folder-aside"); place("link-aside");
    renameSync("door", "link-aside"); place("folder-aside");
  }`;

const nameIn = ({ path }: { path: string }) => path.replace(/^.*\//, "");
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

/** What came to light: contents, names, and codes of refusals. */
class Sightings {
  readonly seen = new Set<string>();
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
  }

  async note(look: () => Promise<string>): Promise<void> {
    this.seen.add(
      await look().catch((error: unknown) => {
        if (!DeerflowError.is(error)) throw error;
        expect(error.sentence).not.toContain(this.#host);
        return error.code;
      }),
    );
  }
}

/** Every verb again and again, on a folder that is a link now and then, until `expected` has been met. */
async function tryAll(
  files: FileBackend,
  door: string,
  { host, expected }: { host: string; expected: readonly string[] },
): Promise<ReadonlySet<string>> {
  const sightings = new Sightings(host);
  const isMet = () => expected.every((each) => sightings.seen.has(each));
  const pieces = async () => {
    const parts: Uint8Array[] = [];
    if (!isByteReadable(files)) return "";
    for await (const piece of (await files.openBytes(`${door}/file`)) ?? []) parts.push(piece);
    return Buffer.concat(parts).toString();
  };
  const searched = async () => {
    const folders = isHostSearchable(files) ? await files.openFolders(door) : [];
    const texts = (folders ?? []).map(async (folder) => {
      const text = await readFile(join(folder.workingDirectory, "file"), "utf8").catch(() => "");
      await folder.close();
      return text;
    });
    return (await Promise.all(texts)).join();
  };
  for (let round = 0; round < ROUNDS || (!isMet() && round < MOST_ROUNDS); round += 1) {
    await sightings.note(async () => textOf((await files.read(`${door}/file`))?.bytes));
    if (round % 2 === 0) await sightings.note(async () => (await files.list(door)).map(nameIn).join());
    if (round % 4 === 0) await sightings.note(pieces);
    if (round % 4 === 2) await sightings.note(searched);
    if (round % 20 > 0) continue;
    await sightings.note(() => files.write(`${door}/file`, Buffer.from("inside")).then(() => "written"));
    await sightings.note(async () => String(await files.remove(`${door}/other-only`)));
  }
  return sightings.seen;
}

describe.runIf(process.platform === "linux")("a disk beside a hostile process", () => {
  let host: string;
  let inside: string;
  let swapper: ChildProcess;
  let complaint = "";
  /** Puts a folder that is not to be seen at `other`, and a link to it that comes and goes in place of the door. */
  const swapWith = async (other: string) => {
    await mkdir(other);
    await writeFile(join(other, "file"), "other");
    await writeFile(join(other, "other-only"), "other");
    await symlink(other, join(inside, "link-aside"));
    swapper = spawn(process.execPath, ["-e", SWAP], {
      cwd: inside,
      stdio: ["ignore", "ignore", "pipe"],
    });
    complaint = "";
    swapper.stderr?.on("data", (text) => (complaint += text));
  };
  const expectUntouched = async (seen: ReadonlySet<string>, other: string) => {
    expect([...seen].join()).not.toContain("other");
    expect([...seen]).toEqual(expect.arrayContaining(["inside", "written"]));
    expect(await readFile(join(other, "other-only"), "utf8")).toBe("other");
    expect(await readFile(join(other, "file"), "utf8")).toBe("other");
  };

  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-race-"));
    inside = join(host, "mount");
    await mkdir(join(inside, "door"), { recursive: true });
    await writeFile(join(inside, "door/file"), "inside");
  });
  afterEach(async () => {
    expect(swapper.exitCode, `the swapping has ended early: ${complaint}`).toBeNull();
    swapper.kill("SIGKILL");
    await rm(host, { recursive: true, force: true });
  });

  it("never reads, writes, lists, searches or removes outside its mounts", async () => {
    await swapWith(join(host, "outside"));
    const mounts = [{ virtualPath: "/w", hostPath: inside, mode: "read-write" as const }];
    const seen = await tryAll(new MountedDiskBackend({ mounts }), "/w/door", {
      host,
      expected: ["path_denied", "inside", "written"],
    });
    expect(seen).toContain("path_denied");
    await expectUntouched(seen, join(host, "outside"));
  });

  it("never does so outside its root", async () => {
    await swapWith(join(host, "outside"));
    const seen = await tryAll(new FilesystemBackend({ rootDir: inside }), "/door", {
      host,
      expected: ["path_denied", "inside", "written"],
    });
    expect(seen).toContain("path_denied");
    await expectUntouched(seen, join(host, "outside"));
  });

  it("never opens anything but what was judged", async () => {
    await swapWith(join(inside, "forbidden"));
    const files = new FilesystemBackend({ rootDir: inside }).judgedBy((operation, path) => {
      if (path.startsWith("/forbidden"))
        throw new DeerflowError("path_forbidden", { path: "", done: operation });
    });
    const seen = await tryAll(files, "/door", { host, expected: ["path_forbidden", "inside", "written"] });
    expect(seen).toContain("path_forbidden");
    await expectUntouched(seen, join(inside, "forbidden"));
  });
});
