/** A task that is killed goes on: nothing finished is lost, and the report is the same. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../packages/harness/src/testing/bubblewrap-works.js";
import { Installation } from "./support/deerflow-command.js";

const SCALE = Number(process.env["DEERFLOW_TEST_SCALE"] ?? "0.02");
/** Texts after which the process is killed; all of them at full scale. */
const CRASH_POINTS = [
  "● bash  Profile sales.csv",
  "● read_file  Read the head",
  "● write_file  Write the program",
  "Totals by region look useful",
  "● write_file  Write the report",
  "The write was refused",
  "● present_files",
].slice(0, Math.max(1, Math.ceil(7 * SCALE * 5)));

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
  installation.configure("demo_model:\n  pace_milliseconds: 5\n");
});
afterEach(() => installation.remove());

const threadIds = async (): Promise<string[]> => {
  const { out } = await installation.run(["threads", "list", "--json"]);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { threadId: string }).threadId);
};

describe.skipIf(!(await bubblewrapWorks()))("a killed task", () => {
  it.each(CRASH_POINTS)("goes on after kill -9 at %j", async (text) => {
    const first = installation.start(["demo"]);
    await first.seen(text);
    first.kill("SIGKILL");
    await first.ended;

    const [threadId = ""] = await threadIds();
    const { code, out, err } = await installation.run([
      "run",
      "--thread",
      threadId,
      "continue",
      "--model",
      "demo/scripted-1",
    ]);
    expect({ code, out, err }).toMatchObject({ code: 0 });
    const report = readFileSync(/Result (\S+report\.md)/.exec(out)?.[1] ?? "", "utf8");
    expect(report).toContain("2980.7");
    expect(out).toContain("[x] Check it and hand it over");
  });

  it("is stopped cleanly when nobody reads its output any more", async () => {
    const first = installation.start(["demo", "--json"]);
    await first.seen('"event":"messages"');
    first.closeOutput();
    const { code, err } = await first.ended;
    expect({ code, err }).toEqual({ code: 130, err: expect.not.stringMatching(/\n\s+at /) });
    const { out } = await installation.run(["threads", "list", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ status: "idle" });
  });

  it("is stopped cleanly by Ctrl-C, keeps what it did, and goes on", async () => {
    const first = installation.start(["demo"]);
    await first.seen("● write_file  Write the program");
    first.kill("SIGINT");
    const stopped = await first.ended;
    expect({ ...stopped }).toMatchObject({ code: 130 });
    expect(stopped.err).toContain("what was done is kept");

    const [threadId = ""] = await threadIds();
    const { code } = await installation.run(["run", "--thread", threadId, "continue"]);
    expect(code).toBe(0);
  });
});
