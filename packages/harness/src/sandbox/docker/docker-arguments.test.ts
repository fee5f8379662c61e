import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.js";
import {
  execArguments,
  execEnvironment,
  limitArguments,
  mountArgument,
  runArguments,
} from "./docker-arguments.js";

const PLAN = {
  name: "sandbox-1",
  image: "node:20",
  owner: "host/1/2",
  mounts: [{ virtualPath: "/mnt/work", hostPath: "/h/w", mode: "read-write" }],
  user: { uid: 1000, gid: 100 },
  limits: DEFAULT_LIMITS,
  network: "none",
} as const;

const COMMAND = {
  container: "sandbox-1",
  mark: "mark",
  folder: "/mnt/work",
  home: "/mnt/work",
  command: 'echo "$KEY"; rm -rf "$HOME"',
  variables: { KEY: "s3cret", DOCKER_HOST: "tcp://evil" },
};

it("starts a container without rights, network or a writable root, under the host's user", () => {
  const line = runArguments(PLAN).join(" ");
  for (const wall of [
    "--network none",
    "--cap-drop ALL",
    "--security-opt no-new-privileges",
    "--read-only",
    "--user 1000:100",
    "--memory 2048m --memory-swap 2048m",
    "--pids-limit 256",
    "--tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777,size=256m",
    "--mount type=bind,source=/h/w,target=/mnt/work",
    "--label deerflow.owner=host/1/2",
    "--pull never",
  ]) {
    expect(line).toContain(wall);
  }
  expect(line).toMatch(/--entrypoint sleep node:20 infinity$/);
  expect(line).not.toMatch(/privileged( |$)(?<!no-new-privileges )|seccomp|--volume|--publish/);
});

it("opens the network only when told to", () => {
  expect(runArguments({ ...PLAN, network: "open" }).join(" ")).toContain("--network bridge");
});

it("limits processors only where a number is given", () => {
  expect(limitArguments(DEFAULT_LIMITS)).not.toContain("--cpus");
  expect(limitArguments({ ...DEFAULT_LIMITS, processors: 2 }).join(" ")).toContain("--cpus 2");
});

it.each([
  [{ hostPath: "/a b", virtualPath: "/m", mode: "read-only" }, "type=bind,source=/a b,target=/m,readonly"],
  [
    { hostPath: "/a,readonly", virtualPath: "/m", mode: "read-write" },
    'type=bind,"source=/a,readonly",target=/m',
  ],
  [{ hostPath: '/a"b', virtualPath: "/m", mode: "read-write" }, 'type=bind,"source=/a""b",target=/m'],
] as const)("names the mount %j in one field", (mount, expected) => {
  expect(mountArgument(mount)).toBe(expected);
});

it("hands a command over as one argument, and its variables not at all", () => {
  const args = execArguments(COMMAND);
  expect(args).toContain(COMMAND.command);
  expect(args.slice(-2)).toEqual(["KEY", "DOCKER_HOST"]);
  expect(args.join("\n")).not.toMatch(/s3cret|evil/);
  expect(execEnvironment(COMMAND)).toEqual({ DEERFLOW_VALUE_0: "s3cret", DEERFLOW_VALUE_1: "tcp://evil" });
});
