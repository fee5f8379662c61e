import { expect, it } from "vitest";
import { readDeerflowSandbox } from "./deerflow-sandbox.js";
import { parseConfig } from "./parse-config.js";

const AIO = "deerflow.community.aio_sandbox:AioSandboxProvider";

it("reads what DeerFlow writes about its containers", () => {
  const { config, warnings } = parseConfig({
    sandbox: {
      use: AIO,
      image: "example/all-in-one:1",
      port: 8080,
      replicas: 2,
      container_prefix: "mine",
      idle_timeout: 0,
      mounts: [{ host_path: "/data", container_path: "/mnt/data", read_only: true }],
      environment: { LEVEL: 3 },
    },
  });
  expect(config.sandbox).toMatchObject({
    provider: "docker",
    replicas: 2,
    idle_timeout: 0,
    mounts: [{ host_path: "/data", container_path: "/mnt/data", read_only: true }],
    environment: { LEVEL: "3" },
    docker: { mode: "aio", image: "example/all-in-one:1", container_prefix: "mine" },
  });
  expect(warnings).toEqual([
    `sandbox.use: ${AIO} is read as sandbox.provider: docker.`,
    "sandbox.port has no effect yet: a free port is taken.",
  ]);
});

it.each([
  [{}, "auto"],
  [{ allow_host_bash: true }, "local"],
  [{ allow_host_bash: false }, "auto"],
  [{ provider: "none" }, "none"],
])("reads the local provider with %j as %s", (section, provider) => {
  const use = "deerflow.sandbox.local:LocalSandboxProvider";
  expect(parseConfig({ sandbox: { use, ...section } }).config.sandbox.provider).toBe(provider);
});

it("lets our own names win", () => {
  const raw = { use: AIO, image: "a", provider: "bubblewrap", docker: { image: "b", mode: "exec" } };
  expect(readDeerflowSandbox(raw).section).toEqual({
    provider: "bubblewrap",
    docker: { mode: "exec", image: "b" },
  });
});

it("warns of a provider that has no counterpart, and leaves every other section as it is", () => {
  const raw = { use: "deerflow.community.e2b_sandbox:E2BSandboxProvider", replicas: 1 };
  const { section, warnings } = readDeerflowSandbox(raw);
  expect(section).toEqual({ replicas: 1 });
  expect(warnings).toEqual([
    "sandbox.use has no effect: no provider here has that name; sandbox.provider chooses one.",
  ]);
  expect(readDeerflowSandbox({ provider: "none" })).toEqual({ section: { provider: "none" }, warnings: [] });
  expect(readDeerflowSandbox(7)).toEqual({ section: 7, warnings: [] });
});

it.each([
  [["/mnt/user-data/workspace"], "lies inside /mnt/user-data"],
  [["/mnt"], "or holds it"],
  [["/data", "/data/inner"], "lies inside"],
  [["/data", "/data"], "lies inside /data"],
  [["/data/../etc"], "absolute, plain path"],
  [["/data/"], "absolute, plain path"],
])("refuses the mounts %j", (paths, problem) => {
  const mounts = paths.map((path) => ({ host_path: "/h", container_path: path }));
  expect(() => parseConfig({ sandbox: { mounts } })).toThrow(problem);
});

it("takes mounts beside each other", () => {
  const mounts = ["/data", "/database", "/mnt/user-data2"].map((path) => ({
    host_path: "/h",
    container_path: path,
  }));
  expect(parseConfig({ sandbox: { mounts } }).config.sandbox.mounts).toHaveLength(3);
});
