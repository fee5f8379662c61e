#!/usr/bin/env node
/**
 * The whole check of the project; the last line is `N passed, N failed, N skipped`.
 * `--fast`: format, lint, types, floors, dead code and unit tests. `--full`: every count of crash points,
 * races and soaks at its full size (DEERFLOW_TEST_SCALE=1); otherwise 0.02 unless the variable is set.
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const fast = process.argv.includes("--fast");
const scale = process.argv.includes("--full") ? "1" : (process.env.DEERFLOW_TEST_SCALE ?? "0.02");

const tool = (path) => [process.execPath, join(ROOT, "node_modules", path)];
const STEPS = [
  { title: "Setup", command: [process.execPath, join(ROOT, "scripts/setup.mjs"), "--quiet"] },
  { title: "Format", command: [...tool("@biomejs/biome/bin/biome"), "format"] },
  { title: "Lint", command: [...tool("oxlint/bin/oxlint"), "--deny-warnings"] },
  { title: "Types of the tests", command: [...tool("typescript/bin/tsc"), "-p", "tsconfig.tests.json"] },
  { title: "Types of the web", command: [...tool("typescript/bin/tsc"), "-p", "apps/web"] },
  { title: "Dead code", command: [...tool("knip/bin/knip.js"), "--no-progress"] },
];

function run({ title, command: [executable, ...args] }) {
  const started = Date.now();
  const { status } = spawnSync(executable, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, DEERFLOW_TEST_SCALE: scale },
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  // The tests' own last line is the count, and stays the last line.
  if (title !== "Tests") process.stdout.write(`${status === 0 ? "ok  " : "FAIL"} ${title} (${seconds} s)\n`);
  return status === 0;
}

const failed = [];
for (const step of STEPS) {
  if (run(step)) continue;
  failed.push(step.title);
  if (step.title === "Setup") break;
}
if (failed.length > 0) {
  process.stdout.write(`Stopped before the tests: ${failed.join(", ")} failed.\n\n`);
  process.stdout.write(`0 passed, ${failed.length} failed, 0 skipped\n`);
  process.exit(1);
}
const vitest = [...tool("vitest/vitest.mjs"), "run", ...(fast ? ["--project", "unit"] : [])];
process.exit(run({ title: "Tests", command: vitest }) ? 0 : 1);
