import { describe, expect, it } from "vitest";
import { lineLogger } from "../base/logger.js";
import { loggingAuditSink, type AuditEvent } from "./audit-sink.js";

async function logged(event: AuditEvent): Promise<Record<string, unknown>> {
  const lines: string[] = [];
  await loggingAuditSink(lineLogger("debug", (line) => lines.push(line))).record(event);
  const { time: _, ...entry } = JSON.parse(lines.join()) as Record<string, unknown>;
  return entry;
}

const COMMAND = {
  type: "command.audited",
  threadId: "t",
  command: "ls",
  verdict: "pass",
  mode: "enforce",
  outcome: "allowed",
  ruleIds: [],
} as const;

describe("the logging audit sink", () => {
  it("logs a harmless command as information", async () => {
    const { type, ...facts } = COMMAND;
    expect(await logged(COMMAND)).toEqual({ level: "info", message: type, ...facts });
  });

  it("logs a blocked command as a warning, cut to 200 characters", async () => {
    const entry = await logged({
      ...COMMAND,
      command: "x".repeat(300),
      verdict: "block",
      ruleIds: ["fork-bomb"],
    });
    expect(entry).toMatchObject({ level: "warn", command: "x".repeat(200), ruleIds: ["fork-bomb"] });
  });

  it("logs a refused tool call as a warning", async () => {
    const event = {
      type: "tool.refused",
      threadId: "t",
      toolName: "write_file",
      code: "path_denied",
    } as const;
    const { type, ...facts } = event;
    expect(await logged(event)).toEqual({ level: "warn", message: type, ...facts });
  });

  it.each([
    ["allowed", "info"],
    ["refused", "warn"],
  ] as const)("logs a network request that was %s at the level %s", async (verdict, level) => {
    const event = {
      type: "network.requested",
      threadId: "t",
      host: "example.com",
      port: 443,
      method: "CONNECT",
      verdict,
      reason: "example.com",
      bytesIn: 10,
      bytesOut: 2,
      milliseconds: 5,
    } as const;
    const { type, ...facts } = event;
    expect(await logged(event)).toEqual({ level, message: type, ...facts });
  });
});
