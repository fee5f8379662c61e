#!/usr/bin/env node
/**
 * Installs and builds what is missing, so that every documented command works on a fresh clone. Needs only
 * Node and npm. A no-op the second time. `--quiet` says nothing when there is nothing to do; `--no-build`
 * leaves the build to the caller.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIsCurrent } from "./build-signature.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const quiet = process.argv.includes("--quiet");
const say = (text) => process.stderr.write(`[setup] ${text}\n`);

const MINIMUM = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
  say(`DeerFlow TS needs Node ${MINIMUM.join(".")} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** What npm recorded at its last install, compared entry by entry with the lockfile. */
function installIsCurrent() {
  const installed = join(ROOT, "node_modules/.package-lock.json");
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(installed, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      !path.startsWith("node_modules/") ||
      entry.link === true ||
      entry.optional === true ||
      entry.peer === true ||
      entry.devOptional === true ||
      present[path]?.version === entry.version,
  );
}

function run(title, command, args) {
  say(`${title} …`);
  const started = Date.now();
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: ["ignore", 2, 2], // standard output belongs to the command that the user asked for
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    say(`${title} failed${error ? ` (${error.message})` : ""}. The lines above say why.`);
    process.exit(status ?? 1);
  }
  say(`${title}: done in ${Math.round((Date.now() - started) / 1000)} s`);
}

let worked = false;
if (!installIsCurrent()) {
  worked = true;
  run("Installing packages (about a minute, once)", "npm", ["ci", "--no-audit", "--no-fund"]);
}
if (!process.argv.includes("--no-build") && !buildIsCurrent()) {
  worked = true;
  run("Building", process.execPath, [join(ROOT, "scripts/build.mjs")]);
}
if (!worked && !quiet) say("Nothing to do: packages and build are current.");
