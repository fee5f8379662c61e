import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { type DockerStandIn, dockerStandIn } from "../../testing/open-docker.js";
import { openSandbox } from "../../testing/open-sandbox.js";
import { sandboxSuite } from "../../testing/sandbox-suite.js";
import { type AioOptions, AioProvider } from "./aio-provider.js";

const works = (await bubblewrapWorks()) && process.getuid?.() === 0;
if (!works) process.stderr.write("The AIO tests are skipped: they need root and bubblewrap.\n");

const aio = (docker: DockerStandIn, options: AioOptions = {}) =>
  new AioProvider({ image: "example/aio:1", network: "open", env: docker.env, ...options });

if (works) {
  const open = async () => {
    const docker = dockerStandIn();
    const opened = await openSandbox(aio(docker));
    const close = async () => {
      await opened.close();
      docker.remove();
    };
    return { ...opened, close };
  };
  sandboxSuite("AIO over a stand-in", open, { timeoutSeconds: 2 });
}

describe.runIf(works)("AioProvider", () => {
  let docker: DockerStandIn;
  let folder: string;
  let servers: ChildProcess[];
  const spec = (id: string) => ({
    id,
    mounts: [{ virtualPath: "/mnt/work", hostPath: join(folder, "work"), mode: "read-write" as const }],
    workingDirectory: "/mnt/work",
  });
  beforeEach(() => {
    docker = dockerStandIn();
    folder = mkdtempSync(join(tmpdir(), "deerflow-aio-"));
    mkdirSync(join(folder, "work"));
    servers = [];
  });
  afterEach(() => {
    for (const server of servers) server.kill("SIGKILL");
    docker.remove();
    rmSync(folder, { recursive: true });
  });

  /** One that runs already, with a disk of its own. */
  async function serve(key = "the-key"): Promise<string> {
    const program = fileURLToPath(new URL("../../testing/aio-stand-in.mjs", import.meta.url));
    const binds = ["mnt", "tmp"].map((name) => ({
      source: join(folder, `disk-${name}`),
      target: `/${name}`,
    }));
    for (const { source } of binds) mkdirSync(source);
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      SANDBOX_API_KEY: key,
      AIO_BINDS: JSON.stringify(binds),
    };
    const portFile = join(folder, "port");
    servers.push(spawn(process.execPath, [program, portFile], { env, stdio: "ignore" }));
    await expect.poll(() => existsSync(portFile) && readFileSync(portFile, "utf8")).toMatch(/^\d+$/);
    return `http://127.0.0.1:${readFileSync(portFile, "utf8")}`;
  }

  it("starts a container that only this machine reaches, with a key that no argument shows", async () => {
    const provider = aio(docker);
    const sandbox = await provider.acquire(spec("a"));
    const { output } = await sandbox.execute({ command: "echo $KEY", secrets: { KEY: "s3cret-value" } });
    expect(output).toBe("[redacted KEY]\n");
    const started = docker.calls().find(([name]) => name === "run");
    expect(started).toEqual(expect.arrayContaining(["--publish", "127.0.0.1::8080", "SANDBOX_API_KEY"]));
    expect(started?.join(" ")).not.toMatch(/SANDBOX_API_KEY=|seccomp/);
    await provider.close();
    expect(docker.containers()).toEqual([]);
  });

  it.each([
    ["without an open network", { network: "none" }, "sandbox.network.mode: open"],
    ["whose image answers without the key", { image: "keyless/aio" }, "answers without the key"],
    ["that does not answer", { image: "silent/aio", startSeconds: 0.1 }, "could not run the command"],
    ["elsewhere without a key", { baseUrl: "http://10.1.2.3:8080" }, "sandbox.docker.api_key is needed"],
  ] as const)(
    "refuses a sandbox %s, and leaves no container",
    async (_name, options, reason) => {
      await expect(aio(docker, options).acquire(spec("a"))).rejects.toThrow(reason);
      expect(docker.containers()).toEqual([]);
    },
    90_000,
  );

  it("says that an image is too old for it", async () => {
    const provider = aio(docker, { image: "old/aio" });
    const sandbox = await provider.acquire(spec("a"));
    await expect(sandbox.execute({ command: "true" })).rejects.toThrow("1.9.3 or newer");
    await provider.close();
  });

  it("mirrors the folders of a thread into one that runs already", async () => {
    const provider = aio(docker, { baseUrl: await serve(), apiKey: "the-key" });
    writeFileSync(join(folder, "work/a.txt"), "from the host");
    const sandbox = await provider.acquire(spec("a"));
    expect((await sandbox.execute({ command: "cat a.txt; printf '\\377' >b.bin" })).output).toBe(
      "from the host",
    );
    expect([...readFileSync(join(folder, "work/b.bin"))]).toEqual([255]);
    await expect(provider.acquire(spec("b"))).rejects.toThrow("in use");
    await provider.release("a");
    rmSync(join(folder, "work"), { recursive: true });
    mkdirSync(join(folder, "work"));
    const other = await provider.acquire(spec("b"));
    expect((await other.execute({ command: "ls" })).output).toBe("");
    expect(readdirSync(join(folder, "work"))).toEqual([]);
    await provider.close();
  });

  it("says in its health whether it is there", async () => {
    const baseUrl = await serve();
    expect(await aio(docker, { baseUrl, apiKey: "the-key" }).health()).toMatchObject({ available: true });
    expect(await aio(docker, { baseUrl, apiKey: "wrong" }).health()).toMatchObject({
      available: false,
      reason: expect.stringContaining("refuses the key"),
    });
    expect(await aio(docker).health()).toMatchObject({
      available: true,
      reason: expect.stringContaining("untested against a real engine"),
    });
    expect(await aio(docker, { network: "allow_list" }).health()).toMatchObject({ available: false });
  });
});
