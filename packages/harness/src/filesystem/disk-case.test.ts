import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { foldsCase } from "./disk-case.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

let host: string;
/** What this machine really does, found out with a file and its name in capitals. */
let folds: boolean;
beforeEach(async () => {
  host = await mkdtemp(join(tmpdir(), "deerflow-case-"));
  await writeFile(join(host, "probe"), "");
  folds = await writeFile(join(host, "PROBE"), "", { flag: "wx" }).then(
    () => false,
    () => true,
  );
  await rm(join(host, "probe"), { force: true });
  await rm(join(host, "PROBE"), { force: true });
});
afterEach(() => rm(host, { recursive: true, force: true }));

it("finds out in an empty folder whether case is folded, and leaves it empty", async () => {
  expect(foldsCase(host)).toBe(folds);
  expect(await readdir(host)).toEqual([]);
});

it("finds out by a file that is there", async () => {
  await writeFile(join(host, "Notes.md"), "");
  expect(foldsCase(host)).toBe(folds);
  expect(await readdir(host)).toEqual(["Notes.md"]);
});

it("asks the folder above for one that is missing yet", () => {
  expect(foldsCase(join(host, "not/there"))).toBe(folds);
});

it("lets a backend be told", () => {
  const mounts = [{ virtualPath: "/w", hostPath: host, mode: "read-write" as const }];
  expect(new MountedDiskBackend({ mounts, foldsCase: true }).foldsCase).toBe(true);
  expect(new MountedDiskBackend({ mounts, foldsCase: false }).foldsCase).toBe(false);
  expect(new MountedDiskBackend({ mounts }).foldsCase).toBe(folds);
});
