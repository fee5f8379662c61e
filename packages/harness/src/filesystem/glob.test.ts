import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { glob, type GlobQuery } from "./glob.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

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
