/** Ends a process group, and with a marker also the descendants that left it. */
import { readdirSync, readFileSync } from "node:fs";

const NO_SUCH_PROCESS = "ESRCH";

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

/** A process, or a group by its negative number; nothing happens when it has ended by itself. */
export function killProcess(target: number): void {
  try {
    process.kill(target, "SIGKILL");
  } catch (error) {
    if (codeOf(error) !== NO_SUCH_PROCESS) throw error;
  }
}

/** The environment of a process of ours; empty when it has ended or belongs to somebody else. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

/** Processes whose environment holds `marker`; none where there is no `/proc`. */
function marked(marker: string): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).split("\0").includes(marker))
    .map(Number);
}

/** How often to look again: a process may start another between the look and the kill. */
const ROUNDS = 20;

/**
 * Kills the process group `pid`, then every process whose environment holds `marker` (`NAME=value`): `setsid`
 * takes a process out of its group, but not out of its environment. A process that clears its environment and
 * leaves the group escapes; only a PID namespace holds that one.
 */
export function killTree(pid: number | undefined, marker?: string): void {
  if (pid !== undefined) killProcess(-pid);
  if (marker === undefined) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = marked(marker);
    if (found.length === 0) return;
    found.forEach(killProcess);
  }
}
