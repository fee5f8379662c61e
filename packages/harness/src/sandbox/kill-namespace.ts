/** Ends a program that has put everything it starts into a PID namespace, and lets it reap what it started. */
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { killTree, killProcess } from "./kill-tree.js";

/** How often and how long to look for the namespace of a program that is still starting. */
const LOOK_MILLISECONDS = 2;
const LOOKS = 500;

type Program = Pick<ChildProcess, "pid" | "exitCode" | "signalCode">;

/**
 * Kills the program's children, the first process of the namespace among them, with which the kernel ends all the
 * others at once. The program itself is left to reap it and to end: killed first, it would leave a dead process to
 * process 1 of the machine, which may never reap it. Only a program that starts no child in time is killed itself.
 */
export function killNamespace(program: Program, looks = LOOKS): void {
  const { pid } = program;
  if (pid === undefined || program.exitCode !== null || program.signalCode !== null) return;
  const children = childrenOf(pid);
  children.forEach(killProcess);
  if (children.length > 0) return;
  if (looks > 0) setTimeout(() => killNamespace(program, looks - 1), LOOK_MILLISECONDS);
  else killTree(pid);
}

function childrenOf(pid: number): readonly number[] {
  try {
    // One file a thread; what we start has one.
    return numbers(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
  } catch {
    return childrenAmongAll(pid);
  }
}

const numbers = (text: string): readonly number[] => text.split(" ").filter(Boolean).map(Number);

/** For a kernel without that file: field 4 of `/proc/<pid>/stat` (proc(5)) is the parent. */
function childrenAmongAll(parent: number): readonly number[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined; // It has ended since.
  }
}
