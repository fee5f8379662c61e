/** The official LangGraph.js savers of `tests/oracles`, which are installed when a test first needs them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { ROOT } from "./deerflow-command.js";

const FOLDER = join(ROOT, "tests/oracles");
/** Compiling better-sqlite3 takes a minute where there is no prebuilt one. */
const INSTALL_MS = 10 * 60_000;
const require = createRequire(join(FOLDER, "package.json"));

interface SqliteHandle {
  exec(sql: string): void;
  close(): void;
}

/** What the tests use of the packages. Their types are not installed where the tests are compiled. */
export interface OfficialSavers {
  readonly SqliteSaver: { fromConnString(path: string): BaseCheckpointSaver & { readonly db: SqliteHandle } };
  readonly PostgresSaver: {
    fromConnString(
      url: string,
      options: { schema: string },
    ): BaseCheckpointSaver & { setup(): Promise<void>; end(): Promise<void> };
  };
}

const isInstalled = (): boolean =>
  existsSync(join(FOLDER, "node_modules/better-sqlite3/build/Release/better_sqlite3.node")) &&
  existsSync(join(FOLDER, "node_modules/@langchain/langgraph-checkpoint-postgres/package.json"));

/**
 * The savers; undefined, with one visible line, where they cannot be installed.
 *
 * @throws Error with DEERFLOW_REQUIRE_SERVICES=1 in place of that
 */
export async function officialSavers(): Promise<OfficialSavers | undefined> {
  try {
    await install();
    const load = (name: string) => import(pathToFileURL(require.resolve(name)).href);
    const [sqlite, postgres] = [
      await load("@langchain/langgraph-checkpoint-sqlite"),
      await load("@langchain/langgraph-checkpoint-postgres"),
    ];
    return { SqliteSaver: sqlite.SqliteSaver, PostgresSaver: postgres.PostgresSaver };
  } catch (error) {
    if (process.env["DEERFLOW_REQUIRE_SERVICES"] === "1") throw error;
    process.stderr.write(
      `The tests with LangGraph's own savers are skipped: ${String(error).split("\n")[0]}\n`,
    );
    return undefined;
  }
}

/** Once, whichever test file is first. */
async function install(): Promise<void> {
  const lock = join(FOLDER, "node_modules.lock");
  const deadline = Date.now() + INSTALL_MS;
  while (!isInstalled()) {
    if (takeLock(lock)) {
      try {
        process.stderr.write(
          "Installing LangGraph's own savers into tests/oracles, once; this may take a minute.\n",
        );
        execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
          cwd: FOLDER,
          timeout: INSTALL_MS,
          stdio: "pipe",
        });
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
    } else if (Date.now() > deadline)
      throw new Error(`another process does not finish installing: remove ${lock}`);
    else await sleep(500);
  }
}

/** A folder is made by one process only. One that was left behind by a dead one counts no more after a while. */
function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > INSTALL_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
