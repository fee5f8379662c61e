/** A machine without bubblewrap: no shell tool, a reason that a person can act on, and an agent that works. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Installation } from "./support/deerflow-command.js";

let installation: Installation;
let path = "";
beforeEach(() => {
  installation = new Installation();
  // The programs that DeerFlow itself needs, and nothing else.
  path = join(installation.folder, "bin");
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, "node"));
});
afterEach(() => installation.remove());

describe("without bubblewrap on the PATH", () => {
  it("doctor warns, says what to install, and finds nothing that fails", async () => {
    const { code, out } = await installation.run(["doctor", "--json"], { PATH: path });
    const { findings } = JSON.parse(out) as { findings: { name: string; state: string; text: string }[] };
    const sandbox = findings.find(({ name }) => name === "sandbox");
    expect({ code, state: sandbox?.state }).toEqual({ code: 0, state: "warn" });
    expect(sandbox?.text).toMatch(
      /^no shell tool\..*bwrap is not on the PATH; install the package bubblewrap\./,
    );
  });

  it("the agent does its task with the file tools alone", async () => {
    const { code, out, err } = await installation.run(["demo"], { PATH: path });
    expect({ code, out, err }).toMatchObject({ code: 0 });
    expect(err).toContain("shell none (bubblewrap: bwrap is not on the PATH");
    expect(out).not.toContain("● bash");
    const report = readFileSync(/Result (\S+report\.md)/.exec(out)?.[1] ?? "", "utf8");
    expect(report).toContain("2980.7");
  });
});
