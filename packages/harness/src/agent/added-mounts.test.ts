import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { threadDirectories } from "../context/home-paths.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import { createThreadDirectories } from "../middleware/thread-data.js";
import { addedMounts, threadFiles } from "./lead-agent.js";

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
  const files = threadFiles(directories, addedMounts(config));
  expect(Buffer.from((await files.read("/mnt/data/a"))?.bytes ?? []).toString()).toBe("from the operator");
  await expect(files.write("/mnt/data/b", Buffer.from("x"))).rejects.toMatchObject({ code: "path_denied" });
  await files.write("/mnt/results/b", Buffer.from("x"));
  expect(readFileSync(join(folder, "write/b"), "utf8")).toBe("x");
});
