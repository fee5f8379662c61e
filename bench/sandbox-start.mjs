#!/usr/bin/env node
/** What a command in the sandbox costs to start, against a plain bash in the same run. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BubblewrapProvider } from "../packages/harness/dist/exports/sandbox.js";

const WARM_UP = 20;
const COUNT = 200;
const AT_ONCE = 50;
const MOST_TIMES = 5;

const plain = () =>
  new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", "true"], {
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`bash ended with ${code}`))));
  });

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const quantile = (times, part) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];

const row = (name, times) =>
  `${name.padEnd(22)} p50 ${quantile(times, 0.5).toFixed(1)} ms   p95 ${quantile(times, 0.95).toFixed(1)} ms`;

/** Alternately, so that what else the machine does meets both. */
async function alternate(runs) {
  const times = runs.map(() => []);
  for (let round = -WARM_UP; round < COUNT; round += 1) {
    for (const [index, run] of runs.entries()) {
      const time = await timed(run);
      if (round >= 0) times[index].push(time);
    }
  }
  return times;
}

const folder = mkdtempSync(join(tmpdir(), "deerflow-bench-"));
const provider = new BubblewrapProvider();
let failed = 0;
try {
  const health = await provider.health();
  console.log(`${health.reason} ${health.limits ?? ""}`);
  if (!health.available) process.exit(1);
  const sandbox = await provider.acquire({
    id: "bench",
    mounts: [{ virtualPath: "/mnt/user-data/workspace", hostPath: folder, mode: "read-write" }],
    workingDirectory: "/mnt/user-data/workspace",
  });
  const inside = async () => {
    const { exitCode } = await sandbox.execute({ command: "true" }).catch(() => ({ exitCode: undefined }));
    if (exitCode !== 0) failed += 1;
  };
  const [bash, sandboxed] = await alternate([plain, inside]);
  const times = quantile(sandboxed, 0.5) / quantile(bash, 0.5);
  console.log(row("bash -c true", bash));
  console.log(row("true in the sandbox", sandboxed));
  console.log(`${times.toFixed(2)} times (at most ${MOST_TIMES})`);
  const all = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, inside)));
  console.log(`${AT_ONCE} at once: ${all.toFixed(0)} ms`);
  console.log(failed === 0 ? "No start failed." : `${failed} starts failed.`);
  if (failed > 0 || times > MOST_TIMES) process.exitCode = 1;
} finally {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
}
