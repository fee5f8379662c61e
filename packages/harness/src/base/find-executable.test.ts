import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findExecutable } from "./find-executable.js";

describe("findExecutable", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "deerflow-path-"));
    for (const name of ["first", "second"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "second", "tool"), "");
    chmodSync(join(folder, "second", "tool"), 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const path = () => ["first", "second"].map((name) => join(folder, name)).join(delimiter);

  it("finds a program in the first folder that has it", () => {
    expect(findExecutable("tool", path())).toBe(join(folder, "second", "tool"));
  });

  it("passes over folders and files that nobody may run", () => {
    mkdirSync(join(folder, "first", "tool"));
    expect(findExecutable("tool", path())).toBe(join(folder, "second", "tool"));
    chmodSync(join(folder, "second", "tool"), 0o644);
    expect(findExecutable("tool", path())).toBeUndefined();
  });

  it("never looks below the folder that the process works in", () => {
    const here = relative(process.cwd(), join(folder, "second"));
    expect(findExecutable("tool", [here, ".", ""].join(delimiter))).toBeUndefined();
    expect(findExecutable("tool", undefined)).toBeUndefined();
  });
});
