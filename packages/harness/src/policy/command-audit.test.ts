/** None of these commands is ever run: they are only judged. */
import { describe, expect, it } from "vitest";
import LABELLED from "./command-audit-cases.json" with { type: "json" };
import EVASIONS from "./command-audit-evasions.json" with { type: "json" };
import EVERYDAY from "./command-audit-everyday.json" with { type: "json" };
import OWN from "./command-audit-own-cases.json" with { type: "json" };
import { auditCommand } from "./command-audit.js";

const judged = (command: string) => {
  const { verdict, findings } = auditCommand(command);
  return { verdict, rules: findings.map(({ ruleId }) => ruleId) };
};

describe("the command audit", () => {
  it.each(LABELLED)("says $verdict: $why", ({ cmd, verdict }) => {
    expect(judged(cmd)).toMatchObject({ verdict });
  });

  it.each(OWN)("says $verdict: $command", ({ command, verdict }) => {
    expect(judged(command)).toMatchObject({ verdict });
  });

  it.each(EVASIONS)("blocks %j", (command) => {
    expect(judged(command)).toMatchObject({ verdict: "block" });
  });

  it("blocks nothing of a developer's day, and warns about little of it", () => {
    const { passed, warned } = EVERYDAY;
    expect(passed.length + warned.length).toBeGreaterThanOrEqual(300);
    expect(passed.filter((command) => judged(command).verdict !== "pass")).toEqual([]);
    expect(warned.filter((command) => judged(command).verdict !== "warn")).toEqual([]);
    expect(warned.length / passed.length).toBeLessThan(0.05);
  });

  it("names the rule, the place, the reason and the way out", () => {
    expect(auditCommand("ls && sudo cat /etc/shadow")).toEqual({
      verdict: "block",
      rule: "read-secret",
      reason:
        '"sudo cat /etc/shadow" reads password hashes or the environment of a process, where secrets live',
      span: { start: 6, end: 26 },
      findings: [
        {
          ruleId: "change-user",
          severity: "warn",
          span: { start: 6, end: 26 },
          reason: '"sudo cat /etc/shadow" switches to another user',
          instead: "Commands run as an ordinary user; do without.",
        },
        {
          ruleId: "read-secret",
          severity: "block",
          span: { start: 6, end: 26 },
          reason:
            '"sudo cat /etc/shadow" reads password hashes or the environment of a process, where secrets live',
          instead: "Ask the user for what is needed.",
        },
      ],
    });
  });

  it.each([
    ["echo a; rm -rf /; echo b", "rm -rf /"],
    ["echo $(rm -rf /)", "rm -rf /"],
    ["x=`rm -rf /`", "rm -rf /"],
    ["bash -c 'ls; rm -rf /'", "bash -c 'ls; rm -rf /'"],
  ])("points at the part of %j that is to blame", (command, part) => {
    const [finding] = auditCommand(command).findings;
    expect(command.slice(finding?.span.start, finding?.span.end)).toBe(part);
  });

  it.each([
    ["nothing", ""],
    ["blanks", " \n\t"],
    ["10,001 characters", "x".repeat(10_001)],
    ["a NUL character", "ls\0"],
  ])("refuses %s", (_what, command) => {
    expect(judged(command)).toEqual({ verdict: "block", rules: ["command-unusable"] });
  });

  it.each([undefined, null, 5, {}, ["ls"]])("refuses %j, which is no text", (given) => {
    // The cast lets a command through that no program in TypeScript could give.
    expect(judged(given as string)).toEqual({ verdict: "block", rules: ["command-unusable"] });
  });

  it("takes a text that a few loops put together, and refuses to run what it no longer knows of it", () => {
    const loops = 'for f in a b c d e f; do p="$p $f"; done; '.repeat(4);
    expect(judged(`${loops}echo $p`).verdict).toBe("pass");
    expect(judged(`${loops}$p`).rules).toContain("run-decoded");
  });

  it("refuses what is nested too deeply to be judged", () => {
    expect(judged(`${"eval ".repeat(40)}ls`).rules).toContain("command-too-deep");
    expect(judged(`${"( ".repeat(200)}ls${")".repeat(200)}`).rules).toContain("command-too-deep");
  });
});
