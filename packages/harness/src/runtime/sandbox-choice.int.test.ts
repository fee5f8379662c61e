import { expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { probeSandbox } from "./sandbox-choice.js";

const rows = async (sandbox: object) =>
  (await probeSandbox(parseConfig({ sandbox }).config)).health.map(({ provider, reason }) => ({
    provider,
    reason,
  }));

it.each([
  [{ provider: "docker" }, "docker", "sandbox.docker.image"],
  [{ provider: "docker", docker: { image: "no/such-image" } }, "docker", "untested against a real engine"],
  [{ use: "deerflow.community.aio_sandbox:AioSandboxProvider", image: "a" }, "docker", "network.mode: open"],
  [{ provider: "remote", remote: { use: "no-such-package-of-ours:X" } }, "remote", "npm install"],
  [{ provider: "local" }, "local", "allow_host_bash"],
])("says of %j why or how commands run", async (sandbox, provider, reason) => {
  expect(await rows(sandbox)).toEqual([{ provider, reason: expect.stringContaining(reason) }]);
});

it("tries docker and remote after bubblewrap only where they have their settings", async () => {
  const remote = { use: "no-such-package-of-ours:X" };
  expect((await rows({})).map(({ provider }) => provider)).toEqual(["bubblewrap"]);
  expect((await rows({ remote })).map(({ provider }) => provider)).toEqual(["bubblewrap", "remote"]);
});
