#!/usr/bin/env node
/**
 * Runs the suites of the checkpoint savers and the contract tests of LangGraph's internals against the newest LangGraph.js
 * that the registry serves, in a temporary copy. Says whether an upgrade would be safe; it is no part of the check, so
 * it ends with 0 whatever it finds, unless --strict is given.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLLOWED = [
  "@langchain/core",
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint",
  "@langchain/langgraph-checkpoint-validation",
  "@langchain/langgraph-sdk",
  "langchain",
];
const COPIED = [
  "packages/harness",
  "tools/count-reporter.ts",
  "vitest.config.ts",
  "package.json",
  "tsconfig.base.json",
];
const SUITES = [
  "packages/harness/src/persistence/checkpoint",
  "packages/harness/src/langgraph",
  "packages/harness/src/graph",
];

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const say = (text) => process.stdout.write(`${text}\n`);

/** Each followed package's version here, and the newest one. */
function versions() {
  const { packages } = readJson(join(ROOT, "package-lock.json"));
  return FOLLOWED.map((name) => ({
    name,
    here: packages[`node_modules/${name}`]?.version,
    newest: execFileSync("npm", ["view", name, "version"], { encoding: "utf8" }).trim(),
  }));
}

function copyTo(folder) {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...COPIED], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of listed.trim().split("\n")) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
}

/** Asks for the newest of the followed packages in a package file. */
function follow(path, newest, change = (contents) => contents) {
  const contents = change(readJson(path));
  for (const field of ["dependencies", "devDependencies", "overrides"]) {
    for (const name of Object.keys(contents[field] ?? {})) {
      if (newest.has(name)) contents[field][name] = newest.get(name);
    }
  }
  writeFileSync(path, `${JSON.stringify(contents, undefined, 2)}\n`);
}

const found = versions();
for (const { name, here, newest } of found) say(`${name.padEnd(44)} ${here} here, ${newest} newest`);
const newest = new Map(found.map(({ name, newest: version }) => [name, version]));

const folder = mkdtempSync(join(tmpdir(), "deerflow-newest-"));
let status = 1;
try {
  copyTo(folder);
  follow(join(folder, "package.json"), newest, (contents) => ({
    ...contents,
    workspaces: ["packages/harness"],
  }));
  follow(join(folder, "packages/harness/package.json"), newest);
  say("Installing them in a temporary folder");
  const install = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], {
    cwd: folder,
    stdio: "inherit",
  });
  if (install.status === 0) {
    const vitest = join(folder, "node_modules/vitest/vitest.mjs");
    ({ status } = spawnSync(process.execPath, [vitest, "run", ...SUITES], { cwd: folder, stdio: "inherit" }));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
say("");
say(status === 0 ? "The newest LangGraph.js passes." : "The newest LangGraph.js does NOT pass: see above.");
process.exit(process.argv.includes("--strict") ? (status ?? 1) : 0);
