import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { refusalOf } from "../testing/refusal-of.js";
import { isHostSearchable, isLinkFollowing } from "./capabilities.js";
import { CompositeBackend } from "./composite-backend.js";
import type { FileBackend, PathJudge } from "./contract.js";
import { FilesystemBackend } from "./filesystem-backend.js";
import { LocalShellBackend } from "./local-shell-backend.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function openComposite() {
  const host = await mkdtemp(join(tmpdir(), "deerflow-composite-"));
  const disk = (name: string) => new FilesystemBackend({ rootDir: join(host, name) });
  const files = new CompositeBackend(disk("default"), {
    "/memories/": disk("memories"),
    "/memories/old": disk("old"),
    "/a/b/c/": disk("deep"),
  });
  return { host, files, close: () => rm(host, { recursive: true, force: true }) };
}

const suites: readonly { readonly root: string; readonly rootIsRemovable: boolean }[] = [
  { root: "/work", rootIsRemovable: true },
  { root: "/a/b/c", rootIsRemovable: false },
];
for (const { root, rootIsRemovable } of suites) {
  fileBackendSuite(`CompositeBackend at ${root}`, async () => {
    const { files, close } = await openComposite();
    await files.write(`${root}/x`, bytes("x"));
    await files.remove(`${root}/x`);
    return { files, root, rootIsRemovable, close };
  });
}

/** A backend of one file that can do nothing but read it. */
const readOnly: FileBackend = {
  id: "one",
  canRemove: false,
  foldsCase: true,
  usesGraphState: true,
  list: async (path) => {
    if (path !== "/") throw new DeerflowError("path_not_found", { path });
    return [{ path: "/one.txt", kind: "file", size: 3, modifiedAt: 0 }];
  },
  stat: async (path) => (path === "/one.txt" ? { path, kind: "file", size: 3, modifiedAt: 0 } : undefined),
  read: async (path) => (path === "/one.txt" ? { bytes: bytes("one"), version: sha256("one") } : undefined),
  write: async (path) => {
    throw new DeerflowError("path_denied", { path, reason: "it is read-only" });
  },
  remove: async () => {
    throw new Error("never asked");
  },
};

describe("CompositeBackend", () => {
  let host: string;
  let files: CompositeBackend;
  let close: () => Promise<void>;
  const names = async (path: string, of: FileBackend = files) =>
    (await of.list(path)).map((entry) => `${entry.path}${entry.kind === "directory" ? "/" : ""}`);
  const refusal = (work: Promise<unknown>) => refusalOf(work, host);

  beforeEach(async () => {
    ({ host, files, close } = await openComposite());
  });
  afterEach(() => close());

  it("gives a path to the longest route that holds it", async () => {
    await files.write("/memories/f", bytes("1"));
    await files.write("/memories/old/f", bytes("2"));
    await files.write("/memories-2/f", bytes("3"));
    await files.write("/a/b/f", bytes("4"));
    await files.write("/a/b/c/f", bytes("5"));
    expect(await readdir(join(host, "memories"))).toEqual(["f"]);
    expect(await readdir(join(host, "old"))).toEqual(["f"]);
    expect((await readdir(join(host, "default"))).toSorted()).toEqual(["a", "memories-2"]);
    expect(await readdir(join(host, "deep"))).toEqual(["f"]);
    expect(files.routes.map(({ root }) => root)).toEqual(["/memories/old", "/memories", "/a/b/c"]);
  });

  it("shows routes as folders, whether or not anything lies in them or above them", async () => {
    expect(await names("/")).toEqual(["/a/", "/memories/"]);
    expect(await names("/a")).toEqual(["/a/b/"]);
    expect(await names("/a/b")).toEqual(["/a/b/c/"]);
    expect(await names("/a/b/c")).toEqual([]);
    expect(await names("/memories")).toEqual(["/memories/old/"]);
    for (const path of ["/", "/a", "/a/b", "/memories", "/memories/old"]) {
      expect(await files.stat(path)).toMatchObject({ path, kind: "directory" });
      expect(await files.read(path)).toBeUndefined();
      expect((await refusal(files.write(path, bytes("x")))).code).toBe("is_a_directory");
    }
    expect((await refusal(files.list("/b"))).code).toBe("path_not_found");
    expect(await files.stat("/a/x")).toBeUndefined();
  });

  it("mixes routes into the listing of what the backend below has, and hides what they cover", async () => {
    await mkdir(join(host, "default/a"), { recursive: true });
    await writeFile(join(host, "default/memories"), "covered");
    await writeFile(join(host, "default/a/z"), "z");
    await writeFile(join(host, "default/a/b"), "covered too");
    await writeFile(join(host, "default/n"), "n");
    expect(await names("/")).toEqual(["/a/", "/memories/", "/n"]);
    expect(await names("/a")).toEqual(["/a/b/", "/a/z"]);
    expect(await names("/a/b")).toEqual(["/a/b/c/"]);
    expect(await files.read("/memories")).toBeUndefined();
  });

  it("puts the whole path back into every entry and every failure", async () => {
    await files.write("/memories/d/f", bytes("x"));
    expect(await names("/memories/d")).toEqual(["/memories/d/f"]);
    expect((await files.stat("/memories/d/f"))?.path).toBe("/memories/d/f");
    await symlink("/etc/passwd", join(host, "memories/leak"));
    for (const [work, path] of [
      [() => files.list("/memories/missing"), "/memories/missing"],
      [() => files.list("/memories/d/f"), "/memories/d/f"],
      [() => files.read("/memories/leak"), "/memories/leak"],
      [() => files.openBytes("/memories/leak"), "/memories/leak"],
      [() => files.realPath("/memories/leak"), "/memories/leak"],
      [() => files.write("/memories/d", bytes("x")), "/memories/d"],
      [() => files.write("/memories/d/f/g", bytes("x")), "/memories/d/f"],
      [() => files.write("/memories/d/f", bytes("x"), { expectedVersion: null }), "/memories/d/f"],
    ] as const) {
      const error = await refusal(work());
      expect(error.details["path"]).toBe(path);
      expect(error.message).toContain(path);
    }
  });

  it("removes neither a route, nor the root, nor what holds a route, and says why", async () => {
    await files.write("/a/b/f", bytes("x"));
    for (const [path, reason] of [
      ["/", "root"],
      ["/memories", "mounted at it"],
      ["/a/b/c", "mounted at it"],
      ["/a", "mounted in it, at /a/b/c"],
      ["/memories", "mounted at it"],
    ] as const) {
      expect(await refusal(files.remove(path))).toMatchObject({ code: "path_denied", retry: "model" });
      expect((await refusal(files.remove(path))).message).toContain(reason);
    }
    expect(await names("/a/b")).toEqual(["/a/b/c/", "/a/b/f"]);
    expect(await files.remove("/a/b/f")).toBe(true);
    expect(await files.remove("/memories/none")).toBe(false);
  });

  it("removes only where the backend can", async () => {
    files = new CompositeBackend(files, { "/fixed": readOnly });
    expect(await refusal(files.remove("/fixed/one.txt"))).toMatchObject({
      code: "removal_unsupported",
      details: { path: "/fixed/one.txt" },
    });
    expect(files.canRemove).toBe(true);
    expect(new CompositeBackend(readOnly, { "/x": readOnly }).canRemove).toBe(false);
  });

  it("says of itself what any of its backends says", async () => {
    const exact = new FilesystemBackend({ rootDir: host, foldsCase: false });
    const mixed = new CompositeBackend(exact, { "/fixed": readOnly });
    expect([mixed.foldsCase, mixed.usesGraphState]).toEqual([true, true]);
    const plain = new CompositeBackend(exact, { "/x": exact });
    expect([plain.foldsCase, plain.usesGraphState, plain.shell]).toEqual([false, false, undefined]);
    const shelled = new LocalShellBackend({ rootDir: host });
    expect(new CompositeBackend(shelled, {}).shell).toBe(shelled.shell);
    expect(new CompositeBackend(exact, { "/x": shelled }).shell).toBeUndefined();
  });

  it("gives bytes piece by piece, also of a backend that has none", async () => {
    files = new CompositeBackend(files, { "/fixed": readOnly });
    await files.write("/memories/f", bytes("disk"));
    const text = async (path: string) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of (await files.openBytes(path)) ?? []) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    };
    expect(await text("/memories/f")).toBe("disk");
    expect(await text("/fixed/one.txt")).toBe("one");
    expect(await files.openBytes("/fixed/two.txt")).toBeUndefined();
    expect(await files.openBytes("/fixed")).toBeUndefined();
  });

  it("opens host folders only of what one backend of this machine holds whole", async () => {
    await files.write("/memories/old/d/f", bytes("x"));
    await files.write("/work/f", bytes("x"));
    const opened = async (path: string, of: CompositeBackend = files) => {
      const folders = await of.openFolders(path);
      await Promise.all((folders ?? []).map((folder) => folder.close()));
      return folders?.map(({ virtualPath, only }) => [virtualPath, only]);
    };
    expect(await opened("/memories/old/d")).toEqual([["/memories/old/d", undefined]]);
    expect(await opened("/memories/old/d/f")).toEqual([["/memories/old/d", "f"]]);
    expect(await opened("/work")).toEqual([["/work", undefined]]);
    expect(await opened("/")).toBeUndefined();
    expect(await opened("/memories")).toBeUndefined();
    const mixed = new CompositeBackend(files, { "/fixed": readOnly });
    expect(isHostSearchable(mixed)).toBe(true);
    expect(await opened("/fixed", mixed)).toBeUndefined();
  });

  it("keeps one lock space over the same backends", async () => {
    const disk = () => new FilesystemBackend({ rootDir: host });
    const one = new CompositeBackend(disk(), { "/m/": disk() });
    expect(new CompositeBackend(disk(), { "/m": disk() }).id).toBe(one.id);
    expect(new CompositeBackend(disk(), { "/n": disk() }).id).not.toBe(one.id);
  });

  it.each([
    ["memories/", "absolute"],
    ["/", "default backend"],
    ["//memories/", "must be written as /memories"],
    ["/memories//", "must be written as /memories"],
    ["/a/./b", "must be written as /a/b"],
    ["/a/../b", ".. segment"],
    ["", "empty"],
    ["~/x", "~"],
  ])("refuses the route %j", (route, reason) => {
    expect(() => new CompositeBackend(readOnly, { [route]: readOnly })).toThrow(reason);
  });

  it("refuses one route twice, and a root for artifacts that is no path", () => {
    expect(() => new CompositeBackend(readOnly, { "/a": readOnly, "/a/": readOnly })).toThrow("twice");
    const build = (artifactsRoot: string) => new CompositeBackend(readOnly, {}, { artifactsRoot });
    expect(() => build("x")).toThrow("artifactsRoot");
    expect(build("/kept/").artifactsRoot).toBe("/kept");
    expect(new CompositeBackend(readOnly, {}).artifactsRoot).toBe("/");
  });

  describe("judged", () => {
    const judge: PathJudge = (operation, path) => {
      if (path.includes("secret")) throw new DeerflowError("path_forbidden", { path, done: operation });
    };
    const forbids = async (work: Promise<unknown>, path: string) =>
      expect(await refusal(work)).toMatchObject({ code: "path_forbidden", details: { path } });

    it("asks about whole paths, with the links of each backend resolved", async () => {
      await files.write("/memories/secret/key", bytes("key"));
      await files.write("/memories/open", bytes("open"));
      await symlink("secret", join(host, "memories/alias"));
      const judged = files.judgedBy(judge);
      await forbids(judged.read("/memories/alias/key"), "/memories/secret/key");
      await forbids(judged.stat("/memories/secret"), "/memories/secret");
      await forbids(judged.write("/memories/alias/new", bytes("x")), "/memories/secret/new");
      await forbids(judged.remove("/memories/secret"), "/memories/secret");
      expect(await names("/memories", judged)).toEqual(["/memories/old/", "/memories/open"]);
      expect(judged.id).toBe(files.id);
      expect(await files.realPath("/memories/alias/key")).toBe("/memories/secret/key");
    });

    it("asks also where a backend knows no links, and about routes", async () => {
      const outer = new CompositeBackend(files, { "/secrets": readOnly, "/plain": readOnly });
      const judged = outer.judgedBy(judge);
      await forbids(judged.read("/secrets/one.txt"), "/secrets/one.txt");
      await forbids(judged.list("/secrets"), "/secrets");
      expect(await names("/", judged)).toEqual(["/a/", "/memories/", "/plain/"]);
      const picky = outer.judgedBy((operation, path) => {
        if (path.endsWith("one.txt")) throw new DeerflowError("path_forbidden", { path, done: operation });
      });
      expect(await names("/plain", picky)).toEqual([]);
      expect(await names("/plain", outer)).toEqual(["/plain/one.txt"]);
    });

    it("holds through composites of composites, and asks every judge", async () => {
      await files.write("/memories/secret", bytes("x"));
      const outer = new CompositeBackend(readOnly, { "/all": files.judgedBy(judge) });
      await forbids(outer.read("/all/memories/secret"), "/all/memories/secret");
      const asked: string[] = [];
      const twice = outer.judgedBy((operation, path) => void asked.push(`${operation} ${path}`));
      await forbids(twice.read("/all/memories/secret"), "/all/memories/secret");
      await twice.write("/all/memories/f", bytes("x"));
      expect(asked).toContain("write /all/memories/f");
      expect(isLinkFollowing(twice)).toBe(true);
    });
  });
});
