/** Calls that wait for a person outlive the process that asked; whoever opens the database can answer. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../packages/harness/src/testing/bubblewrap-works.js";
import { Installation, ROOT } from "./support/deerflow-command.js";
import { serveInstallation } from "./support/served-host.js";

const COMPILED = join(ROOT, "packages/harness/dist");
const AGENT = fileURLToPath(new URL("./support/approval-agent.child.mjs", import.meta.url));

interface Outcome {
  readonly asked: readonly { action_requests: readonly { id: string }[]; problem?: string }[];
  readonly answers: readonly (readonly [id: string, status: string, text: string])[];
  readonly calls: readonly (readonly [id: string, args: object])[];
  readonly last: string;
  readonly modelCalls: number;
}

/** Several processes a test, which take their time on a busy machine. */
const SLOW = { timeout: 180_000 };

describe("an agent in processes one after the other", SLOW, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "deerflow-approval-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A new process each time; nothing but the database and the files is left of the one before. */
  const run = async (answer: object | "start"): Promise<Outcome> => {
    const given = answer === "start" ? answer : JSON.stringify(answer);
    const args = [AGENT, COMPILED, join(folder, "state.db"), folder, given];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    return JSON.parse(stdout) as Outcome;
  };
  const waiting = (outcome: Outcome) =>
    outcome.asked.flatMap(({ action_requests }) => action_requests.map(({ id }) => id));

  it("answers every call of a turn once, by mixed decisions, after an answer that did not fit", async () => {
    const asked = ["approved", "edited", "rejected", "responded"];
    expect(waiting(await run("start"))).toEqual(asked);

    const unfit = await run({ decisions: [{ type: "approve" }] });
    expect(waiting(unfit)).toEqual(asked);
    expect(unfit.asked[0]?.problem).toContain("Requests: 4, decisions: 1");
    expect(existsSync(join(folder, "ran.log"))).toBe(false);

    const outcome = await run({
      decisions: [
        { type: "approve" },
        { type: "edit", edited_action: { name: "write_file", args: { path: "/w/c.md", content: "B" } } },
        { type: "reject", message: "not to everyone" },
        { type: "respond", message: "told them myself" },
      ],
    });
    expect(outcome.asked).toEqual([]);
    expect(Object.fromEntries(outcome.answers.map(([id, status]) => [id, status]))).toEqual({
      approved: "success",
      edited: "success",
      rejected: "error",
      responded: "success",
      unasked: "success",
    });
    expect(outcome.answers).toHaveLength(5);
    expect(outcome.calls[1]).toEqual(["edited", { path: "/w/c.md", content: "B" }]);
    expect(outcome.last).toBe("done");
    expect(outcome.modelCalls).toBe(1);
    expect(readFileSync(join(folder, "ran.log"), "utf8")).toBe("note \n");
    expect(readFileSync(join(folder, "a.md"), "utf8")).toBe("a");
    expect(readFileSync(join(folder, "c.md"), "utf8")).toBe("B");
    expect(existsSync(join(folder, "b.md"))).toBe(false);
  });

  it("holds an edited call to the rules that the first process had", async () => {
    await run("start");
    const locked = { name: "write_file", args: { path: "/w/locked/x", content: "x" } };
    const { answers } = await run({
      decisions: {
        approved: { type: "reject" },
        edited: { type: "edit", edited_action: locked },
        rejected: { type: "reject" },
        responded: { type: "reject" },
      },
    });
    const texts = Object.fromEntries(answers.map(([id, , text]) => [id, text]));
    expect(texts["edited"]).toContain("a permission rule forbids it");
    expect(existsSync(join(folder, "locked"))).toBe(false);
  });
});

interface Message {
  readonly type: string;
  readonly name?: string;
  readonly status?: string;
  readonly content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

describe.skipIf(!(await bubblewrapWorks()))("a task on the command line", SLOW, () => {
  let installation: Installation;
  beforeEach(() => {
    installation = new Installation();
    installation.configure("interrupt_on:\n  bash: {allowed_decisions: [approve, reject]}\n");
  });
  afterEach(() => installation.remove());

  it("says which call waits, and goes on when another process is told the decision", async () => {
    const first = await installation.run(["demo"]);
    expect(first.code).toBe(3);
    expect(first.out).toMatch(/\? bash {2}.*waits for a decision/);
    expect(first.err).toContain("command.resume.decisions");
    const threadId = /--thread (\S+)/.exec(first.err)?.[1] ?? "";

    const served = await serveInstallation(installation);
    try {
      const { threads, runs } = served.client;
      const before = await threads.getState(threadId);
      const [request] = before.tasks.flatMap(({ interrupts }) => interrupts);
      expect(request?.value).toMatchObject({
        action_requests: [{ name: "bash" }],
        reviewConfigs: [{ actionName: "bash", allowedDecisions: ["approve", "reject"] }],
      });
      expect((await threads.get(threadId)).status).toBe("interrupted");
      const decide = (decision: object) =>
        runs.wait(threadId, "lead_agent", { command: { resume: { decisions: [decision] } } });

      const again = await decide({ type: "respond", message: "no" });
      expect(JSON.stringify(again)).toContain("allowed are: approve, reject");
      for (let round = 0; round < 10 && (await threads.get(threadId)).status === "interrupted"; round += 1) {
        await decide({ type: "approve" });
      }
      const { values } = await threads.getState<{ messages: Message[] }>(threadId);
      const calls = values.messages.flatMap(({ tool_calls: all = [] }) => all).map(({ id }) => id);
      const answers = values.messages.filter(({ type }) => type === "tool");
      expect(answers.map(({ tool_call_id: id }) => id)).toEqual(calls);
      const commands = answers.filter(({ name }) => name === "bash");
      // The demo tries a forbidden command on purpose: approval does not lead around the audit.
      expect(commands[0]?.content).toContain("was not run");
      expect(commands.at(-1)?.status).toBe("success");
      expect((await threads.get(threadId)).status).toBe("idle");
    } finally {
      await served.close();
    }
  });
});
