import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MountedDiskBackend } from "@deerflow/harness/filesystem";
import { type ImportLimits, importInput } from "./import-input.js";

const limits = { maxFiles: 3, maxTotalBytes: 100 };
const folder = () => mkdtempSync(join(tmpdir(), "deerflow-input-"));
const admitAll = (_: number, copyAll: () => Promise<void>) => copyAll();
const importTo = (uploads: string, input: string, within: ImportLimits = limits, home = folder()) => {
  const mounts = [{ virtualPath: "/mnt/user-data/uploads", hostPath: uploads, mode: "read-write" as const }];
  return importInput(input, { uploads: new MountedDiskBackend({ mounts }), home, admit: admitAll }, within);
};

describe("importInput", () => {
  it("copies a file and names it as an upload", async () => {
    const [from, uploads] = [folder(), folder()];
    writeFileSync(join(from, "a.csv"), "a,b\n");
    expect(await importTo(uploads, join(from, "a.csv"))).toEqual([
      { filename: "a.csv", size: 4, path: "/mnt/user-data/uploads/a.csv", status: "uploaded" },
    ]);
    expect(readFileSync(join(uploads, "a.csv"), "utf8")).toBe("a,b\n");
  });

  it("copies a folder without links and package folders", async () => {
    const [from, uploads] = [join(folder(), "notes"), folder()];
    mkdirSync(join(from, "node_modules"), { recursive: true });
    mkdirSync(join(from, "sub"));
    writeFileSync(join(from, "node_modules/x.js"), "x");
    writeFileSync(join(from, "sub/b.md"), "# b");
    symlinkSync("/etc/passwd", join(from, "link"));
    expect(await importTo(uploads, from)).toMatchObject([{ filename: "notes", size: 3 }]);
    expect([readdirSync(join(uploads, "notes")), readdirSync(join(uploads, "notes/sub"))]).toEqual([
      ["sub"],
      ["b.md"],
    ]);
  });

  it("follows a link that is the input itself, and refuses what is no file", async () => {
    const [from, uploads] = [folder(), folder()];
    writeFileSync(join(from, "real.csv"), "a\n");
    symlinkSync(join(from, "real.csv"), join(from, "link.csv"));
    expect(await importTo(uploads, join(from, "link.csv"))).toMatchObject([
      { filename: "link.csv", size: 2 },
    ]);
    await expect(importTo(uploads, "/dev/null")).rejects.toMatchObject({ code: "input_missing" });
  });

  it("refuses what is missing or too large, and copies nothing", async () => {
    const [from, uploads] = [folder(), folder()];
    writeFileSync(join(from, "big"), "x".repeat(101));
    await expect(importTo(uploads, join(from, "big"))).rejects.toMatchObject({
      code: "input_too_large",
    });
    await expect(importTo(uploads, join(from, "none"))).rejects.toMatchObject({
      code: "input_missing",
    });
    expect(readdirSync(uploads)).toEqual([]);
  });

  it("asks with the bytes of all files before it copies the first", async () => {
    const [from, uploads] = [join(folder(), "notes"), folder()];
    mkdirSync(from);
    for (const name of ["a", "b"]) writeFileSync(join(from, name), "1234");
    const mounts = [
      { virtualPath: "/mnt/user-data/uploads", hostPath: uploads, mode: "read-write" as const },
    ];
    const asked: number[] = [];
    const admit = (bytes: number): Promise<void> => {
      asked.push(bytes);
      return Promise.reject(new Error("no room"));
    };
    const places = { uploads: new MountedDiskBackend({ mounts }), home: folder(), admit };
    await expect(importInput(from, places, limits)).rejects.toThrow("no room");
    expect({ asked, kept: readdirSync(uploads) }).toEqual({ asked: [8], kept: [] });
  });

  it("writes through no link in the uploads that leads out of the thread", async () => {
    const [from, uploads, outside] = [join(folder(), "notes"), folder(), folder()];
    mkdirSync(from);
    writeFileSync(join(from, "b.md"), "# b");
    symlinkSync(outside, join(uploads, "notes"));
    await expect(importTo(uploads, from)).rejects.toMatchObject({ code: "path_denied" });
    symlinkSync(join(outside, "x"), join(uploads, "b.md"));
    await expect(importTo(uploads, join(from, "b.md"))).rejects.toMatchObject({ code: "path_denied" });
    expect(readdirSync(outside)).toEqual([]);
  });

  it("takes nothing through a link that lies in the files of a thread", async () => {
    const [home, uploads, outside] = [folder(), folder(), folder()];
    const outputs = join(home, "threads/1/user-data/outputs");
    mkdirSync(outputs, { recursive: true });
    writeFileSync(join(outside, "key"), "secret");
    writeFileSync(join(outputs, "report.md"), "# r");
    symlinkSync(join(outside, "key"), join(outputs, "key"));
    symlinkSync(outside, join(outputs, "folder"));
    for (const name of ["key", "folder", "folder/key"]) {
      await expect(importTo(uploads, join(outputs, name), limits, home)).rejects.toMatchObject({
        code: "input_missing",
      });
    }
    expect(await importTo(uploads, join(outputs, "report.md"), limits, home)).toMatchObject([{ size: 3 }]);
    expect(readdirSync(uploads)).toEqual(["report.md"]);
  });

  it("waits for no named pipe", async () => {
    const [from, uploads] = [join(folder(), "notes"), folder()];
    mkdirSync(from);
    execFileSync("mkfifo", [join(from, "pipe")]);
    writeFileSync(join(from, "b.md"), "# b");
    expect(await importTo(uploads, from)).toMatchObject([{ size: 3 }]);
    await expect(importTo(uploads, join(from, "pipe"))).rejects.toMatchObject({ code: "input_missing" });
  });
});
