import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { parseConfig } from "./parse-config.js";

const refusal = (raw: unknown): string => {
  try {
    parseConfig(raw);
  } catch (error) {
    return DeerflowError.is(error) ? error.sentence : String(error);
  }
  return "none";
};

describe("command_audit and command_rules", () => {
  it("take a mode, severities and rules", () => {
    const raw = {
      command_audit: { mode: "audit_only", severity: { "read-secret": "warn" } },
      command_rules: { allow: ["git *"], deny: ["rm *"] },
    };
    expect(parseConfig(raw).config).toMatchObject({
      ...raw,
      command_rules: { allow: ["git *"], ask: [], deny: ["rm *"] },
    });
  });

  it.each([
    [{ command_audit: { mode: "off" } }, "command_audit.mode"],
    [{ command_audit: { severity: { "read-secrets": "warn" } } }, "Did you mean read-secret?"],
    [{ command_audit: { severity: { "command-unusable": "warn" } } }, "command-unusable"],
    [{ command_audit: { severity: { "read-secret": "low" } } }, "command_audit.severity.read-secret"],
    [{ command_rules: { denied: ["rm *"] } }, "Known names there: allow, ask, deny"],
    [{ command_rules: { deny: ["git status && rm *"] } }, "command_rules.deny[0]"],
    [{ command_rules: { allow: ["ls *", " git"] } }, "command_rules.allow[1]"],
    [{ command_rules: { deny: "rm *" } }, "command_rules.deny"],
  ])("refuse %j with the place", (raw, place) => {
    expect(refusal(raw)).toContain(place);
  });
});
