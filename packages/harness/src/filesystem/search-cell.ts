/** A room for a search process in which there is nothing but the program and the folder that is searched. */
import { fromSegments } from "../base/virtual-path.js";
import type { SearchCell } from "./contract.js";

/** Every option, with its reason. */
const WALL: readonly string[] = [
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-uts",
  "--unshare-cgroup-try",
  // No user namespace where the caller needs none: root must be able to read what a sandbox wrote as another user.
  "--cap-drop",
  "ALL",
  "--cap-add",
  "CAP_DAC_READ_SEARCH",
  // The search is its first process, so that nothing is left for anybody else to reap.
  "--as-pid-1",
  "--die-with-parent",
  "--new-session",
];

const PROGRAM = "/search";
const TREE = "/tree";

/** What bubblewrap says of itself; no program that runs inside begins a line so. */
export const isCellComplaint = (line: string): boolean => line.startsWith("bwrap: ");

/**
 * The arguments for bubblewrap. A link that is put in the way of the search leads to nothing outside the folder of the
 * cell, for there is nothing. Pure.
 * @param program a host path; it must need no library, for there are none inside
 */
export const searchCellArguments = (
  cell: SearchCell,
  program: string,
  commandLine: readonly string[],
): readonly string[] =>
  [
    WALL,
    ["--ro-bind", program, PROGRAM],
    ["--ro-bind", cell.hostPath, TREE],
    ["--remount-ro", "/"],
    ["--chdir", `${TREE}${cell.below.length === 0 ? "" : fromSegments(cell.below)}`],
    ["--", PROGRAM, ...commandLine],
  ].flat();
