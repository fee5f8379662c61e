/** Searches beside a process that puts links in the place of folders while they go on. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PermissionRules } from "../policy/permission-rules.js";
import type { Sandbox } from "../sandbox/contract.js";
import { scaled } from "../testing/test-scale.js";
import type { FileBackend } from "./contract.js";
import { FilesystemBackend } from "./filesystem-backend.js";
import { glob } from "./glob.js";
import { grep } from "./grep.js";
import { guardFiles } from "./guarded-backend.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import { withShell } from "./with-shell.js";

const ROUNDS = scaled(400, 25);
/** Milliseconds. */
const LIMIT = 60_000 + ROUNDS * 300;
/** What a slow or busy machine may need until a search has met the folder as it should be. */
const MOST_ROUNDS = 20 * ROUNDS;
/** What a search has to do between the look at the door and the step through it. */
const FOLDERS_BEFORE = 200;

/** Swaps a folder and a link as fast as a process can. */
const SWAP = `
  const { renameSync } = require("node:fs");
  for (;;) {
    renameSync("z-door", "../folder-aside"); renameSync("../link-aside", "z-door");
    renameSync("z-door", "../link-aside"); renameSync("../folder-aside", "z-door");
  }`;

const mounted = (hostPath: string) =>
  new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath, mode: "read-write" }] });

/** Only that there is one matters here. */
const SANDBOX = {} as Sandbox;
const BACKENDS: Readonly<Record<string, (folder: string) => { files: FileBackend; tree: string }>> = {
  "a thread's folders": (folder) => ({ files: mounted(folder), tree: "/w/tree" }),
  "a folder with a sandbox beside it": (folder) => ({
    files: withShell(new FilesystemBackend({ rootDir: folder }), {
      sandbox: SANDBOX,
      workingDirectory: "/",
      reachesHost: false,
    }),
    tree: "/tree",
  }),
};

describe.runIf(process.platform === "linux")("a search beside a hostile process", () => {
  let host: string;
  let swapper: ChildProcess;
  const lead = async (to: string) => {
    await symlink(join(host, to), join(host, "mount/link-aside"));
    const options = { cwd: join(host, "mount/tree"), stdio: "ignore" as const };
    swapper = spawn(process.execPath, ["-e", SWAP], options);
  };
  const query = (path: string) => ({
    path,
    pattern: "needle",
    literal: true,
    caseSensitive: true,
    maxResults: 100,
  });
  /** Everything that is told of a tree, by both searches; goes on until they have named what they should. */
  const toldOf = async (files: FileBackend, tree: string): Promise<string[]> => {
    const told = new Set<string>();
    const isMet = () => told.has(`${tree}/z-door/inside.txt`);
    for (let round = 0; round < ROUNDS || (!isMet() && round < MOST_ROUNDS); round += 1) {
      const wanted = { pattern: "**/*.txt", path: tree, includeDirectories: false, maxResults: 100 };
      const named = await glob(files, wanted);
      const lines = await grep(files, query(tree));
      for (const { path, text } of lines.matches) told.add(`${path}: ${text}`);
      for (const path of [...named.paths, ...named.unreadable, ...lines.unreadable, ...lines.tooLarge])
        told.add(path);
    }
    return [...told];
  };
  const widen = async () => {
    for (let number = 0; number < FOLDERS_BEFORE; number += 1)
      await mkdir(join(host, `mount/tree/folder-${number}`));
  };
  const isSecret = (line: string) => line.includes("hush") || line.includes("deep");

  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-search-race-"));
    for (const folder of ["mount/tree/z-door", "mount/secrets/deep", "outside/deep"])
      await mkdir(join(host, folder), { recursive: true });
    await writeFile(join(host, "mount/tree/z-door/inside.txt"), "needle inside");
    for (const folder of ["mount/secrets", "mount/secrets/deep", "outside", "outside/deep"])
      await writeFile(join(host, folder, "hush.txt"), "needle hush");
  });
  afterEach(async () => {
    expect(swapper.exitCode).toBeNull();
    swapper.kill("SIGKILL");
    await rm(host, { recursive: true, force: true });
  });

  it.each(Object.entries(BACKENDS))(
    "tells nothing from outside %s",
    async (_, open) => {
      await widen();
      await lead("outside");
      const { files, tree } = open(join(host, "mount"));
      const told = await toldOf(files, tree);
      expect(told).toContain(`${tree}/z-door/inside.txt`);
      expect(told.filter(isSecret)).toEqual([]);
    },
    LIMIT,
  );

  it(
    "tells nothing of what path rules hide in the same folder",
    async () => {
      await lead("mount/secrets");
      const rules = new PermissionRules([{ operations: ["read"], paths: ["/w/secrets/**"], mode: "deny" }]);
      const told = await toldOf(guardFiles(mounted(join(host, "mount")), rules), "/w/tree");
      expect(told).toContain("/w/tree/z-door/inside.txt");
      expect(told.filter(isSecret)).toEqual([]);
    },
    LIMIT,
  );

  it("goes on by itself where there is no bubblewrap", async () => {
    await lead("outside");
    vi.stubEnv("PATH", "/nowhere");
    try {
      const { matches } = await grep(mounted(join(host, "mount/secrets")), query("/w"));
      expect(matches.map(({ path }) => path)).toEqual(["/w/deep/hush.txt", "/w/hush.txt"]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
