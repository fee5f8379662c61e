import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { type DockerStandIn, dockerStandIn } from "../../testing/open-docker.js";
import { openSandbox } from "../../testing/open-sandbox.js";
import { sandboxSuite } from "../../testing/sandbox-suite.js";
import { DockerProvider } from "./docker-provider.js";

// The stand-in's commands see each other's processes only where the host is root.
const works = (await bubblewrapWorks()) && process.getuid?.() === 0;
if (!works) process.stderr.write("The docker tests are skipped: they need root and bubblewrap.\n");

if (works) {
  const open = async () => {
    const docker = dockerStandIn();
    const opened = await openSandbox(docker.provider({ limits: { outputCharacters: 100_000 } }));
    const close = async () => {
      await opened.close();
      docker.remove();
    };
    return { ...opened, close };
  };
  sandboxSuite("docker over a stand-in", open, { timeoutSeconds: 4 });
}

describe.runIf(works)("DockerProvider", () => {
  let docker: DockerStandIn;
  let folder: string;
  const spec = (id: string) => ({
    id,
    mounts: [{ virtualPath: "/mnt/work", hostPath: folder, mode: "read-write" as const }],
    workingDirectory: "/mnt/work",
  });
  beforeEach(() => {
    docker = dockerStandIn();
    folder = mkdtempSync(join(tmpdir(), "deerflow-docker-mount-"));
  });
  afterEach(() => {
    docker.remove();
    rmSync(folder, { recursive: true });
  });

  it("says in its health that it was not tested against a real engine, and what keeps commands in bounds", async () => {
    const health = await docker.provider().health();
    expect(health).toMatchObject({ available: true, network: "Containers have no network." });
    expect(health.reason).toContain("untested against a real engine");
    expect(docker.calls().map(([name]) => name)).toEqual(["version", "image"]);
  });

  it.each([
    ["an engine that is down", () => docker.stopEngine(), {}, "Cannot connect to the Docker daemon"],
    ["an image that is not there", () => undefined, { image: "missing/image" }, "docker pull missing/image"],
    ["an allow-list", () => undefined, { network: "allow_list" as const }, "works with bubblewrap only"],
    ["a machine without docker", () => undefined, { env: { PATH: "/nowhere" } }, "not on the PATH"],
  ])("is not available with %s", async (_name, prepare, options, reason) => {
    prepare();
    const health = await docker.provider(options).health();
    expect(health).toMatchObject({ available: false, reason: expect.stringContaining(reason) });
  });

  it("refuses to start a container with an allow-list, whatever its health was", async () => {
    await expect(docker.provider({ network: "allow_list" }).acquire(spec("a"))).rejects.toMatchObject({
      code: "sandbox_failed",
    });
    expect(docker.calls()).toEqual([]);
  });

  it("hides secrets and variables of the configuration in output, and never names them in arguments", async () => {
    const provider = docker.provider({ environment: { TOKEN: "configured-token" } });
    const sandbox = await provider.acquire(spec("a"));
    let heard = "";
    const { output } = await sandbox.execute({
      command:
        'echo "$TOKEN $KEY" | tee kept; wc -c <kept; printf \'%s\' "${KEY:0:6}"; printf \'%s\' "${KEY:6}"',
      secrets: { KEY: "s3cret-value" },
      onOutput: (chunk) => {
        heard += chunk;
      },
    });
    await provider.close();
    expect(output).toBe("[redacted TOKEN] [redacted KEY]\n30\n[redacted KEY]");
    expect(heard).toBe(output);
    expect(JSON.stringify(docker.calls())).not.toMatch(/configured-token|s3cret-value/);
  });

  it("does not let a variable of a command steer the docker program", async () => {
    const provider = docker.provider();
    const sandbox = await provider.acquire(spec("a"));
    const { output } = await sandbox.execute({
      command: 'echo "$DOCKER_HOST $DOCKER_CONFIG"',
      env: { DOCKER_HOST: "tcp://evil", DOCKER_CONFIG: "/nowhere" },
    });
    await provider.close();
    expect(output).toBe("tcp://evil /nowhere\n");
  });

  it("keeps one container for a sandbox until it is destroyed", async () => {
    const provider = docker.provider();
    const sandbox = await provider.acquire(spec("a"));
    await sandbox.execute({ command: "true" });
    await provider.release("a");
    expect(provider.get("a")).toBeUndefined();
    await (await provider.acquire(spec("a"))).execute({ command: "true" });
    expect(docker.calls().filter(([name]) => name === "run")).toHaveLength(1);
    await provider.destroy("a");
    expect(docker.containers()).toEqual([]);
  });

  it("removes a released container after its idle time", async () => {
    const provider = docker.provider({ idleSeconds: 0.05 });
    await provider.acquire(spec("a"));
    await provider.release("a");
    await expect.poll(() => docker.containers()).toEqual([]);
  });

  it("gives the place of a released container away, and refuses when all are in use", async () => {
    const provider = docker.provider({ replicas: 1 });
    await provider.acquire(spec("a"));
    await expect(provider.acquire(spec("b"))).rejects.toThrow("all of its 1 places are in use");
    await provider.release("a");
    await provider.acquire(spec("b"));
    expect(docker.containers()).toHaveLength(1);
    await provider.close();
    expect(docker.containers()).toEqual([]);
  });

  it("removes the containers of dead processes of this machine, and no other", async () => {
    const others = docker.provider();
    await others.acquire(spec("living"));
    docker.leave("dead", `${hostname()}/999999999/1`);
    docker.leave("elsewhere", "another-machine/1/1");
    const provider = docker.provider();
    await provider.acquire(spec("a"));
    expect(docker.containers()).toHaveLength(3);
    expect(docker.containers()).toContain("elsewhere");
    expect(docker.containers()).not.toContain("dead");
    await provider.close();
    await others.close();
  });

  it("is a failure of the sandbox, with docker's words, when the container is gone; the next command starts another", async () => {
    const provider = docker.provider();
    const sandbox = await provider.acquire(spec("a"));
    docker
      .containers()
      .forEach((name) => rmSync(join(docker.env["DOCKER_CONFIG"] ?? "", "containers", `${name}.json`)));
    await expect(sandbox.execute({ command: "true" })).rejects.toThrow("No such container");
    await expect(sandbox.execute({ command: "true" })).resolves.toMatchObject({ exitCode: 0 });
    await provider.close();
  });

  it("needs no engine to be made", () => {
    expect(new DockerProvider({ image: "x", env: {} }).name).toBe("docker");
  });
});
