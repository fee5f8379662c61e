import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { checkSandboxConfig } from "./check-sandbox-config.js";

const check = (raw: object) => checkSandboxConfig(parseConfig(raw).config, "/home/of/deerflow");

describe("a configuration", () => {
  it("without sandbox settings is fine", () => {
    expect(() => check({})).not.toThrow();
  });

  it.each([
    [
      "an address for a host",
      { sandbox: { network: { mode: "allow_list", allow: ["https://pypi.org/simple"] } } },
      "network_policy_invalid",
    ],
    ["every host", { sandbox: { network: { mode: "allow_list", allow: ["*"] } } }, "network_policy_invalid"],
    [
      "a folder that is not there",
      { sandbox: { mounts: [{ host_path: "/no/such/folder", container_path: "/mnt/data" }] } },
      "sandbox_mount_invalid",
    ],
    [
      "a folder in place of the system",
      { sandbox: { mounts: [{ host_path: tmpdir(), container_path: "/usr" }] } },
      "sandbox_mount_invalid",
    ],
    [
      "a rule for a path that is not absolute",
      { permissions: [{ operations: ["read"], paths: ["a/**"], mode: "deny" }] },
      "permissions_invalid",
    ],
  ])("with %s is refused before anything starts", (_what, raw, code) => {
    expect(() => check(raw)).toThrow(expect.objectContaining({ code }));
  });
});
