/** The example of the file tools on their own, run as a user runs it: the built package, no key. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/deerflow-command.js";

describe("examples/filesystem-standalone", () => {
  it("reads, is refused twice with a reason, and changes the file after reading it", () => {
    const out = execFileSync(process.execPath, ["examples/filesystem-standalone/main.mjs"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(out).toContain("/plan.md:\ntool  |   9: - TODO: call the carpenter");
    expect(out).toContain("/private/key.txt cannot be read: a permission rule forbids it");
    expect(out).not.toContain("nobody's business");
    expect(out).toContain("you have not read its current version");
    expect(out.trimEnd().split("\n").at(-1)).toBe("On disk: # Plan for March");
  });
});
