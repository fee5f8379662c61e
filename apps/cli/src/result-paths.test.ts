import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOCAL_PRINCIPAL, threadDirectories } from "@deerflow/harness";
import { expect, it } from "vitest";
import { resultPaths } from "./result-paths.js";

it("tells files of the thread where they really lie, and nothing else", async () => {
  const home = mkdtempSync(join(tmpdir(), "deerflow-results-"));
  const directories = threadDirectories(home, LOCAL_PRINCIPAL, "t");
  for (const folder of Object.values(directories) as string[]) mkdirSync(folder, { recursive: true });
  const { outputs, workspace } = directories;
  writeFileSync(join(outputs, "report.md"), "# r");
  writeFileSync(join(workspace, "data.csv"), "a");
  symlinkSync("/mnt/user-data/workspace/data.csv", join(outputs, "data.csv"));
  symlinkSync("/etc/passwd", join(outputs, "passwd"));
  mkdirSync(join(outputs, "folder"));
  const names = ["report.md", "data.csv", "passwd", "folder", "missing", "../../../etc/passwd"];
  const artifacts = names.map((name) => `/mnt/user-data/outputs/${name}`);
  expect(await resultPaths(directories, artifacts)).toEqual([
    join(outputs, "report.md"),
    join(workspace, "data.csv"),
  ]);
});
