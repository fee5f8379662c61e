import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { openSandbox } from "../../testing/open-sandbox.js";
import type { ProtocolStandIn } from "../../testing/protocol-stand-in.js";
import { asInstance, opened } from "../../testing/protocol-stand-in-package.js";
import { sandboxSuite } from "../../testing/sandbox-suite.js";
import type { Sandbox } from "../contract.js";
import { type RemoteOptions, RemoteProvider } from "./remote-provider.js";

const PACKAGE = fileURLToPath(new URL("../../testing/protocol-stand-in-package.ts", import.meta.url));
const provider = (options: Partial<RemoteOptions> = {}) =>
  new RemoteProvider({ use: `${PACKAGE}:WithCreate`, ...options });

afterAll(() => asInstance.close());

const works = (await bubblewrapWorks()) && process.getuid?.() === 0;
if (!works)
  process.stderr.write("The tests of remote sandboxes are skipped: they need root and bubblewrap.\n");

if (works)
  sandboxSuite("remote over a stand-in", () => openSandbox(provider()), {
    hasLiveOutput: false,
    timeoutSeconds: 2,
  });

describe.runIf(works)("RemoteProvider", () => {
  let folder: string;
  let work: string;
  let uses: RemoteProvider;
  let sandbox: Sandbox;
  const remote = (): ProtocolStandIn => opened.at(-1) as ProtocolStandIn;
  const there = (path: string) => join(remote().disk, "mnt/work", path);
  const run = (command: string) => sandbox.execute({ command });
  const spec = (id: string) => ({
    id,
    mounts: [
      { virtualPath: "/mnt/work", hostPath: work, mode: "read-write" as const },
      { virtualPath: "/mnt/read", hostPath: join(folder, "read"), mode: "read-only" as const },
    ],
    workingDirectory: "/mnt/work",
  });
  async function open(options: Partial<RemoteOptions> = {}) {
    uses = provider(options);
    sandbox = await uses.acquire(spec("a"));
  }
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "deerflow-mirror-"));
    work = join(folder, "work");
    mkdirSync(work);
    mkdirSync(join(folder, "read"));
    await open();
  });
  afterEach(async () => {
    await uses.close();
    rmSync(folder, { recursive: true });
  });

  it("shows a command the host's files, and brings back what it made, changed and removed", async () => {
    mkdirSync(join(work, "sub/empty"), { recursive: true });
    writeFileSync(join(work, "sub/a.txt"), "one");
    writeFileSync(join(work, "b.bin"), Buffer.from([0, 255, 10]));
    writeFileSync(join(folder, "read/skill"), "skill");
    const { output } = await run(
      "cat sub/a.txt /mnt/read/skill; ls sub; wc -c <b.bin; printf two >sub/a.txt; rm b.bin; mkdir new; printf '\\0x' >'new/a b'",
    );
    expect(output).toBe("oneskilla.txt\nempty\n3\n");
    expect(readFileSync(join(work, "sub/a.txt"), "utf8")).toBe("two");
    expect(readFileSync(join(work, "new/a b"), "latin1")).toBe("\0x");
    expect(readdirSync(work).toSorted()).toEqual(["new", "sub"]);
  });

  it("sends and brings a file only when its content changed", async () => {
    writeFileSync(join(work, "a"), "one");
    await run("true");
    expect(remote().uploaded).toEqual(["/mnt/work/a"]);
    utimesSync(join(work, "a"), 1, 1);
    await run("touch a");
    await run("true");
    expect(remote().uploaded).toEqual(["/mnt/work/a"]);
    expect(statSync(join(work, "a")).mtimeMs).toBe(1000);
    writeFileSync(join(work, "a"), "two");
    expect((await run("cat a")).output).toBe("two");
    expect(remote().uploaded).toHaveLength(2);
  });

  it("keeps both versions of what changed on both sides during a command", async () => {
    writeFileSync(join(work, "a"), "one");
    await run("true");
    const command = run("printf theirs >a; touch /tmp/changed; while [ ! -e /tmp/go ]; do sleep 0.02; done");
    await expect.poll(() => existsSync(join(remote().disk, "tmp/changed"))).toBe(true);
    writeFileSync(join(work, "a"), "mine");
    writeFileSync(join(remote().disk, "tmp/go"), "");
    const { notices } = await command;
    expect(notices).toEqual([
      "/mnt/work/a changed outside meanwhile; the command's version is /mnt/work/a.from-sandbox.",
    ]);
    expect(readFileSync(join(work, "a"), "utf8")).toBe("mine");
    expect(readFileSync(join(work, "a.from-sandbox"), "utf8")).toBe("theirs");
    expect((await run("cat a a.from-sandbox")).output).toBe("minetheirs");
  });

  it("puts a read-only mount back as it is on the host", async () => {
    writeFileSync(join(folder, "read/skill"), "skill");
    await run("printf changed >/mnt/read/skill; touch /mnt/read/new");
    expect((await run("cat /mnt/read/skill; ls /mnt/read")).output).toBe("skillskill\n");
    expect(readdirSync(join(folder, "read"))).toEqual(["skill"]);
  });

  it("loses nothing when the remote machine loses its disk", async () => {
    writeFileSync(join(work, "a"), "one");
    await run("true");
    remote().loseDisk();
    expect((await run("cat a")).output).toBe("one");
    expect(readFileSync(join(work, "a"), "utf8")).toBe("one");
  });

  it("follows no link, on neither side, and says so once", async () => {
    writeFileSync(join(folder, "outside"), "outside");
    symlinkSync(join(folder, "outside"), join(work, "host-link"));
    symlinkSync(folder, join(work, "host-folder"));
    const first = await run("ls; ln -s /etc/hostname link; ln -s /etc folder; mkfifo pipe");
    expect(first.output).toBe("");
    expect(first.notices?.join(" ")).toMatch(
      /links or special files.*host-folder.*links or special files.*pipe/,
    );
    expect(readdirSync(work).toSorted()).toEqual(["host-folder", "host-link"]);
    expect((await run("true")).notices).toBeUndefined();
  });

  it("writes nothing through a link that replaced a folder of the host", async () => {
    mkdirSync(join(work, "sub"));
    mkdirSync(join(folder, "outside"));
    await run("true");
    const command = run("printf x >sub/new; touch /tmp/changed; while [ ! -e /tmp/go ]; do sleep 0.02; done");
    await expect.poll(() => existsSync(join(remote().disk, "tmp/changed"))).toBe(true);
    rmSync(join(work, "sub"), { recursive: true });
    symlinkSync(join(folder, "outside"), join(work, "sub"));
    writeFileSync(join(remote().disk, "tmp/go"), "");
    await command;
    expect(readdirSync(join(folder, "outside"))).toEqual([]);
  });

  it("leaves out what is over the caps, removes nothing for it, and says so", async () => {
    await uses.close();
    await open({ caps: { fileBytes: 10, files: 3 } });
    writeFileSync(join(work, "big"), "x".repeat(11));
    for (const name of ["a", "b", "c", "d"]) writeFileSync(join(work, name), name);
    const { output, notices } = await run("ls");
    expect(output).toBe("a\nb\nc\n");
    expect(notices).toEqual([
      'Not mirrored, because they are over 0 MiB: "/mnt/work/big".',
      'Not mirrored, because more than 3 files changed at once: "/mnt/work/d".',
    ]);
    await run("head -c 20 /dev/zero >huge");
    expect(readdirSync(work)).toContain("big");
    expect(readdirSync(work)).not.toContain("huge");
    expect((await run("ls")).output).toContain("d\n");
  });

  it("removes nothing for what it could not look at", async () => {
    await uses.close();
    await open({ caps: { entries: 2 } });
    for (const name of ["a", "b", "c"]) writeFileSync(join(work, name), name);
    const { notices } = await run("rm -f *");
    expect(notices?.join(" ")).toContain("removals were not carried over");
    expect(readdirSync(work).length).toBeGreaterThan(0);
  });

  it("hides secrets in output", async () => {
    const { output } = await sandbox.execute({
      command: "echo $KEY; printf %s $KEY | wc -c",
      secrets: { KEY: "s3cret-value" },
    });
    expect(output).toBe("[redacted KEY]\n12\n");
  });

  it("ends a command with the abort signal, in the sandbox too", async () => {
    const stop = new AbortController();
    const command = sandbox.execute({
      command: "sleep 60 & echo $! >/tmp/pid; sleep 60",
      signal: stop.signal,
    });
    const pidFile = join(remote().disk, "tmp/pid");
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/^\d+\n/);
    stop.abort(new Error("the user stopped it"));
    await expect(command).rejects.toThrow("the user stopped it");
    expect(existsSync(`/proc/${readFileSync(pidFile, "utf8").trim()}/cwd`)).toBe(false);
  });

  it("reads and writes whole files by their path inside", async () => {
    await sandbox.files.write("/mnt/work/deep", Buffer.from([1, 2]));
    expect([...readFileSync(join(work, "deep"))]).toEqual([1, 2]);
    expect(await sandbox.files.read("/mnt/work/deep")).toEqual(Buffer.from([1, 2]));
    expect(await sandbox.files.read("/mnt/work/none")).toBeUndefined();
    expect(existsSync(there("deep"))).toBe(true);
  });

  it("keeps a sandbox for its thread until it is destroyed, and gives its place away when it rests", async () => {
    const first = remote();
    await uses.release("a");
    sandbox = await uses.acquire(spec("a"));
    expect(remote()).toBe(first);
    await uses.destroy("a");
    expect(first.isClosed).toBe(true);
  });

  it("lets threads have one shared sandbox one after the other, without what the one before left in its folders", async () => {
    await uses.close();
    await open({ use: `${PACKAGE}:asInstance` });
    writeFileSync(join(work, "of-a"), "a");
    await run("true");
    await expect(uses.acquire(spec("b"))).rejects.toThrow("in use");
    await uses.release("a");
    rmSync(join(work, "of-a"));
    sandbox = await uses.acquire(spec("b"));
    expect((await run("ls")).output).toBe("");
  });

  it("says in its health what it would use, and why it cannot", async () => {
    expect(await uses.health()).toMatchObject({
      available: true,
      reason: expect.stringContaining("WithCreate"),
    });
    const missing = await provider({ use: "no-such-package-of-ours:X" }).health();
    expect(missing).toMatchObject({ available: false, reason: expect.stringContaining("npm install") });
  });

  it("does not repeat a provider's own words, which may hold a key", async () => {
    const acquiring = provider({ use: `${PACKAGE}:failing` }).acquire(spec("a"));
    await expect(acquiring).rejects.toMatchObject({
      code: "sandbox_failed",
      message: expect.not.stringContaining("sk-1234"),
    });
  });
});
