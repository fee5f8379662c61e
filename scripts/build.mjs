#!/usr/bin/env node
/** Compiles every workspace, puts texts for the model and threads beside the code, and the web into the gateway. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILT_WORKSPACES, recordBuild } from "./build-signature.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

function run(title, args, cwd = ROOT) {
  process.stderr.write(`[build] ${title}\n`);
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** Text for the model, and what runs in a thread of its own: it stays as it is written. */
const COPIED = /(?:\.md|-worker\.mjs)$/;

function copyAsItIs(workspace) {
  const source = join(ROOT, workspace, "src");
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COPIED.test(entry.name)) continue;
    const from = join(entry.parentPath ?? entry.path, entry.name);
    const to = join(ROOT, workspace, "dist", relative(source, from));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to);
  }
}

/** Removes compiled files whose source is gone, so that a renamed file leaves nothing behind. */
function removeStale(workspace) {
  const built = join(ROOT, workspace, "dist");
  if (!existsSync(built)) return;
  for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
    const folder = entry.parentPath ?? entry.path;
    const path = relative(built, join(folder, entry.name));
    const stem = path.match(/^(.*)\.(?:d\.ts|js)(?:\.map)?$/)?.[1];
    if (!entry.isFile() || stem === undefined || path.startsWith("web")) continue;
    const source = join(ROOT, workspace, "src", stem);
    if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(join(built, path));
  }
}

BUILT_WORKSPACES.forEach(removeStale);
run("Compiling the packages", [join(ROOT, "node_modules/typescript/bin/tsc"), "-b"]);
BUILT_WORKSPACES.forEach(copyAsItIs);
run(
  "Bundling the web workspace",
  [join(ROOT, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"],
  join(ROOT, "apps/web"),
);
rmSync(join(ROOT, "apps/gateway/dist/web"), { recursive: true, force: true });
cpSync(join(ROOT, "apps/web/dist"), join(ROOT, "apps/gateway/dist/web"), { recursive: true });
recordBuild();
