import type { CommandResult } from "../contract.js";
import type { Mirror } from "./mirror.js";

const NOT_BROUGHT =
  "The files that the command changed could not be brought back; the next command tries again.";

/**
 * Runs a command between two mirrorings, and says in its notices what they left out.
 * @throws the signal's reason, or DeerflowError `sandbox_failed`
 */
export async function mirrored(
  mirror: Mirror,
  signal: AbortSignal,
  run: () => Promise<CommandResult>,
): Promise<CommandResult> {
  signal.throwIfAborted();
  const before = await mirror.sync();
  const result = await run();
  const after = await mirror.sync().catch(() => [NOT_BROUGHT]);
  const notices = [...before, ...after];
  return notices.length === 0 ? result : { ...result, notices };
}
