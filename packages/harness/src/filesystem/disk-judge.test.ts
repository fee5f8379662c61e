import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { isByteReadable, isHostSearchable, isLinkFollowing, shellOf } from "./capabilities.js";
import type { FileBackend, PathJudge } from "./contract.js";
import { LocalShellBackend } from "./local-shell-backend.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe("a judged disk", () => {
  let host: string;
  let asked: string[];
  let plain: MountedDiskBackend;
  let files: FileBackend;
  /** Forbids what has `secret` in its real path. */
  const judge: PathJudge = (operation, path) => {
    asked.push(`${operation} ${path}`);
    if (path.includes("secret")) throw new DeerflowError("path_forbidden", { path, done: operation });
  };
  const forbidden = expect.objectContaining({ code: "path_forbidden" });
  const open = async () => (isByteReadable(files) ? files.openBytes("/w/alias/key") : undefined);
  const search = async (path: string) => (isHostSearchable(files) ? files.openFolders(path) : undefined);

  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-judge-"));
    asked = [];
    plain = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }] });
    files = plain.judgedBy(judge);
    await mkdir(join(host, "secret"));
    await mkdir(join(host, "open"));
    await writeFile(join(host, "secret/key"), "key");
    await writeFile(join(host, "open/file"), "file");
    await symlink("secret", join(host, "alias"));
    await symlink("../secret/key", join(host, "open/note"));
    await symlink("open", join(host, "way"));
  });
  afterEach(() => rm(host, { recursive: true }));

  it("is asked about the place that a path leads to, by every verb", async () => {
    await files.read("/w/way/file");
    await files.stat("/w/way/file");
    await files.write("/w/way/file", bytes("x"));
    await files.remove("/w/way/file");
    await files.list("/w/way");
    expect(asked).toEqual([
      "read /w/open/file",
      "read /w/open/file",
      "write /w/open/file",
      "remove /w/open/file",
      "read /w/open",
      "read /w/open/note",
      "read /w/secret/key",
    ]);
  });

  it("reaches nothing forbidden, by no name", async () => {
    for (const path of ["/w/secret/key", "/w/alias/key", "/w/open/note", "/w/way/note"]) {
      await expect(files.read(path)).rejects.toEqual(forbidden);
      await expect(files.stat(path)).rejects.toEqual(forbidden);
      await expect(files.write(path, bytes("x"))).rejects.toEqual(forbidden);
    }
    await expect(files.list("/w/alias")).rejects.toEqual(forbidden);
    await expect(files.remove("/w/alias/key")).rejects.toEqual(forbidden);
    await expect(open()).rejects.toEqual(forbidden);
    await expect(search("/w/alias")).rejects.toEqual(forbidden);
    expect(await readFile(join(host, "secret/key"), "utf8")).toBe("key");
  });

  it("leaves the forbidden out of listings, and links to it", async () => {
    const names = async (path: string) => (await files.list(path)).map((entry) => entry.path);
    expect(await names("/w")).toEqual(["/w/open", "/w/way"]);
    expect(await names("/w/way")).toEqual(["/w/way/file"]);
    expect((await plain.list("/w")).map(({ path }) => path)).toEqual([
      "/w/alias",
      "/w/open",
      "/w/secret",
      "/w/way",
    ]);
  });

  it("shows a search what may be read where the opened folder really lies", async () => {
    await mkdir(join(host, "open/secret"));
    const shown = async (path: string, names: readonly string[]) => {
      const [folder] = (await search(path)) ?? [];
      await folder?.close();
      return names.filter((name) => folder?.shows?.(name));
    };
    const names = ["open", "open/file", "open/secret/x/y", "open/x/secret", "secret", "secret/key"];
    expect(await shown("/w", names)).toEqual(["open", "open/file"]);
    expect(await shown("/w/way", ["file", "secret/x", "secret", "x/y"])).toEqual(["file", "x/y"]);
    expect(await shown("/w/way/file", ["file"])).toEqual(["file"]);
    const [unjudged] = await plain.openFolders("/w");
    await unjudged?.close();
    expect(unjudged).not.toHaveProperty("shows");
  });

  it("removes a link to the forbidden, for it is the link that goes", async () => {
    expect(await files.remove("/w/alias")).toBe(true);
    expect(await readFile(join(host, "secret/key"), "utf8")).toBe("key");
  });

  it("asks every judge, and keeps the lock space", async () => {
    const strict = isLinkFollowing(files)
      ? files.judgedBy((operation, path) => {
          if (operation === "write") throw new DeerflowError("path_forbidden", { path, done: "written" });
        })
      : files;
    await expect(strict.write("/w/open/x", bytes("x"))).rejects.toEqual(forbidden);
    await expect(strict.read("/w/secret/key")).rejects.toEqual(forbidden);
    expect(strict.id).toBe(plain.id);
  });

  it("passes on what a judge throws otherwise", async () => {
    const broken = plain.judgedBy(() => {
      throw new Error("broken judge");
    });
    await expect(broken.list("/w")).rejects.toThrow("broken judge");
  });

  it("keeps the shell of a backend that has one", () => {
    const shelled = new LocalShellBackend({ rootDir: host });
    expect(shellOf(shelled.judgedBy(judge))).toBe(shelled.shell);
  });
});
