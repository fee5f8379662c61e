/** Archives as other programs make them. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findExecutable } from "../base/find-executable.js";
import { MemoryFiles } from "../testing/memory-files.js";
import { extractArchive } from "./extract-archive.js";

const LONG = `${"long-".repeat(30)}name.txt`;
const CONTENT: Readonly<Record<string, string>> = {
  "/w/new/top/a.txt": "a",
  [`/w/new/top/${LONG}`]: "long",
  [`/w/new/top/${"deep/".repeat(40)}b.txt`]: "b",
  "/w/new/top/é 结果.txt": "ü",
  "/w/new/top/run.sh": "#!/bin/sh\n",
  "/w/new/top/large": "0123456789".repeat(50_000),
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-packed-"));
  for (const [path, text] of Object.entries(CONTENT)) {
    const target = path.replace("/w/new", folder);
    mkdirSync(join(target, ".."), { recursive: true });
    writeFileSync(target, text);
  }
  chmodSync(join(folder, "top/run.sh"), 0o755);
  mkdirSync(join(folder, "top/empty"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const packed = (program: string, args: readonly string[]): Buffer => {
  execFileSync(program, args, { cwd: folder, stdio: "ignore" });
  return readFileSync(join(folder, "packed"));
};
const unpack = async (archive: Buffer) => {
  const files = new MemoryFiles();
  await extractArchive(files, archive, { folder: "/w/new" });
  return files.everything;
};

describe("an archive of tar", () => {
  it.each(["gnu", "oldgnu", "pax", "posix"])("in the format %s is unpacked", async (format) => {
    expect(await unpack(packed("tar", ["-cf", "packed", `--format=${format}`, "top"]))).toEqual(CONTENT);
    expect(await unpack(packed("tar", ["-czf", "packed", `--format=${format}`, "./top"]))).toEqual(CONTENT);
  });

  it("is refused with a link in it", async () => {
    symlinkSync("/etc/passwd", join(folder, "top/link"));
    await expect(unpack(packed("tar", ["-cf", "packed", "top"]))).rejects.toMatchObject({
      code: "archive_invalid",
      details: { entry: "top/link" },
    });
  });
});

describe.runIf(findExecutable("zip", process.env["PATH"]))("an archive of zip", () => {
  it.each([[[]], [["-0"]], [["-fz"]]])("with the options %j is unpacked", async (options) => {
    expect(await unpack(packed("sh", ["-c", `zip -r ${options.join(" ")} - top > packed`]))).toEqual(CONTENT);
  });

  it("is refused with a link in it, and with a password", async () => {
    expect(() => packed("zip", ["-r", "-P", "secret", "packed.zip", "top"])).toThrow();
    await expect(unpack(readFileSync(join(folder, "packed.zip")))).rejects.toMatchObject({
      code: "archive_invalid",
      details: { reason: expect.stringContaining("encrypted") },
    });
    symlinkSync("/etc/passwd", join(folder, "top/link"));
    await expect(unpack(packed("sh", ["-c", "zip -ry - top > packed"]))).rejects.toMatchObject({
      code: "archive_invalid",
      details: { entry: "top/link" },
    });
  });
});
