import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PermissionRules } from "../policy/permission-rules.js";
import { guardFiles } from "./guarded-backend.js";
import { isStreamWritable } from "./capabilities.js";
import { CompositeBackend } from "./composite-backend.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import { StateBackend } from "./state-backend.js";

let host: string;
let outside: string;
beforeEach(() => {
  [host = "", outside = ""] = ["a", "b"].map(() => mkdtempSync(join(tmpdir(), "deerflow-writing-")));
});
afterEach(() => {
  for (const folder of [host, outside]) rmSync(folder, { recursive: true, force: true });
});

const disk = (mode: "read-write" | "read-only" = "read-write") =>
  new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode }] });
const code = (code: string) => expect.objectContaining({ code });
const text = Buffer.from("text");

describe("a file that is written to the disk in pieces", () => {
  it("lies beside its place for its owner only, and leaves nothing there", async () => {
    for (const end of ["commit", "abort"] as const) {
      const writing = await disk().openWrite("/w/d/f");
      await writing.write(text);
      const [name = ""] = readdirSync(join(host, "d")).filter((entry) => entry !== "f");
      expect(lstatSync(join(host, "d", name)).mode & 0o777).toBe(0o600);
      await writing[end]();
      expect(readdirSync(join(host, "d"))).toEqual(["f"]);
    }
    expect(statSync(join(host, "d/f")).mode & 0o777).toBe(0o644);
  });

  it("keeps the mode of the file that it replaces", async () => {
    writeFileSync(join(host, "f"), "old", { mode: 0o640 });
    await (await disk().openWrite("/w/f")).commit();
    expect(statSync(join(host, "f")).mode & 0o777).toBe(0o640);
  });

  it("is not begun through a link that leaves the tree, nor where nothing may be written", async () => {
    symlinkSync(outside, join(host, "out"));
    await expect(disk().openWrite("/w/out/f")).rejects.toEqual(code("path_denied"));
    await expect(disk("read-only").openWrite("/w/f")).rejects.toEqual(code("path_denied"));
    await expect(disk().openWrite("/elsewhere/f")).rejects.toEqual(code("path_denied"));
    await expect(disk().openWrite("/w")).rejects.toEqual(code("is_a_directory"));
    expect(readdirSync(outside)).toEqual([]);
  });

  it("stays in the folder that it was begun in, wherever a link in its place leads meanwhile", async () => {
    mkdirSync(join(host, "d"));
    const writing = await disk().openWrite("/w/d/f");
    await writing.write(text);
    renameSync(join(host, "d"), join(host, "moved"));
    symlinkSync(outside, join(host, "d"));
    await writing.commit();
    expect(readdirSync(outside)).toEqual([]);
    expect(readFileSync(join(host, "moved/f"), "utf8")).toBe("text");
  });

  it("does not take the place of a link that was put there meanwhile", async () => {
    const writing = await disk().openWrite("/w/f");
    writeFileSync(join(outside, "secret"), "secret");
    symlinkSync(join(outside, "secret"), join(host, "f"));
    await expect(writing.commit()).rejects.toEqual(code("path_denied"));
    expect(readdirSync(host)).toEqual(["f"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
  });

  it("gives its name to nothing else that was put in the place of its temporary file", async () => {
    const writing = await disk().openWrite("/w/f");
    const [temporary = ""] = readdirSync(host);
    rmSync(join(host, temporary));
    symlinkSync("/etc/passwd", join(host, temporary));
    await expect(writing.commit()).rejects.toEqual(code("file_changed"));
    expect(readdirSync(host)).toEqual([]);
  });

  it("clears away what killed writers left a day ago, and nothing newer", async () => {
    const [old, fresh] = ["0", "1"].map((digit) => join(host, `.deerflow-${digit.repeat(16)}.tmp`));
    for (const path of [old, fresh]) writeFileSync(path ?? "", "half");
    const dayBefore = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(old ?? "", dayBefore, dayBefore);
    await (await disk().openWrite("/w/f")).abort();
    expect([existsSync(old ?? ""), existsSync(fresh ?? "")]).toEqual([false, true]);
  });
});

describe("files that stand around such files", () => {
  const rule = { operations: ["write"], paths: ["/w/kept/**"], mode: "deny" } as const;

  it("judge the path as it is spelled, and as it really lies", async () => {
    const files = guardFiles(disk(), new PermissionRules([rule]));
    if (!isStreamWritable(files)) throw new Error("They take no file in pieces.");
    mkdirSync(join(host, "kept"));
    symlinkSync("/w/kept", join(host, "other"));
    for (const path of ["/w/kept/f", "/w/other/f"]) {
      await expect(files.openWrite(path)).rejects.toMatchObject({
        code: "path_forbidden",
        details: { path },
      });
    }
    const writing = await files.openWrite("/w/f");
    await writing?.write(text);
    await writing?.commit();
    expect(readFileSync(join(host, "f"), "utf8")).toBe("text");
    expect(readdirSync(join(host, "kept"))).toEqual([]);
  });

  it("lead to the files of a route, and say where files are only taken whole", async () => {
    const files = new CompositeBackend(new StateBackend(), { "/disk": disk() });
    expect(await files.openWrite("/f")).toBeUndefined();
    await expect(files.openWrite("/disk")).rejects.toEqual(code("is_a_directory"));
    writeFileSync(join(host, "f"), "old");
    const writing = await files.openWrite("/disk/w/f", { expectedVersion: null });
    await expect(writing?.commit()).rejects.toMatchObject({
      code: "file_changed",
      details: { path: "/disk/w/f" },
    });
  });
});
