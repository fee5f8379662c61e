import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { threadDirectories } from "../context/home-paths.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import { createThreadDirectories } from "../middleware/thread-data.js";
import { addedMounts } from "./added-mounts.js";
import { threadFiles } from "./lead-agent.js";

it("shows the file tools the operator's folders, and writes to none that is read-only", async () => {
  const folder = mkdtempSync(join(tmpdir(), "deerflow-mounts-"));
  for (const name of ["read", "write"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "read/a"), "from the operator");
  const { config } = parseConfig({
    sandbox: {
      mounts: [
        { host_path: join(folder, "read"), container_path: "/mnt/data", read_only: true },
        { host_path: join(folder, "write"), container_path: "/mnt/results" },
      ],
    },
  });
  const directories = threadDirectories(folder, LOCAL_PRINCIPAL, "t1");
  createThreadDirectories(directories);
  const files = threadFiles(directories, addedMounts(config, folder));
  expect(Buffer.from((await files.read("/mnt/data/a"))?.bytes ?? []).toString()).toBe("from the operator");
  await expect(files.write("/mnt/data/b", Buffer.from("x"))).rejects.toMatchObject({ code: "path_denied" });
  await files.write("/mnt/results/b", Buffer.from("x"));
  expect(readFileSync(join(folder, "write/b"), "utf8")).toBe("x");
});

it.each([
  ["the home", "."],
  ["what holds the home", ".."],
  ["the threads", "threads"],
  ["a folder of a thread", "threads/t1/user-data/workspace"],
  ["one that a thread may get", "threads/later/user-data"],
  ["the threads of other users", "tenants/a"],
  ["a link to a thread", "link"],
])("refuses to show %s to every thread", (_what, path) => {
  const home = mkdtempSync(join(tmpdir(), "deerflow-mounts-"));
  mkdirSync(join(home, "threads/t1/user-data/workspace"), { recursive: true });
  symlinkSync(join(home, "threads/t1"), join(home, "link"));
  const mounts = [{ host_path: join(home, path), container_path: "/mnt/data", read_only: true }];
  const { config } = parseConfig({ sandbox: { mounts } });
  expect(() => addedMounts(config, home)).toThrow(
    "cannot be shown in the sandbox at /mnt/data: its folder in sandbox.mounts holds the folders of threads",
  );
});

it("shows other folders of the home", () => {
  const home = mkdtempSync(join(tmpdir(), "deerflow-mounts-"));
  const mounts = ["skills", "threads-2"].map((name) => ({
    host_path: join(home, name),
    container_path: `/mnt/${name}`,
  }));
  expect(addedMounts(parseConfig({ sandbox: { mounts } }).config, home)).toHaveLength(2);
});
