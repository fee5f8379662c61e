import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { PermissionRules } from "../policy/permission-rules.js";
import { MemoryFiles } from "../testing/memory-files.js";
import { isByteReadable, isHostSearchable, isLinkFollowing, shellOf } from "./capabilities.js";
import { changeFile } from "./change-file.js";
import { CompositeBackend } from "./composite-backend.js";
import { scriptedSandbox } from "../testing/scripted-sandbox.js";
import type { FileBackend, Shell } from "./contract.js";
import { foldsCase } from "./disk-case.js";
import { FilesystemBackend } from "./filesystem-backend.js";
import { glob } from "./glob.js";
import { grep } from "./grep.js";
import { guardFiles } from "./guarded-backend.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import { withShell } from "./with-shell.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const deny = (
  operations: FilesystemPermission["operations"],
  ...paths: readonly string[]
): FilesystemPermission => ({
  operations,
  paths,
  mode: "deny",
});
const guardedBy = (files: FileBackend, ...rules: readonly FilesystemPermission[]): FileBackend =>
  guardFiles(files, new PermissionRules(rules));
const names = async (files: FileBackend, path: string) => (await files.list(path)).map((entry) => entry.path);
const text = async (files: FileBackend, path: string) =>
  Buffer.from((await files.read(path))?.bytes ?? []).toString();

async function refusal(work: Promise<unknown>): Promise<DeerflowError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!DeerflowError.is(thrown) || thrown.code !== "path_forbidden") {
    throw new Error(`expected a refusal, got ${String(thrown)}`);
  }
  return thrown;
}

describe("guarded files", () => {
  let plain: MemoryFiles;
  beforeEach(async () => {
    plain = new MemoryFiles();
    for (const path of ["/open/a.txt", "/secrets/key", "/secrets/.env", "/top.key"])
      await plain.write(path, bytes(`in ${path}`));
  });

  it("are the files themselves where there is no rule", () => {
    expect(guardedBy(plain)).toBe(plain);
  });

  it("refuse to read, look at and list what may not be read, and say what was to be done", async () => {
    const files = guardedBy(plain, deny(["read"], "/secrets/**"));
    expect((await refusal(files.read("/secrets/key"))).message).toBe(
      "/secrets/key cannot be read: a permission rule forbids it.",
    );
    expect((await refusal(files.stat("/secrets/.env"))).code).toBe("path_forbidden");
    expect((await refusal(files.list("/secrets"))).message).toContain("/secrets cannot be listed");
    expect(await text(files, "/open/a.txt")).toBe("in /open/a.txt");
  });

  it("say nothing about whether something forbidden is there", async () => {
    const files = guardedBy(plain, deny(["read"], "/secrets/**"));
    const [there, missing] = [
      await refusal(files.stat("/secrets/key")),
      await refusal(files.stat("/secrets/none")),
    ];
    expect(missing.message.replace("none", "key")).toBe(there.message);
  });

  it("leave the forbidden out of listings, walks and searches", async () => {
    const files = guardedBy(plain, deny(["read"], "/secrets/**", "/**/*.key"));
    expect(await names(files, "/")).toEqual(["/open"]);
    const found = await glob(files, { pattern: "**/*", path: "/", includeDirectories: true, maxResults: 99 });
    expect(found.paths).toEqual(["/open", "/open/a.txt"]);
    const lines = await grep(files, {
      pattern: "in /",
      literal: true,
      caseSensitive: true,
      path: "/",
      maxResults: 99,
    });
    expect(lines.matches.map(({ path }) => path)).toEqual(["/open/a.txt"]);
    expect(lines.unreadable).toEqual([]);
  });

  it("refuse to change what may not be written, and change nothing", async () => {
    const files = guardedBy(plain, deny(["write"], "/secrets/**"));
    expect((await refusal(files.write("/secrets/key", bytes("x")))).message).toContain("cannot be changed");
    expect((await refusal(files.write("/secrets/new", bytes("x")))).message).toContain("cannot be changed");
    expect(await text(files, "/secrets/key")).toBe("in /secrets/key");
    expect(Object.keys(plain.everything)).not.toContain("/secrets/new");
  });

  it("let a file be replaced that may only not be read, but not edited", async () => {
    const files = guardedBy(plain, deny(["read"], "/secrets/**"));
    const edit = changeFile(files, "/secrets/key", () => ({ bytes: bytes("edited"), told: undefined }));
    await refusal(edit);
    expect(plain.everything["/secrets/key"]).toBe("in /secrets/key");
    await files.write("/secrets/key", bytes("replaced"));
    expect(plain.everything["/secrets/key"]).toBe("replaced");
  });

  it("refuse to remove a folder with something in it that may not be changed, and name the patterns", async () => {
    const rules = [
      deny(["write"], "/secrets/key", "/secrets/*.pem"),
      deny(["write"], "/other", "/secrets/key"),
    ];
    const files = guardedBy(plain, { operations: ["write"], paths: ["/secrets/**"] }, ...rules);
    const error = await refusal(files.remove("/secrets"));
    expect(error.message).toBe(
      "/secrets cannot be deleted: permission rules forbid changes to /secrets/key, /secrets/*.pem.",
    );
    expect(Object.keys(plain.everything)).toHaveLength(4);
  });

  it("judge the removal of a plain file by the first rule that matches", async () => {
    const files = guardedBy(
      plain,
      { operations: ["write"], paths: ["/secrets/key"] },
      deny(["write"], "/secrets/**"),
    );
    expect(await files.remove("/secrets/key")).toBe(true);
    await refusal(files.remove("/secrets/.env"));
  });

  it("forbid nothing for a rule that asks a person", async () => {
    const files = guardedBy(plain, { operations: ["read", "write"], paths: ["/**"], mode: "interrupt" });
    expect(await text(files, "/secrets/key")).toBe("in /secrets/key");
    expect(await files.remove("/secrets")).toBe(true);
  });

  it("can be guarded again", async () => {
    const files = guardedBy(guardedBy(plain, deny(["read"], "/secrets/**")), deny(["read"], "/*.key"));
    expect(await names(files, "/")).toEqual(["/open"]);
    await refusal(files.read("/secrets/key"));
    await refusal(files.read("/top.key"));
  });

  it("are guarded behind a route, too", async () => {
    const files = guardedBy(
      new CompositeBackend(plain, { "/memories/": plain }),
      deny(["read"], "/memories/secrets/**"),
    );
    await refusal(files.read("/memories/secrets/key"));
    expect(await text(files, "/secrets/key")).toBe("in /secrets/key");
    expect(await names(files, "/memories")).toEqual(["/memories/open", "/memories/top.key"]);
  });
});

describe("guarded files that lie on a disk", () => {
  let host: string;
  let disk: MountedDiskBackend;
  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-guard-"));
    disk = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }] });
    await mkdir(join(host, "secrets"));
    await mkdir(join(host, "open/sub"), { recursive: true });
    await writeFile(join(host, "secrets/hush"), "in secret");
    await writeFile(join(host, "open/sub/plain"), "in the open");
    await symlink("secrets", join(host, "to-folder"));
    await symlink("../secrets/hush", join(host, "open/to-file"));
    await symlink("open", join(host, "to-open"));
  });
  afterEach(() => rm(host, { recursive: true, force: true }));

  const opened = () => guardedBy(disk, deny(["read", "write"], "/w/secrets/**"));

  it("can do what they can unguarded, and no more", () => {
    const shell: Shell = {
      sandbox: scriptedSandbox(() => Promise.reject(new Error("not asked"))),
      workingDirectory: "/w",
      reachesHost: false,
    };
    const files = guardedBy(withShell(disk, shell), deny(["read"], "/x"));
    expect([isByteReadable(files), isHostSearchable(files), isLinkFollowing(files)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(shellOf(files)).toBe(shell);
    expect([files.id, files.canRemove, files.foldsCase]).toEqual([disk.id, true, disk.foldsCase]);
    const bare = guardedBy(new MemoryFiles(), deny(["read"], "/x"));
    expect([isByteReadable(bare), isHostSearchable(bare), isLinkFollowing(bare)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(shellOf(bare)).toBeUndefined();
  });

  it("are judged where a link leads, and the refusal names only what was asked for", async () => {
    const files = opened();
    for (const path of ["/w/to-folder/hush", "/w/open/to-file", "/w/to-open/to-file"]) {
      const errors = [
        await refusal(files.read(path)),
        await refusal(files.write(path, bytes("x"))),
        await refusal(isByteReadable(files) ? files.openBytes(path) : Promise.resolve()),
      ];
      for (const error of errors) expect(error.message).toContain(`${path} cannot be`);
      expect(errors.map(({ message }) => message).join()).not.toContain("secrets");
    }
    await refusal(files.list("/w/to-folder"));
    await refusal(files.write("/w/to-folder/new", bytes("x")));
    await refusal(files.remove("/w/to-folder/hush"));
    expect(await text(disk, "/w/secrets/hush")).toBe("in secret");
  });

  it("name no place that a link leads to when something that is permitted fails there", async () => {
    const files = guardedBy(disk, deny(["read"], "/w/secrets/**"));
    await expect(files.write("/w/open/to-file/new", bytes("x"))).rejects.toMatchObject({
      code: "not_a_directory",
      details: { path: "/w/open/to-file" },
    });
    await expect(files.write("/w/to-folder", bytes("x"))).rejects.toMatchObject({
      code: "is_a_directory",
      details: { path: "/w/to-folder" },
    });
    await expect(files.write("/w/open/to-file", bytes("x"), { expectedVersion: null })).rejects.toMatchObject(
      { code: "file_changed", details: { path: "/w/open/to-file" } },
    );
  });

  it("still answer a path of the host with the one to use", async () => {
    const files = guardedBy(new FilesystemBackend({ rootDir: host }), deny(["read"], "/secrets/**"));
    await expect(files.read(join(host, "open/sub/plain"))).rejects.toMatchObject({
      code: "path_of_host",
      details: { path: "/open/sub/plain" },
    });
  });

  it("do not list links to what is forbidden, and follow others", async () => {
    const files = opened();
    expect(await names(files, "/w")).toEqual(["/w/open", "/w/to-open"]);
    expect(await names(files, "/w/to-open")).toEqual(["/w/to-open/sub"]);
    expect(await text(files, "/w/to-open/sub/plain")).toBe("in the open");
  });

  it("let a link itself be removed", async () => {
    expect(await opened().remove("/w/to-folder")).toBe(true);
    expect(await names(disk, "/w/secrets")).toEqual(["/w/secrets/hush"]);
  });

  it("let any link be removed where a rule means names at any depth, and keep what it leads to", async () => {
    const files = guardedBy(disk, deny(["read", "write"], "/**/.env"));
    await writeFile(join(host, "open/.env"), "KEY=1");
    await symlink("nowhere", join(host, "broken"));
    await symlink("/etc", join(host, "outside"));
    for (const path of ["/w/to-open", "/w/open/to-file", "/w/to-folder", "/w/broken", "/w/outside"]) {
      expect([path, await files.remove(path)]).toEqual([path, true]);
    }
    expect(await names(disk, "/w")).toEqual(["/w/open", "/w/secrets"]);
    expect(await text(disk, "/w/open/.env")).toBe("KEY=1");
    await refusal(files.remove("/w/open"));
  });

  it("keep a link that a rule names, as it is spelled or as its folder is", async () => {
    await symlink("../secrets", join(host, "open/.env"));
    const byName = guardedBy(disk, deny(["write"], "/**/.env"));
    await refusal(byName.remove("/w/open/.env"));
    await refusal(byName.remove("/w/to-open/.env"));
    await refusal(guardedBy(disk, deny(["write"], "/w/open/to-*")).remove("/w/to-open/to-file"));
    expect(await names(disk, "/w/open")).toEqual(["/w/open/.env", "/w/open/sub", "/w/open/to-file"]);
  });

  it("ask a further judge, too", async () => {
    const files = opened();
    if (!isLinkFollowing(files)) throw new Error("links are not followed");
    const judged = files.judgedBy((_, path) => {
      if (path === "/w/open/sub/plain")
        throw new DeerflowError("path_forbidden", { path, done: "read", reason: "no" });
    });
    await refusal(judged.read("/w/to-open/sub/plain"));
    await refusal(judged.read("/w/secrets/hush"));
    expect(await files.realPath("/w/to-open/sub")).toBe("/w/open/sub");
  });

  it("are read under another case only where this disk takes it for another file", async () => {
    const files = opened();
    const other = files.read("/w/SECRETS/HUSH");
    if (foldsCase(host)) await refusal(other);
    else expect(await other).toBeUndefined();
  });

  it.each([true, false])("are one file under any case when the disk says so: %s", async (isFolding) => {
    const folding = new MountedDiskBackend({
      mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }],
      foldsCase: isFolding,
    });
    const files = guardedBy(folding, deny(["read"], "/w/secrets/**"));
    const other = files.stat("/w/SECRETS/hush");
    if (isFolding) await refusal(other);
    else expect(await other).toBeUndefined();
  });
});

describe("a deny rule and another spelling of a name", () => {
  const requests = ["/Secrets/k.txt", "/SECRETS/K.TXT", "/secrets/k.txt", "/geheim-e\u0301/k.txt"];
  const rules = [deny(["read", "write"], "/secrets/**", "/geheim-\u00e9/**")];

  it.each([
    { foldsCase: true, forbidden: requests },
    { foldsCase: false, forbidden: requests.slice(2) },
  ])("meet in $forbidden where foldsCase is $foldsCase", async ({ foldsCase, forbidden }) => {
    const plain = new MemoryFiles({ foldsCase });
    for (const path of requests) await plain.write(path, bytes(`text of ${path}`));
    const before = plain.everything;
    const files = guardedBy(plain, ...rules);
    for (const path of forbidden) {
      await refusal(files.read(path));
      await refusal(files.write(path, bytes("x")));
      await refusal(changeFile(files, path, () => ({ bytes: bytes("x"), told: undefined })));
      await refusal(files.list(path.slice(0, path.lastIndexOf("/"))));
      await refusal(files.remove(path));
    }
    expect(plain.everything).toEqual(before);
    const open = Object.keys(before)
      .filter((path) => !forbidden.includes(path))
      .sort();
    const found = await glob(files, {
      pattern: "**/*",
      path: "/",
      includeDirectories: false,
      maxResults: 99,
    });
    expect(found.paths).toEqual(open);
    const lines = await grep(files, {
      pattern: "text",
      literal: true,
      caseSensitive: true,
      path: "/",
      maxResults: 99,
    });
    expect(lines.matches.map(({ path }) => path)).toEqual(open);
    for (const path of open) expect(await text(files, path)).toBe(`text of ${path}`);
  });
});
