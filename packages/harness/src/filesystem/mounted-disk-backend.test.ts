import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { refusalOf } from "../testing/refusal-of.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const WORKSPACE = "/mnt/user-data/workspace";
const bytes = (text: string): Uint8Array => Buffer.from(text);

async function openDisk() {
  const host = await mkdtemp(join(tmpdir(), "deerflow-disk-"));
  const files = new MountedDiskBackend({
    mounts: [
      { virtualPath: WORKSPACE, hostPath: join(host, "workspace"), mode: "read-write" },
      { virtualPath: "/mnt/user-data/outputs", hostPath: join(host, "outputs"), mode: "read-write" },
      { virtualPath: "/mnt/skills", hostPath: join(host, "skills"), mode: "read-only" },
    ],
  });
  await mkdir(join(host, "workspace"));
  await mkdir(join(host, "skills"));
  await writeFile(join(host, "skills/SKILL.md"), "skill");
  await writeFile(join(host, "secret.txt"), "secret");
  return { host, files, root: WORKSPACE, close: () => rm(host, { recursive: true, force: true }) };
}

fileBackendSuite("MountedDiskBackend", openDisk);

describe("MountedDiskBackend", () => {
  let disk: Awaited<ReturnType<typeof openDisk>>;
  const text = async (path: string) => {
    const content = await disk.files.read(path);
    return content === undefined ? undefined : Buffer.from(content.bytes).toString();
  };
  const refusal = (work: Promise<unknown>) => refusalOf(work, disk.host);
  beforeEach(async () => {
    disk = await openDisk();
  });
  afterEach(() => disk.close());

  it.each([
    ["/", ["/mnt"]],
    ["/mnt", ["/mnt/skills", "/mnt/user-data"]],
    ["/mnt/user-data", ["/mnt/user-data/outputs", WORKSPACE]],
    ["/mnt/user-data/outputs", []],
  ])("lists %s, which lies above or at the mounts", async (path, children) => {
    const listed = await disk.files.list(path);
    expect(listed.map((entry) => [entry.path, entry.kind])).toEqual(
      children.map((child) => [child, "directory"]),
    );
  });

  it("has nothing outside the mounts, and names what can be written", async () => {
    expect(await disk.files.stat("/etc/passwd")).toBeUndefined();
    expect(await disk.files.read("/etc/passwd")).toBeUndefined();
    expect((await refusal(disk.files.list("/etc"))).code).toBe("path_not_found");
    const error = await refusal(disk.files.write("/etc/x", bytes("x")));
    expect(error.code).toBe("path_denied");
    expect(error.sentence).toContain(WORKSPACE);
  });

  it("writes nothing under a read-only mount", async () => {
    expect(await text("/mnt/skills/SKILL.md")).toBe("skill");
    expect((await refusal(disk.files.write("/mnt/skills/SKILL.md", bytes("x")))).code).toBe("path_denied");
    expect((await refusal(disk.files.remove("/mnt/skills/SKILL.md"))).code).toBe("path_denied");
    expect(await text("/mnt/skills/SKILL.md")).toBe("skill");
  });

  it.each(["/", "/mnt", WORKSPACE])("does not remove %s", async (path) => {
    expect((await refusal(disk.files.remove(path))).code).toBe("path_denied");
  });

  it("creates the host folder of a mount at the first write", async () => {
    await disk.files.write("/mnt/user-data/outputs/deep/report.md", bytes("r"));
    expect(await readFile(join(disk.host, "outputs/deep/report.md"), "utf8")).toBe("r");
  });

  it("keeps the mode of a replaced file and leaves no temporary file", async () => {
    const script = join(disk.host, "workspace/run.sh");
    await writeFile(script, "old");
    await chmod(script, 0o751);
    await disk.files.write(`${WORKSPACE}/run.sh`, bytes("new"));
    expect((await stat(script)).mode & 0o7777).toBe(0o751);
    expect(await readdir(join(disk.host, "workspace"))).toEqual(["run.sh"]);
  });

  it.each([0o4755, 0o2755, 0o1755])("takes the special bit of mode %o from a replaced file", async (mode) => {
    const script = join(disk.host, "workspace/run.sh");
    await writeFile(script, "old");
    await chmod(script, mode);
    expect((await stat(script)).mode & 0o7777).toBe(mode);
    await disk.files.write(`${WORKSPACE}/run.sh`, bytes("new"));
    expect((await stat(script)).mode & 0o7777).toBe(0o755);
  });

  it("hides the temporary files that a killed process left behind", async () => {
    await writeFile(join(disk.host, "workspace/.deerflow-0123456789abcdef.tmp"), "half");
    expect(await disk.files.list(WORKSPACE)).toEqual([]);
  });

  describe("with planted links", () => {
    const link = (target: string, name: string) => symlink(target, join(disk.host, "workspace", name));

    it.each([
      ["an absolute link to a host file", (host: string) => join(host, "secret.txt"), "leak"],
      ["a relative link to a host file", () => "../secret.txt", "leak"],
      ["a link to a host folder", (host: string) => host, "leak/secret.txt"],
      ["a climbing link", () => "../../../../../../../../etc", "leak/passwd"],
      ["a link to /etc", () => "/etc", "leak/passwd"],
      ["a link to /proc", () => "/proc/self", "leak/environ"],
    ])("neither shows nor follows %s", async (_, target, path) => {
      await link(target(disk.host), "leak");
      const before = await readFile(join(disk.host, "secret.txt"), "utf8");
      expect(await disk.files.list(WORKSPACE)).toEqual([]);
      expect((await refusal(disk.files.read(`${WORKSPACE}/${path}`))).code).toBe("path_denied");
      expect((await refusal(disk.files.write(`${WORKSPACE}/${path}`, bytes("x")))).code).toBe("path_denied");
      expect((await refusal(disk.files.stat(`${WORKSPACE}/${path}`))).code).toBe("path_denied");
      expect((await refusal(disk.files.openFolders(`${WORKSPACE}/${path}`))).code).toBe("path_denied");
      expect(await readFile(join(disk.host, "secret.txt"), "utf8")).toBe(before);
    });

    it("follows links inside the tree as the sandbox would see them", async () => {
      await disk.files.write(`${WORKSPACE}/real/a.txt`, bytes("a"));
      await disk.files.write("/mnt/user-data/outputs/b.txt", bytes("b"));
      await link("real", "relative");
      await link("/mnt/user-data/outputs", "absolute");
      await link("../outputs/b.txt", "sideways");
      expect(await text(`${WORKSPACE}/relative/a.txt`)).toBe("a");
      expect(await text(`${WORKSPACE}/absolute/b.txt`)).toBe("b");
      expect(await text(`${WORKSPACE}/sideways`)).toBe("b");
      expect(
        (await disk.files.list(WORKSPACE)).map(({ path, kind, link }) => ({ path, kind, link })),
      ).toEqual([
        { path: `${WORKSPACE}/absolute`, kind: "directory", link: true },
        { path: `${WORKSPACE}/real`, kind: "directory", link: undefined },
        { path: `${WORKSPACE}/relative`, kind: "directory", link: true },
        { path: `${WORKSPACE}/sideways`, kind: "file", link: true },
      ]);
    });

    it("writes through a link to the file that it names, and obeys that file's mount", async () => {
      await link("/mnt/user-data/outputs/b.txt", "through");
      await link("/mnt/skills/SKILL.md", "skill");
      await disk.files.write(`${WORKSPACE}/through`, bytes("b"));
      expect(await text("/mnt/user-data/outputs/b.txt")).toBe("b");
      expect((await refusal(disk.files.write(`${WORKSPACE}/skill`, bytes("x")))).code).toBe("path_denied");
    });

    it("ends at a circle of links", async () => {
      await link("two", "one");
      await link("one", "two");
      expect((await refusal(disk.files.read(`${WORKSPACE}/one`))).code).toBe("path_denied");
      expect(await disk.files.list(WORKSPACE)).toEqual([]);
    });

    it("removes the link, never what it names", async () => {
      await link(join(disk.host, "secret.txt"), "leak");
      await mkdir(join(disk.host, "workspace/folder"));
      await symlink(disk.host, join(disk.host, "workspace/folder/up"));
      expect(await disk.files.remove(`${WORKSPACE}/leak`)).toBe(true);
      expect(await disk.files.remove(`${WORKSPACE}/folder`)).toBe(true);
      expect(await readFile(join(disk.host, "secret.txt"), "utf8")).toBe("secret");
    });
  });

  it("neither waits for nor replaces a named pipe", async () => {
    execFileSync("mkfifo", [join(disk.host, "workspace/pipe")]);
    expect(await disk.files.list(WORKSPACE)).toEqual([]);
    expect((await refusal(disk.files.read(`${WORKSPACE}/pipe`))).code).toBe("path_denied");
    expect((await refusal(disk.files.write(`${WORKSPACE}/pipe`, bytes("x")))).code).toBe("path_denied");
  });

  it("refuses to read a file above its limit", async () => {
    await writeFile(join(disk.host, "big"), "");
    const small = new MountedDiskBackend({
      mounts: [{ virtualPath: "/w", hostPath: join(disk.host, "workspace"), mode: "read-write" }],
      maxReadBytes: 3,
    });
    await small.write("/w/f", bytes("four"));
    expect(await refusal(small.read("/w/f"))).toMatchObject({ code: "file_too_large", retry: "model" });
  });

  it("shares its lock space with another backend over the same folders", () => {
    const mounts = [{ virtualPath: "/w", hostPath: "/tmp/w", mode: "read-write" as const }];
    expect(new MountedDiskBackend({ mounts }).id).toBe(new MountedDiskBackend({ mounts }).id);
  });
});
