import { describe, expect, it } from "vitest";
import CASES from "./command-audit-cases.json" with { type: "json" };
import { auditCommand } from "./command-audit.js";

describe("the labelled commands", () => {
  it.each(CASES)("$verdict: $why", ({ cmd, verdict }) => {
    const result = auditCommand(cmd);
    expect({ verdict: result.verdict, rules: result.findings.map(({ ruleId }) => ruleId) }).toMatchObject({
      verdict,
    });
  });
});
