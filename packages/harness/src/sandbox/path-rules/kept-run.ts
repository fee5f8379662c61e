/** One command between the mounting before it and the check after it. */
import type { RunOne } from "../acquired-sandboxes.js";
import type { CommandResult } from "../contract.js";
import type { MountOption } from "./contract.js";
import type { PathKeeper } from "./path-keeper.js";

/** Runs commands under the rules; what was put back is told in their notices. */
export const keptBy =
  (keeper: PathKeeper, runWith: (options: readonly MountOption[]) => RunOne): RunOne =>
  async (request, signal) => {
    const command = await keeper.begin(signal);
    let notices: readonly string[] = [];
    let result: CommandResult;
    try {
      result = await runWith(command.options)(request, signal);
    } finally {
      // A command that was stopped leaves things, too.
      notices = await command.end();
    }
    return notices.length === 0 ? result : { ...result, notices: [...(result.notices ?? []), ...notices] };
  };
