import { expect, it } from "vitest";
import { toHostPaths } from "./host-paths.js";

const MOUNTS = [
  { virtualPath: "/mnt/user-data/workspace", hostPath: "/h/w", mode: "read-write" },
  { virtualPath: "/mnt/skills", hostPath: "/h/s", mode: "read-only" },
] as const;

it.each([
  ["cat /mnt/user-data/workspace/a.txt", "cat R/mnt/user-data/workspace/a.txt"],
  ["ls '/mnt/skills' >/mnt/user-data/workspace", "ls 'R/mnt/skills' >R/mnt/user-data/workspace"],
  ["cd /mnt/user-data/workspace;ls", "cd R/mnt/user-data/workspace;ls"],
  [
    "cat /mnt/user-data/workspace2 /x/mnt/skills ./mnt/skills",
    "cat /mnt/user-data/workspace2 /x/mnt/skills ./mnt/skills",
  ],
  ["X=/mnt/skills:/usr", "X=R/mnt/skills:/usr"],
])("turns the virtual paths of %j into host paths", (command, expected) => {
  expect(toHostPaths(command, MOUNTS, "R")).toBe(expected);
});
