import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxMount } from "./contract.js";
import { mountReplacements, pathInFilesystem, resolveMounts } from "./mounts.js";

const mount = (virtualPath: string, hostPath = "/") => ({
  virtualPath,
  hostPath,
  mode: "read-only" as const,
});

describe("mounts", () => {
  it("come outer first", () => {
    const paths = resolveMounts([mount("/mnt/user-data/uploads"), mount("/mnt")]).map((m) => m.virtualPath);
    expect(paths).toEqual(["/mnt", "/mnt/user-data/uploads"]);
  });

  it.each(["relative", "/a/../b", "/a/", "/a\0b", "/", "/usr/x", "/lib64", "/etc", "/proc/1"])(
    "are refused at %j",
    (virtualPath) => {
      expect(() => resolveMounts([mount(virtualPath)])).toThrow(/cannot be shown/);
    },
  );

  it("are refused when the host folder is missing, without naming it", () => {
    expect(() => resolveMounts([mount("/mnt/x", "/nowhere/at/all")])).toThrow(
      "A folder cannot be shown in the sandbox at /mnt/x: its folder is missing.",
    );
  });

  it("are known by their path inside the innermost file system that holds them", () => {
    const table = [
      "22 1 254:0 / / rw - ext4 /dev/vda rw",
      "30 22 0:30 /volumes/home /home rw - ext4 /dev/vdb rw",
    ].join("\n");
    expect(pathInFilesystem(table, "/home/d/ws")).toBe("/volumes/home/d/ws");
    expect(pathInFilesystem(table, "/homes/d")).toBe("/homes/d");
  });

  it("are hidden in the kernel's spelling too, unless their path is a single name", () => {
    const spellings = mountReplacements([
      mount("/mnt/w", "/srv/deer flow/w"),
      mount("/mnt/x", "/srv/x"),
      mount("/mnt/y", "/data"),
    ]);
    expect(spellings.map(({ from }) => from)).toEqual(
      expect.arrayContaining(["/srv/deer flow/w", "/srv/deer\\040flow/w", "/srv/x"]),
    );
    expect(spellings.some(({ to }) => to === "/mnt/y")).toBe(false);
  });
});

describe("what commands could move on the way to a mount", () => {
  let root: string;
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "deerflow-mounts-")));
    for (const path of ["outer/inner/deep", "outer-beside", "ref"]) {
      mkdirSync(join(root, path), { recursive: true });
    }
    symlinkSync(join(root, "outer/inner"), join(root, "link"));
  });
  afterAll(() => rmSync(root, { recursive: true }));
  const at = (virtualPath: string, path: string, mode: SandboxMount["mode"] = "read-only") => ({
    ...mount(virtualPath, join(root, path)),
    mode,
  });
  const outer = () => at("/mnt/work", "outer", "read-write");

  it.each(["outer/inner", "outer/inner/deep", "link"])("refuses a folder in a writable one: %s", (path) => {
    const mounts = [at("/mnt/data", path), outer()];
    expect(() => resolveMounts(mounts)).toThrow(
      "A folder cannot be shown in the sandbox at /mnt/data: its folder lies inside that of /mnt/work, whose commands could put another in its place; move one of the two folders, or make /mnt/work read-only.",
    );
    expect(() => resolveMounts(mounts.toReversed())).toThrow(/lies inside that of/);
  });

  it("takes it where the outer folder is read-only, and folders beside each other", () => {
    expect(resolveMounts([at("/mnt/work", "outer"), at("/mnt/data", "link", "read-write")])).toHaveLength(2);
    expect(resolveMounts([outer(), at("/mnt/data", "outer-beside", "read-write")])).toHaveLength(2);
  });

  it("refuses to have the temporary folder written, where the sandbox's own parts lie", () => {
    const temporary = (mode: SandboxMount["mode"]) => [{ ...mount("/mnt/all", tmpdir()), mode }];
    expect(() => resolveMounts(temporary("read-write"))).toThrow(/show a folder below that/);
    expect(resolveMounts(temporary("read-only"))).toHaveLength(1);
  });

  it.each(["/mnt/work/ref", "/mnt/work/data/ref"])("refuses a mount in a writable one: %s", (path) => {
    expect(() => resolveMounts([outer(), at(path, "ref")])).toThrow(
      `at ${path}: it lies inside /mnt/work, whose folders commands can move; show it at a path beside`,
    );
  });

  it("takes it in a read-only one, unless another mount shows that for writing", () => {
    const nested = [at("/mnt/work", "outer"), at("/mnt/work/inner/deep", "ref")];
    expect(resolveMounts(nested)).toHaveLength(2);
    for (const path of ["outer", "outer/inner"]) {
      expect(() => resolveMounts([...nested, at("/mnt/again", path, "read-write")])).toThrow(/can move/);
    }
  });
});
