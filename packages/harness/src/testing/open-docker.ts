/** A docker provider over a stand-in for docker, for tests. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DockerOptions, DockerProvider } from "../sandbox/docker/docker-provider.js";

const STAND_IN = fileURLToPath(new URL("docker-stand-in.mjs", import.meta.url));

export interface DockerStandIn {
  /** What a {@link DockerProvider} needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  provider(options?: Partial<DockerOptions>): DockerProvider;
  /** The arguments of every call so far. */
  calls(): readonly (readonly string[])[];
  /** Names of the containers that are there. */
  containers(): readonly string[];
  /** As if a process with this identity had started a container. */
  leave(name: string, owner: string): void;
  stopEngine(): void;
  remove(): void;
}

function endServer(file: string): void {
  const { pid }: { readonly pid?: number } = JSON.parse(readFileSync(file, "utf8"));
  if (pid !== undefined) process.kill(pid, "SIGKILL");
}

export function dockerStandIn(): DockerStandIn {
  const folder = mkdtempSync(join(tmpdir(), "deerflow-docker-"));
  const program = join(folder, "docker");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${STAND_IN}' "$@"\n`);
  chmodSync(program, 0o755);
  const path = [folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
  const env = { PATH: path, DOCKER_CONFIG: folder };
  const containers = join(folder, "containers");
  const lines = (): readonly string[] =>
    existsSync(join(folder, "calls.jsonl"))
      ? readFileSync(join(folder, "calls.jsonl"), "utf8").trim().split("\n")
      : [];
  return {
    env,
    provider: (options = {}) => new DockerProvider({ image: "example/image:1", env, ...options }),
    calls: () => lines().map((line): readonly string[] => JSON.parse(line)),
    containers: () =>
      existsSync(containers) ? readdirSync(containers).map((name) => name.replace(/\.json$/, "")) : [],
    leave: (name, owner) =>
      writeFileSync(join(containers, `${name}.json`), JSON.stringify({ mounts: [], label: owner })),
    stopEngine: () => writeFileSync(join(folder, "engine-is-down"), ""),
    remove() {
      // What a failed test left would serve for ever.
      const left = existsSync(containers) ? readdirSync(containers) : [];
      for (const name of left) endServer(join(containers, name));
      rmSync(folder, { recursive: true });
    },
  };
}
