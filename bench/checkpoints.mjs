#!/usr/bin/env node
/**
 * What checkpoints cost: our savers and LangGraph's official ones on the same run of 10, 50 and 200 steps of a model
 * and a tool, with messages of 2 KB, and of 50 steps with an image of 1 MB. Bytes are those of the SQLite file after
 * its log was folded in, elsewhere the sum of the columns' lengths; time is the CPU of the process, the median of
 * some rounds that take turns. Fails when a target is missed.
 * Options: --rounds 5, --only sqlite|postgres|mysql
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : process.argv[at + 1];
};
const ROUNDS = Number(option("rounds", 5));
const ONLY = option("only", "");
const RUN = fileURLToPath(new URL("./checkpoints/run.mjs", import.meta.url));
const ORACLES = fileURLToPath(new URL("../tests/oracles", import.meta.url));
const IMAGE = 1024 * 1024;

const CASES = [
  { title: "10 steps", steps: 10, image: 0 },
  { title: "50 steps", steps: 50, image: 0 },
  { title: "200 steps", steps: 200, image: 0 },
  { title: "50 steps and an image", steps: 50, image: IMAGE },
];
/** Each of ours beside the official one of its database. */
const PAIRS = [
  { database: "sqlite", ours: "ours-sqlite", official: "official-sqlite" },
  { database: "postgres", ours: "ours-postgres", official: "official-postgres" },
  { database: "mysql", ours: "ours-mysql", official: undefined },
].filter(({ database }) => ONLY === "" || ONLY === database);

if (!existsSync(join(ORACLES, "node_modules"))) {
  process.stdout.write("Installing the official savers (once, about a minute)\n");
  const { status } = spawnSync("npm", ["ci", "--silent", "--no-audit", "--no-fund"], {
    cwd: ORACLES,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), "deerflow-bench-"));
let places = 0;

function run(saver, { steps, image }) {
  places += 1;
  const fresh = `deerflow_bench_${process.pid}_${places}`;
  const place = saver.endsWith("sqlite") ? join(folder, `${fresh}.db`) : fresh;
  const { stdout, stderr, status } = spawnSync(process.execPath, [RUN, saver, steps, image, place], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${saver} failed: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

/** Medians of each saver; the savers take turns, so that a busy machine is busy for all. */
function measure(item) {
  const savers = ["none", ...PAIRS.flatMap(({ ours, official }) => (official ? [ours, official] : [ours]))];
  const results = new Map(savers.map((saver) => [saver, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const saver of savers) results.get(saver).push(run(saver, item));
  }
  return new Map(
    [...results].map(([saver, all]) => [
      saver,
      {
        bytes: median(all.map(({ bytes }) => bytes)),
        content: all[0].content,
        cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
      },
    ]),
  );
}

const missed = [];
const require = (what, value, limit) => {
  if (value > limit) missed.push(`${what}: ${value.toFixed(2)}, allowed ${limit}`);
};

const perStep = new Map();
for (const item of CASES) {
  const results = measure(item);
  process.stdout.write(`\n${item.title} (messages as JSON: ${megabytes(results.get("none").content)})\n`);
  for (const [saver, { bytes, content, cpuMs }] of results) {
    const line = [
      saver.padEnd(18),
      megabytes(bytes).padStart(10),
      `${(bytes / item.steps / 1000).toFixed(1)} kB a step`.padStart(16),
    ];
    line.push(
      `${(bytes / content).toFixed(2)} x the messages`.padStart(20),
      `${(cpuMs / item.steps).toFixed(2)} ms CPU a step`.padStart(22),
    );
    process.stdout.write(`${line.join("  ")}\n`);
    perStep.set(`${saver} ${item.title}`, bytes / item.steps);
  }
  for (const { ours, official } of PAIRS) {
    const { bytes, content, cpuMs } = results.get(ours);
    if (item.steps === 200) require(`${ours}: bytes over messages at 200 steps`, bytes / content, 2);
    if (official === undefined) continue;
    const ratio = cpuMs / results.get(official).cpuMs;
    process.stdout.write(`${ours} takes ${ratio.toFixed(2)} times the CPU of ${official}\n`);
    require(`${ours}: CPU over ${official}, ${item.title}`, ratio, item.steps >= 50 ? 1 : 1.2);
  }
}
for (const { ours } of PAIRS) {
  const growth = perStep.get(`${ours} 200 steps`) / perStep.get(`${ours} 50 steps`);
  process.stdout.write(`${ours}: bytes a step at 200 steps are ${growth.toFixed(2)} times those at 50\n`);
  require(`${ours}: growth of bytes a step`, growth, 1.2);
}
rmSync(folder, { recursive: true });
for (const line of missed) process.stdout.write(`MISSED ${line}\n`);
process.exit(missed.length === 0 ? 0 : 1);
