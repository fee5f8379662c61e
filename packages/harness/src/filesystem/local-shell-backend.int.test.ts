import { readFileSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { LocalShellBackend } from "./local-shell-backend.js";

/** A process that was killed, but is not yet buried by its parent, has no command line. */
function isRunning(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false; // there is no such process any more
  }
}

const makeHost = async () => realpath(await mkdtemp(join(tmpdir(), "deerflow-shell-")));

fileBackendSuite("LocalShellBackend", async () => {
  const host = await makeHost();
  const files = new LocalShellBackend({ rootDir: host });
  return { files, root: "/", close: () => rm(host, { recursive: true }) };
});

fileBackendSuite("LocalShellBackend over the whole disk", async () => {
  const host = await makeHost();
  const files = new LocalShellBackend({ rootDir: host, virtualMode: false });
  return { files, root: host, close: () => rm(host, { recursive: true }) };
});

describe("the shell of a LocalShellBackend", () => {
  let host: string;
  let backend: LocalShellBackend;
  const run = (command: string) => backend.shell.sandbox.execute({ command });

  beforeEach(async () => {
    host = await makeHost();
    backend = new LocalShellBackend({ rootDir: host });
  });
  afterEach(() => rm(host, { recursive: true, force: true }));

  it("starts where the files are, and both see what the other does", async () => {
    await backend.write("/in.txt", Buffer.from("from the tool"));
    const { output, exitCode } = await run("cat in.txt; mkdir sub; echo -n from the shell > sub/out.txt");
    expect({ output, exitCode }).toEqual({ output: "from the tool", exitCode: 0 });
    expect(Buffer.from((await backend.read("/sub/out.txt"))?.bytes ?? []).toString()).toBe("from the shell");
    expect(backend.shell).toMatchObject({ workingDirectory: "/", reachesHost: true });
  });

  it("prints host paths as they are, and the file tools answer such a path with their own", async () => {
    const { output } = await run("mkdir sub && cd sub && pwd");
    expect(output).toBe(`${host}/sub\n`);
    await expect(backend.write(`${host}/sub/f`, Buffer.from("x"))).rejects.toMatchObject({
      code: "path_of_host",
      details: { path: "/sub/f" },
    });
  });

  it("tells no command where this process works", async () => {
    const { output } = await run("echo $OLDPWD; env; pwd");
    expect(output).toContain(host);
    expect(output).not.toContain(process.cwd());
    expect(output).not.toContain("OLDPWD");
  });

  it("takes a virtual working directory, or a host's own over the whole disk", async () => {
    await run("mkdir sub");
    const { sandbox } = backend.shell;
    expect((await sandbox.execute({ command: "pwd", cwd: "/sub" })).output).toBe(`${host}/sub\n`);
    const whole = new LocalShellBackend({ rootDir: host, virtualMode: false });
    expect(whole.shell.workingDirectory).toBe(host);
    expect((await whole.shell.sandbox.execute({ command: "pwd" })).output).toBe(`${host}\n`);
    expect((await whole.shell.sandbox.execute({ command: "pwd", cwd: "/usr" })).output).toBe("/usr\n");
  });

  it("makes a root that is missing", async () => {
    backend = new LocalShellBackend({ rootDir: join(host, "new") });
    expect((await run("pwd")).output).toBe(`${host}/new\n`);
  });

  it("says without a host path that a root cannot be made", async () => {
    await writeFile(join(host, "file"), "");
    backend = new LocalShellBackend({ rootDir: join(host, "file/root") });
    await expect(run("pwd")).rejects.toMatchObject({
      code: "command_invalid",
      message: expect.not.stringContaining(host),
    });
  });

  it("has an empty environment, unless one is given or inherited", async () => {
    process.env["DEERFLOW_TEST_SECRET"] = "of the host";
    const names = async () =>
      (await run("compgen -e")).output
        .trim()
        .split("\n")
        .filter((name) => !["PWD", "OLDPWD", "SHLVL", "_", "DEERFLOW_COMMAND_ID"].includes(name));
    expect(await names()).toEqual([]);
    backend = new LocalShellBackend({ rootDir: host, env: { COLOUR: "blue" } });
    expect(await names()).toEqual(["COLOUR"]);
    backend = new LocalShellBackend({
      rootDir: host,
      inheritEnv: true,
      env: { DEERFLOW_TEST_OWN: "$HOME 'x'" },
    });
    const { output } = await run('echo "$DEERFLOW_TEST_SECRET $DEERFLOW_TEST_OWN"; type -P ls');
    expect(output).toMatch(/^of the host \$HOME 'x'\n\/\S+\/ls\n$/);
    delete process.env["DEERFLOW_TEST_SECRET"];
  });

  it("gives a command that reads nothing to read", async () => {
    expect(await run("cat; echo end")).toMatchObject({ output: "end\n", exitCode: 0, timedOut: false });
  });

  it("keeps what a command printed before its time was up", async () => {
    backend = new LocalShellBackend({ rootDir: host, timeoutSeconds: 0.5 });
    const result = await run("echo before; sleep 30; echo after");
    expect(result).toMatchObject({ output: "before\n", timedOut: true, exitCode: 124 });
    expect(result.durationMilliseconds).toBeLessThan(10_000);
  });

  it("waits for no process in the background, whether or not it holds the output open, and ends it", async () => {
    const result = await run("(sleep 30; touch late) & setsid sleep 30 & sleep 30 > /dev/null & echo $!");
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.durationMilliseconds).toBeLessThan(10_000);
    expect(isRunning(result.output.trim())).toBe(false);
  });

  it("ends a group whose head waits for an orphan when the time is up", async () => {
    backend = new LocalShellBackend({ rootDir: host, timeoutSeconds: 0.5 });
    const result = await run("sleep 30 & echo $!; wait");
    expect(result).toMatchObject({ timedOut: true });
    expect(isRunning(result.output.trim())).toBe(false);
  });

  it("keeps both ends of a long output", async () => {
    backend = new LocalShellBackend({ rootDir: host, maxOutputCharacters: 100 });
    const { output, truncated } = await run("seq 1 1000");
    expect(truncated).toBe(true);
    expect(output).toMatch(/^1\n2\n[\s\S]*characters left out[\s\S]*\n1000\n$/);
    expect(output.length).toBeLessThan(200);
  });

  it("tells a failure by its exit code, with both streams", async () => {
    expect(await run("echo out; echo err >&2; exit 3")).toMatchObject({ output: "out\nerr\n", exitCode: 3 });
  });

  it("refuses an empty command", async () => {
    await expect(run("  ")).rejects.toMatchObject({ code: "command_invalid" });
  });

  it("is refused with limits that are none", () => {
    for (const wrong of [
      { timeoutSeconds: 0 },
      { timeoutSeconds: Number.NaN },
      { maxOutputCharacters: -1 },
    ]) {
      expect(() => new LocalShellBackend({ rootDir: host, ...wrong })).toThrow(/must be more than 0/);
    }
  });

  it("goes through a root whose name needs quoting", async () => {
    const rootDir = join(host, "it's $HOME `here`");
    backend = new LocalShellBackend({ rootDir });
    await run("echo -n x > f");
    expect(await readFile(join(rootDir, "f"), "utf8")).toBe("x");
    await writeFile(join(rootDir, "g"), "y");
    expect((await run("cat g")).output).toBe("y");
  });
});
