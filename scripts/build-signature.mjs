/** Whether the build is as new as its sources: a hash over the content of every file that goes into it. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const STAMP = join(ROOT, "node_modules/.cache/deerflow-build.json");

export const BUILT_WORKSPACES = [
  "packages/protocol",
  "packages/client",
  "packages/harness",
  "apps/gateway",
  "apps/cli",
];
const SOURCES = [...BUILT_WORKSPACES, "apps/web"];
const RESULTS = [...BUILT_WORKSPACES.map((workspace) => `${workspace}/dist`), "apps/gateway/dist/web"];

function* filesOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "dist" || entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOf(path);
    else if (!/\.test\.tsx?$/.test(entry.name)) yield path;
  }
}

function signature() {
  const hash = createHash("sha256");
  const files = SOURCES.flatMap((workspace) => [...filesOf(join(ROOT, workspace))]).sort();
  for (const path of [...files, join(ROOT, "tsconfig.base.json"), join(ROOT, "package-lock.json")]) {
    hash.update(path.slice(ROOT.length)).update(readFileSync(path));
  }
  return hash.digest("hex");
}

export function buildIsCurrent() {
  if (!existsSync(STAMP) || RESULTS.some((path) => !existsSync(join(ROOT, path)))) return false;
  return JSON.parse(readFileSync(STAMP, "utf8")).signature === signature();
}

export function recordBuild() {
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, JSON.stringify({ signature: signature() }));
}
