/** For tests: sandboxes and providers that run nothing. */
import { CommandFiles } from "../sandbox/command-files.js";
import type { CommandRequest, CommandResult, Sandbox, SandboxProvider } from "../sandbox/contract.js";

const OK: CommandResult = {
  output: "",
  exitCode: 0,
  truncated: false,
  timedOut: false,
  durationMilliseconds: 1,
};

/** A sandbox that answers every command with `answer`, filled up to a result that went well. */
export function scriptedSandbox(
  answer: (request: CommandRequest) => Partial<CommandResult> | Promise<Partial<CommandResult>> = () => OK,
  id = "scripted",
): Sandbox {
  const execute: Sandbox["execute"] = async (request) => ({ ...OK, ...(await answer(request)) });
  return { id, execute, files: new CommandFiles(execute) };
}

/** A provider that is well and acquires nothing, but for what `own` says. */
export const scriptedProvider = (own: Partial<SandboxProvider> = {}): SandboxProvider => ({
  name: "fake",
  health: async () => ({ provider: own.name ?? "fake", available: true, reason: "a test" }),
  acquire: () => Promise.reject(new Error("nothing is acquired in this test")),
  get: () => undefined,
  release: async () => undefined,
  destroy: async () => undefined,
  close: async () => undefined,
  ...own,
});
