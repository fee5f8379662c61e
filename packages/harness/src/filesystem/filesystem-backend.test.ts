import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { refusalOf } from "../testing/refusal-of.js";
import { FilesystemBackend } from "./filesystem-backend.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const makeHost = async () => realpath(await mkdtemp(join(tmpdir(), "deerflow-root-")));

fileBackendSuite("FilesystemBackend", async () => {
  const host = await makeHost();
  const files = new FilesystemBackend({ rootDir: join(host, "project") });
  return { files, root: "/", close: () => rm(host, { recursive: true }) };
});

fileBackendSuite("FilesystemBackend over the whole disk", async () => {
  const host = await makeHost();
  const files = new FilesystemBackend({ rootDir: host, virtualMode: false });
  return { files, root: host, close: () => rm(host, { recursive: true }) };
});

describe("FilesystemBackend", () => {
  let host: string;
  let root: string;
  let files: FilesystemBackend;
  const text = async (path: string) => {
    const content = await files.read(path);
    return content === undefined ? undefined : Buffer.from(content.bytes).toString();
  };
  const refusal = (work: Promise<unknown>) => refusalOf(work, host);
  const link = (target: string, name: string) => symlink(target, join(root, name));

  beforeEach(async () => {
    host = await makeHost();
    root = join(host, "project");
    await mkdir(join(root, "deep/er"), { recursive: true });
    await writeFile(join(root, "deep/er/a.txt"), "a");
    await writeFile(join(host, "secret.txt"), "secret");
    files = new FilesystemBackend({ rootDir: root });
  });
  afterEach(() => rm(host, { recursive: true }));

  it("shows the root as /, and nothing beside it", async () => {
    expect((await files.list("/")).map(({ path }) => path)).toEqual(["/deep"]);
    expect(await text("/deep/er/a.txt")).toBe("a");
    expect(await files.stat("/etc/passwd")).toBeUndefined();
    expect(await files.stat("/")).toMatchObject({ kind: "directory" });
  });

  it("lists a root that is missing as empty, and makes it at the first write", async () => {
    const later = new FilesystemBackend({ rootDir: join(host, "new/root") });
    expect(await later.list("/")).toEqual([]);
    await later.write("/f", bytes("x"));
    expect(await readFile(join(host, "new/root/f"), "utf8")).toBe("x");
  });

  it.each([
    ["an absolute link", () => join(host, "secret.txt"), "leak"],
    ["an absolute link to a folder", () => host, "leak/secret.txt"],
    ["a relative link", (up: string) => `${up}../secret.txt`, "leak"],
    ["a climbing link", () => "../../../../../../../../../../etc", "leak/passwd"],
    ["a link to a brother whose name begins like the root's", (up: string) => `${up}../project-2`, "leak/x"],
    ["a link that goes down and up again", () => "x/../../../../secret.txt", "leak"],
    ["a link that climbs from the root's own name", (up: string) => `${up}../project/..`, "leak/secret.txt"],
    ["a link to /proc", () => "/proc/self/environ", "leak"],
  ])("neither shows nor follows %s, at any depth", async (_, target, path) => {
    for (const { folder, up } of [
      { folder: "/", up: "" },
      { folder: "/deep/er", up: "../../" },
    ]) {
      const at = join(folder, path);
      await link(target(up), join(folder, "leak"));
      expect((await refusal(files.read(at))).code).toBe("path_denied");
      expect((await refusal(files.stat(at))).code).toBe("path_denied");
      expect((await refusal(files.write(at, bytes("x")))).code).toBe("path_denied");
      expect((await refusal(files.openBytes(at))).code).toBe("path_denied");
      expect((await refusal(files.openFolders(at))).code).toBe("path_denied");
      expect((await refusal(files.realPath(at))).code).toBe("path_denied");
      const listed = (await files.list(folder)).map(({ path }) => path);
      expect(listed).not.toContain(join(folder, "leak"));
      expect(await files.remove(join(folder, "leak"))).toBe(true);
    }
    expect(await readFile(join(host, "secret.txt"), "utf8")).toBe("secret");
    expect(await readdir(host)).toEqual(["project", "secret.txt"]);
  });

  it.each([
    ["by its whole host path", () => join(root, "deep/er/a.txt")],
    ["from beside", () => "deep/er/a.txt"],
    ["through the folder above the root", () => "../project/deep/er/a.txt"],
    ["down and up", () => "deep/er/../er/a.txt"],
  ])("follows a link that names a file below the root %s", async (_, target) => {
    await link(target(), "link");
    expect(await text("/link")).toBe("a");
    expect(await files.realPath("/link")).toBe("/deep/er/a.txt");
    await files.write("/link", bytes("b"));
    expect(await readFile(join(root, "deep/er/a.txt"), "utf8")).toBe("b");
  });

  it("follows links also where the way to the root is one", async () => {
    await symlink(root, join(host, "door"));
    files = new FilesystemBackend({ rootDir: join(host, "door") });
    await link(join(root, "deep"), "real");
    await link(join(host, "door/deep"), "spelled");
    await link("../project/deep", "sideways");
    for (const name of ["real", "spelled", "sideways"]) expect(await text(`/${name}/er/a.txt`)).toBe("a");
  });

  it("ends at a circle of links", async () => {
    await link(join(root, "two"), "one");
    await link("one", "two");
    expect((await refusal(files.read("/one"))).code).toBe("path_denied");
    expect((await files.list("/")).map(({ path }) => path)).toEqual(["/deep"]);
  });

  it("does not remove the root", async () => {
    expect((await refusal(files.remove("/"))).code).toBe("path_denied");
    expect(await text("/deep/er/a.txt")).toBe("a");
  });

  it("names the path to use when it is given the host's own", async () => {
    for (const work of [
      () => files.read(join(root, "deep/er/a.txt")),
      () => files.write(join(root, "deep/er/a.txt"), bytes("x")),
      () => files.list(join(root, "deep")),
      () => files.remove(join(root, "deep")),
    ]) {
      expect(await refusal(work())).toMatchObject({ code: "path_of_host", retry: "model" });
    }
    const error = await refusal(files.read(join(root, "deep/er/a.txt")));
    expect(error.details["path"]).toBe("/deep/er/a.txt");
    expect((await refusal(files.list(root))).details["path"]).toBe("/");
  });

  it("takes such a path where the root really holds a copy of the whole way", async () => {
    await mkdir(join(root, root), { recursive: true });
    await files.write(`${root}/f`, bytes("copy"));
    expect(await readFile(join(root, root, "f"), "utf8")).toBe("copy");
  });

  it("over the whole disk takes host paths, links out of the root too, and keeps the root", async () => {
    const disk = new FilesystemBackend({ rootDir: root, virtualMode: false });
    await link(join(host, "secret.txt"), "link");
    expect(Buffer.from((await disk.read(join(root, "link")))?.bytes ?? []).toString()).toBe("secret");
    expect(await disk.realPath(join(root, "link"))).toBe(join(host, "secret.txt"));
    for (const kept of [root, host, "/"]) {
      await expect(disk.remove(kept)).rejects.toMatchObject({ code: "path_denied" });
    }
    expect(await disk.remove(join(root, "deep"))).toBe(true);
  });

  it("has one lock space with another backend over the same root", () => {
    expect(new FilesystemBackend({ rootDir: `${root}/` }).id).toBe(files.id);
    expect(new FilesystemBackend({ rootDir: host }).id).not.toBe(files.id);
  });

  it("is refused without a root", () => {
    expect(() => new FilesystemBackend({ rootDir: " " })).toThrow(/rootDir/);
  });
});
