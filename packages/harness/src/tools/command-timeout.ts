/** How long a call may let a command run. */
import { DeerflowError } from "../base/errors.js";
import type { FileToolLimits } from "./limits.js";

/**
 * @param wanted seconds; 0 means as long as may be, undefined the default
 * @returns seconds; undefined for the shell's own limit
 * @throws DeerflowError `arguments_invalid`
 */
export function assertTimeout(
  wanted: number | undefined,
  {
    defaultExecuteSeconds,
    maxExecuteSeconds,
  }: Pick<FileToolLimits, "defaultExecuteSeconds" | "maxExecuteSeconds">,
): number | undefined {
  if (wanted === undefined) return defaultExecuteSeconds;
  if (wanted >= 0 && wanted <= maxExecuteSeconds) return wanted === 0 ? maxExecuteSeconds : wanted;
  const reason = `timeout is ${wanted}, and may be from 0 to ${maxExecuteSeconds} seconds`;
  throw new DeerflowError("arguments_invalid", { reason });
}
