/** Every result shape of the protocol, in both directions. */
import { describe, expect, it } from "vitest";
import { sha256 } from "../../base/hash.js";
import { DeerflowError } from "../../base/errors.js";
import { scriptedSandbox } from "../../testing/scripted-sandbox.js";
import type { FileBackend, FileEntry } from "../contract.js";
import { withShell } from "../with-shell.js";
import { fromSandboxBackendProtocolV2 } from "./from-sandbox-protocol.js";
import type { SandboxBackendProtocolV2 } from "../../sandbox/remote/sandbox-protocol.js";
import { toSandboxBackendProtocolV2 } from "./to-sandbox-protocol.js";

const TIME = Date.parse("2026-01-02T03:04:05.000Z");
const ISO = "2026-01-02T03:04:05.000Z";

/** A flat tree in memory, with what the protocol's shapes are made of. */
function memoryFiles(given: Readonly<Record<string, string | Uint8Array>>): FileBackend {
  const content = new Map(Object.entries(given).map(([path, text]) => [path, Buffer.from(text)]));
  const isFolder = (path: string) =>
    path === "/" || [...content.keys()].some((key) => key.startsWith(`${path}/`));
  const entry = (path: string): FileEntry | undefined => {
    const bytes = content.get(path);
    if (bytes !== undefined) return { path, kind: "file", size: bytes.length, modifiedAt: TIME };
    return isFolder(path) ? { path, kind: "directory", size: 0, modifiedAt: TIME } : undefined;
  };
  return {
    id: "memory",
    async list(path) {
      const base = path === "/" ? "/" : `${path}/`;
      const names = [...content.keys()]
        .filter((key) => key.startsWith(base))
        .map((key) => key.slice(base.length).split("/")[0] ?? "");
      return [...new Set(names)].sort().flatMap((name) => entry(`${base}${name}`) ?? []);
    },
    stat: async (path) => entry(path),
    async read(path) {
      const bytes = content.get(path);
      return bytes && { bytes, version: sha256(bytes) };
    },
    async write(path, bytes) {
      if (path.startsWith("/read-only/")) throw new DeerflowError("path_denied", { path, reason: "no" });
      content.set(path, Buffer.from(bytes));
      return sha256(bytes);
    },
    async remove(path) {
      const gone = [...content.keys()].filter((key) => key === path || key.startsWith(`${path}/`));
      for (const key of gone) content.delete(key);
      return gone.length > 0;
    },
  };
}

const echo = {
  workingDirectory: "/work",
  reachesHost: false,
  sandbox: scriptedSandbox(
    ({ command }) => ({
      output: `ran ${command}\n`,
      exitCode: command === "killed" ? undefined : 0,
    }),
    "echo",
  ),
};

const TREE = {
  "/work/a.txt": "one\ntwo\nthree\n",
  "/work/sub/b.py": "two",
  "/work/raw": Uint8Array.of(0, 255),
};
const protocol = () => toSandboxBackendProtocolV2(withShell(memoryFiles(TREE), echo));
const info = (path: string, isFolder: boolean, size: number) => ({
  path,
  is_dir: isFolder,
  size,
  modified_at: ISO,
});

describe("our files as a sandbox of deepagents", () => {
  it("lists with whole paths, folders with a final slash, and spells a relative folder as it was asked", async () => {
    expect(await protocol().ls("/work")).toEqual({
      files: [info("/work/a.txt", false, 14), info("/work/raw", false, 2), info("/work/sub/", true, 0)],
    });
    expect((await protocol().ls("sub/")).files).toEqual([info("sub/b.py", false, 3)]);
    expect(await protocol().ls("/missing")).toEqual({ files: [] });
  });

  it("reads text by lines and bytes whole", async () => {
    const sandbox = protocol();
    expect(await sandbox.read("a.txt")).toEqual({
      content: "one\ntwo\nthree\n",
      mimeType: "text/plain",
      totalLines: 3,
      startLine: 1,
      endLine: 3,
    });
    expect(await sandbox.read("a.txt", 1, 1)).toEqual({
      content: "two\n",
      mimeType: "text/plain",
      totalLines: 3,
      startLine: 2,
      endLine: 2,
      nextOffset: 2,
    });
    expect(await sandbox.read("a.txt", 0, 0)).toEqual({ content: "", mimeType: "text/plain", totalLines: 3 });
    expect(await sandbox.read("a.txt", 9)).toEqual({ content: "", mimeType: "text/plain", totalLines: 3 });
    expect(await sandbox.read("raw")).toEqual({
      content: Buffer.of(0, 255),
      mimeType: "application/octet-stream",
    });
    expect(await sandbox.read("none")).toEqual({ error: expect.stringMatching(/not found.*none/is) });
    expect(await sandbox.readRaw("a.txt")).toEqual({
      data: { content: "one\ntwo\nthree\n", mimeType: "text/plain", created_at: ISO, modified_at: ISO },
    });
  });

  it("writes and edits, and says how many places an edit changed", async () => {
    const sandbox = protocol();
    expect(await sandbox.write("new//x.txt", "a a")).toEqual({ path: "new//x.txt", filesUpdate: null });
    expect(await sandbox.edit("new/x.txt", "a", "b")).toEqual({ error: expect.stringMatching(/multiple/i) });
    expect(await sandbox.edit("new/x.txt", "z", "b")).toEqual({ error: expect.stringMatching(/not found/i) });
    expect(await sandbox.edit("nowhere", "z", "b")).toEqual({ error: expect.stringMatching(/not found/i) });
    expect(await sandbox.edit("new/x.txt", "a", "$&", true)).toEqual({
      path: "new/x.txt",
      filesUpdate: null,
      occurrences: 2,
    });
    expect(await sandbox.edit("new/x.txt", "$& ", "$& ")).toEqual({
      path: "new/x.txt",
      filesUpdate: null,
      occurrences: 1,
    });
    expect((await sandbox.read("/work/new/x.txt")).content).toBe("$& $&");
  });

  it("greps literal text, and spells the paths below the folder asked for", async () => {
    expect(await protocol().grep("two", ".")).toEqual({
      matches: [
        { path: "./a.txt", line: 2, text: "two" },
        { path: "./sub/b.py", line: 1, text: "two" },
      ],
    });
    expect(await protocol().grep("two", "/work", "*.py")).toEqual({
      matches: [{ path: "/work/sub/b.py", line: 1, text: "two" }],
    });
    expect(await protocol().grep("two", null, null, 1)).toEqual({
      matches: [{ path: "/work/a.txt", line: 2, text: "two" }],
      truncated: true,
    });
  });

  it("globs files and folders, relative to the folder searched", async () => {
    expect(await protocol().glob("**/*.py", "/work")).toEqual({ files: [info("sub/b.py", false, 3)] });
    expect(await protocol().glob("sub")).toEqual({ files: [info("sub", true, 0)] });
    expect(await protocol().glob("../*")).toEqual({ error: expect.stringMatching(/\.\./) });
  });

  it("deletes, uploads, downloads and executes", async () => {
    const sandbox = protocol();
    expect(await sandbox.delete("sub")).toEqual({ path: "sub" });
    expect(await sandbox.delete("sub")).toEqual({ error: expect.stringMatching(/not found/i) });
    expect(
      await sandbox.uploadFiles([
        ["up", Buffer.from("x")],
        ["/read-only/up", Buffer.from("x")],
      ]),
    ).toEqual([
      { path: "up", error: null },
      { path: "/read-only/up", error: "permission_denied" },
    ]);
    expect(await sandbox.downloadFiles(["up", "none", "/work", "../x"])).toEqual([
      { path: "up", content: Buffer.from("x"), error: null },
      { path: "none", content: null, error: "file_not_found" },
      { path: "/work", content: null, error: "is_directory" },
      { path: "../x", content: null, error: "file_not_found" },
    ]);
    expect(await sandbox.execute("ls")).toEqual({ output: "ran ls\n", exitCode: 0, truncated: false });
    expect(await sandbox.execute("killed")).toEqual({
      output: "ran killed\n",
      exitCode: null,
      truncated: false,
    });
  });

  it("begins with its initial files, and after the end answers nothing but errors", async () => {
    const closed: string[] = [];
    const sandbox = toSandboxBackendProtocolV2(withShell(memoryFiles({}), echo), {
      initialFiles: { "x/y.txt": "hello" },
      onClose: () => void closed.push("closed"),
    });
    expect(sandbox.isRunning).toBe(false);
    await sandbox.initialize();
    expect([sandbox.isRunning, (await sandbox.read("x/y.txt")).content]).toEqual([true, "hello"]);
    await sandbox.close();
    await sandbox.close();
    expect([sandbox.isRunning, closed]).toEqual([false, ["closed"]]);
    expect(await sandbox.read("x/y.txt")).toEqual({ error: "The sandbox is not running." });
    expect(await sandbox.execute("ls")).toMatchObject({ exitCode: 1 });
  });
});

describe("a sandbox of deepagents as our files", () => {
  /** One that has only what the protocol demands. */
  const bare = (): SandboxBackendProtocolV2 => {
    const { ls, read, readRaw, write, edit, grep, glob, execute } = protocol();
    const inner = protocol();
    const bound = { ls, read, readRaw, write, edit, grep, glob, execute };
    return {
      id: "bare",
      ...(Object.fromEntries(
        Object.entries(bound).map(([name, verb]) => [name, verb.bind(inner as never)]),
      ) as typeof bound),
    };
  };

  it.each([
    ["with uploads and downloads", () => protocol()],
    ["without them", bare],
  ])("keeps the verbs %s", async (_, open) => {
    const files = fromSandboxBackendProtocolV2(open());
    expect((await files.list("/work")).map(({ path, kind }) => [path, kind])).toEqual([
      ["/work/a.txt", "file"],
      ["/work/raw", "file"],
      ["/work/sub", "directory"],
    ]);
    expect(await files.stat("/work/a.txt")).toEqual({
      path: "/work/a.txt",
      kind: "file",
      size: 14,
      modifiedAt: TIME,
    });
    expect([await files.stat("/none"), await files.read("/none"), await files.read("/work")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([...((await files.read("/work/raw"))?.bytes ?? [])]).toEqual([0, 255]);
    const version = await files.write("/work/new.txt", Buffer.from("x"), { expectedVersion: null });
    await expect(
      files.write("/work/new.txt", Buffer.from("y"), { expectedVersion: sha256("z") }),
    ).rejects.toMatchObject({ code: "file_changed" });
    await files.write("/work/new.txt", Buffer.from("y"), { expectedVersion: version });
    expect(Buffer.from((await files.read("/work/new.txt"))?.bytes ?? []).toString()).toBe("y");
    await expect(files.list("/none")).rejects.toMatchObject({ code: "path_not_found" });
    await expect(files.list("/work/a.txt")).rejects.toMatchObject({ code: "not_a_directory" });
    await expect(files.write("/work/sub", Buffer.from("y"))).rejects.toMatchObject({
      code: "is_a_directory",
    });
    await expect(files.write("/read-only/x", Buffer.from("y"))).rejects.toMatchObject({
      code: "path_denied",
    });
  });

  it("never lets text stand for other bytes where the provider takes only text", async () => {
    const files = fromSandboxBackendProtocolV2(bare());
    await expect(files.write("/work/x", Uint8Array.of(255))).rejects.toMatchObject({ code: "file_not_text" });
  });

  it("removes by the provider's delete", async () => {
    const files = fromSandboxBackendProtocolV2(protocol());
    expect([await files.remove("/work/sub"), await files.remove("/work/sub")]).toEqual([true, false]);
    await expect(files.remove("/")).rejects.toMatchObject({ code: "path_denied" });
  });

  it("runs commands with a folder and variables, and stops waiting when told", async () => {
    const { shell } = fromSandboxBackendProtocolV2(protocol(), { workingDirectory: "/work" });
    expect(shell?.workingDirectory).toBe("/work");
    const result = await shell?.sandbox.execute({ command: "ls", cwd: "/a b", env: { X: "it's" } });
    expect(result).toMatchObject({
      output: `ran export X='it'\\''s' && cd -- '/a b' && ls\n`,
      exitCode: 0,
      timedOut: false,
    });
    const never = { ...bare(), execute: () => new Promise<never>(() => {}) };
    const stuck = fromSandboxBackendProtocolV2(never).shell?.sandbox;
    expect(await stuck?.execute({ command: "sleep", timeoutSeconds: 0.01 })).toMatchObject({
      timedOut: true,
    });
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(stuck?.execute({ command: "sleep", signal })).rejects.toThrow("stop");
  });
});
