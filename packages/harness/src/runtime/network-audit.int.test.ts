import { expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import type { AuditEvent } from "../policy/audit-sink.js";
import { bubblewrapWorks } from "../testing/bubblewrap-works.js";
import { probeSandbox } from "./sandbox-choice.js";

it.skipIf(!(await bubblewrapWorks()))(
  "records what a thread's commands ask of the network in the audit log",
  async () => {
    const events: AuditEvent[] = [];
    const { config } = parseConfig({ sandbox: { network: { mode: "allow_list", allow: ["example.com"] } } });
    const { provider, health } = await probeSandbox(config, {
      record: async (event) => void events.push(event),
    });
    expect(health).toMatchObject([
      { available: true, network: expect.stringContaining("only example.com,") },
    ]);
    const sandbox = await provider?.acquire({ id: "bubblewrap:t1", mounts: [], workingDirectory: "/tmp" });
    await sandbox?.execute({ command: "curl -sS http://example.org/" });
    expect(events).toMatchObject([
      {
        type: "network.requested",
        threadId: "t1",
        host: "example.org",
        port: 80,
        method: "GET",
        verdict: "refused",
        reason: "host_not_allowed",
      },
    ]);
    await provider?.close();
  },
);

it("refuses a configuration whose allow list has what is no host", async () => {
  const { config } = parseConfig({ sandbox: { network: { mode: "allow_list", allow: ["localhost"] } } });
  await expect(probeSandbox(config)).rejects.toMatchObject({ code: "network_policy_invalid" });
});
