/** Names a process of this machine so that another can tell later whether it still lives. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Field 22 of `/proc/<pid>/stat` (proc(5)): the start time, which tells a process from a later one of its number. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces, so fields are counted from behind it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return ""; // no /proc on this system, or no such process: the number alone has to do
  }
}

/** `<host>/<process number>/<start>` */
export const processIdentity = (pid: number = process.pid): string => `${hostname()}/${pid}/${startOf(pid)}`;

/** False also for a process of another machine: a database file belongs to one machine at a time. */
export function isProcessAlive(identity: string): boolean {
  const [host, pid = "", start] = identity.split("/");
  if (host !== hostname() || !/^[1-9]\d*$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // Not permitted means that it is there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return startOf(Number(pid)) === start;
}
