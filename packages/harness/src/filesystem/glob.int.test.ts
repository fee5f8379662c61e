import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verbsOnly } from "../testing/verbs-only.js";
import CASES from "./glob-cases.json" with { type: "json" };
import { glob, type GlobQuery } from "./glob.js";
import { grep } from "./grep.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

describe("a glob", () => {
  let host: string;
  let disk: MountedDiskBackend;

  beforeAll(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-glob-cases-"));
    for (const name of CASES.tree) {
      await mkdir(dirname(join(host, name)), { recursive: true });
      await writeFile(join(host, name), "line\n");
    }
    disk = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-only" }] });
  });
  afterAll(() => rm(host, { recursive: true }));

  it.each(CASES.rows)("means the same everywhere: $pattern, $means", async ({ pattern, found }) => {
    const expected = found.map((name) => `/w/${name}`);
    for (const files of [disk, verbsOnly(disk)]) {
      const byName = await glob(files, { pattern, path: "/w", includeDirectories: false, maxResults: 99 });
      const query = { pattern: "line", path: "/w", literal: true, caseSensitive: true, maxResults: 99 };
      const byLine = await grep(files, { ...query, glob: pattern });
      expect(byName.paths).toEqual(expected);
      expect(byLine.matches.map((match) => match.path)).toEqual(expected);
    }
  });
});

const NAMES = ["a.py", "b/c.py", "b/d/e.py", "b.py", ".x/f.py", "node_modules/g.py"];

describe("glob", () => {
  let host: string;
  let files: MountedDiskBackend;
  const search = (query: Partial<GlobQuery>) =>
    glob(files, { pattern: "*.py", path: "/w", includeDirectories: false, maxResults: 100, ...query });

  beforeAll(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-glob-"));
    for (const name of NAMES) {
      await mkdir(dirname(join(host, name)), { recursive: true });
      await writeFile(join(host, name), "");
    }
    await symlink("b", join(host, "link"));
    await symlink("a.py", join(host, "link.py"));
    await symlink("..", join(host, "b/up"));
    files = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-only" }] });
  });
  afterAll(() => rm(host, { recursive: true }));

  it("finds files at any depth in order of name, without following links", async () => {
    expect(await search({})).toEqual({
      paths: ["/w/.x/f.py", "/w/a.py", "/w/b/c.py", "/w/b/d/e.py", "/w/b.py", "/w/node_modules/g.py"],
      stopped: undefined,
      unreadable: [],
      unusableNames: 0,
    });
  });

  it("finds the same without ripgrep", async () => {
    for (const pattern of ["*.py", "**", "b/**", "{a,b}.py"]) {
      const query = { pattern, path: "/w", includeDirectories: false, maxResults: 100 };
      expect(await glob(verbsOnly(files), query)).toEqual(await glob(files, query));
    }
  });

  it("leaves out the files that a write is about to put in place", async () => {
    await writeFile(join(host, ".deerflow-0123456789abcdef.tmp"), "");
    for (const backend of [files, verbsOnly(files)]) {
      const query = { pattern: "*.tmp", path: "/w", includeDirectories: false, maxResults: 100 };
      expect((await glob(backend, query)).paths).toEqual([]);
    }
    await rm(join(host, ".deerflow-0123456789abcdef.tmp"));
  });

  it.skipIf(process.platform !== "linux")("counts each name that is not UTF-8 once", async () => {
    const folder = Buffer.concat([Buffer.from(`${host}/b/bad`), Buffer.from([0xff])]);
    await mkdir(folder);
    await writeFile(Buffer.concat([folder, Buffer.from("/one.py")]), "");
    await writeFile(Buffer.concat([folder, Buffer.from("/two.py")]), "");
    for (const backend of [files, verbsOnly(files)]) {
      const query = { pattern: "*.py", path: "/w/b", includeDirectories: false, maxResults: 100 };
      expect(await glob(backend, query)).toMatchObject({
        paths: ["/w/b/c.py", "/w/b/d/e.py"],
        unusableNames: 1,
      });
    }
    await rm(folder, { recursive: true });
  });

  it("finds folders when asked to", async () => {
    expect((await search({ pattern: "**/?", includeDirectories: true })).paths).toEqual(["/w/b", "/w/b/d"]);
  });

  it("stops at its limits, and says so only when there was more", async () => {
    expect(await search({ maxResults: 2 })).toEqual({
      paths: ["/w/.x/f.py", "/w/a.py"],
      stopped: "results",
      unreadable: [],
      unusableNames: 0,
    });
    expect((await search({ maxResults: NAMES.length })).stopped).toBeUndefined();
    const none = { pattern: "*", path: "/w", includeDirectories: false, maxResults: 9 };
    expect(
      (await glob(files, none, { signal: AbortSignal.timeout(60_000), seconds: 0 })).paths.length,
    ).toBeLessThan(9);
  });

  it("ends however early in its start it is stopped", async () => {
    const query = { pattern: "*", path: "/w", includeDirectories: false, maxResults: 9 };
    for (let round = 0; round < 40; round += 1) {
      await glob(files, query, { seconds: (round % 8) / 1000 });
    }
  });

  it("ends with the caller's reason", async () => {
    const reason = new Error("stop");
    const query = { pattern: "*", path: "/w", includeDirectories: false, maxResults: 9 };
    await expect(glob(files, query, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it.each([
    ["/w/no", "path_not_found"],
    ["/w/a.py", "not_a_directory"],
  ])("refuses to search %s", async (path, code) => {
    await expect(search({ path })).rejects.toMatchObject({ code });
  });
});
