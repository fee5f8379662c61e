import { expect, it } from "vitest";
import { AcquiredSandboxes, type RunOne } from "./acquired-sandboxes.js";

const run: RunOne = async ({ timeoutSeconds }) => ({
  output: String(timeoutSeconds),
  exitCode: 0,
  truncated: false,
  timedOut: false,
  durationMilliseconds: 1,
});
const command = { command: "true" };

it("runs nothing more for who has let a sandbox go, also when it was acquired anew", async () => {
  const acquired = new AcquiredSandboxes();
  const old = acquired.add("a", run, (another) => ({ keeping: () => another(run) }));
  const kept = old.keeping?.({ rules: [] });
  await acquired.release("a");
  const fresh = acquired.add("a", run);
  for (const gone of [old, kept, old.keeping?.({ rules: [] })]) {
    await expect(gone?.execute(command)).rejects.toMatchObject({ code: "sandbox_released" });
  }
  expect((await fresh.execute(command)).exitCode).toBe(0);
  expect(acquired.get("a")).toBe(fresh);
});

it("lets go together what was acquired twice", async () => {
  const acquired = new AcquiredSandboxes();
  const both = [acquired.add("a", run), acquired.add("a", run)];
  await acquired.releaseAll();
  for (const each of both) {
    await expect(each.execute(command)).rejects.toMatchObject({ code: "sandbox_released" });
  }
});

it("cuts a time limit to what a timer takes", async () => {
  const sandbox = new AcquiredSandboxes().add("a", run);
  const answer = await sandbox.execute({ ...command, timeoutSeconds: Number.POSITIVE_INFINITY });
  expect(answer.output).toBe("2000000");
});
