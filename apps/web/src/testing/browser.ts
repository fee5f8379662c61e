/** Builds the workspace and opens it in Chromium. */
import { execFile } from "node:child_process";
import { accessSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium, type Browser, type Page } from "playwright-core";

const CHROMIUM = process.env["DEERFLOW_CHROMIUM"] ?? "/usr/bin/chromium";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const resolve = createRequire(import.meta.url).resolve;

/** True when there is a browser to test with; throws where one is demanded. */
export function hasChromium(): boolean {
  try {
    accessSync(CHROMIUM);
    return true;
  } catch (error) {
    if (process.env["DEERFLOW_REQUIRE_SERVICES"] === "1") throw error;
    console.warn(`The browser tests are skipped: there is no ${CHROMIUM}.`);
    return false;
  }
}

/** @returns the folder with the built workspace, new and apart from `dist` */
export async function buildWorkspace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "deerflow-web-"));
  const vite = join(resolve("vite/package.json"), "../bin/vite.js");
  await promisify(execFile)(process.execPath, [vite, "build", "--outDir", folder, "--logLevel", "error"], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: "production" },
  });
  return folder;
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/** What a screen reader's user would stumble over, seriously. */
export async function seriousProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(resolve("axe-core/axe.min.js"), "utf8"));
  // The function runs in the page, where axe has just been defined.
  const results = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run(document));
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

interface Axe {
  run(context: unknown): Promise<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>;
}
