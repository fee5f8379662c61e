import { chmodSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "./make-folder.js";

const folder = () => mkdtempSync(join(tmpdir(), "deerflow-folder-"));

describe("makeFolder", () => {
  it("makes a folder with its parents, and does nothing the second time", () => {
    const path = join(folder(), "a/b/c");
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it("lets only the owner into what it makes, and leaves an existing folder as it is", () => {
    const base = folder();
    chmodSync(base, 0o755);
    makeFolder(join(base, "a/b"));
    const modes = ["", "a", "a/b"].map((name) => statSync(join(base, name)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o700, 0o700]);
  });

  it("refuses where a file is in the way", () => {
    const base = folder();
    writeFileSync(join(base, "file"), "");
    expect(() => makeFolder(join(base, "file"))).toThrow(/EEXIST/);
    expect(() => makeFolder(join(base, "file/below"))).toThrow(/ENOTDIR|EEXIST/);
  });

  it.skipIf(process.platform !== "linux")("returns where the system makes no folders", () => {
    expect(() => makeFolder("/proc/deerflow/data")).toThrow(/ENOENT/);
  });
});
