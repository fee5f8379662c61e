/** The official LangGraph.js savers of `tests/oracles`, where they are installed: `npm run oracles` does it. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { ROOT } from "./deerflow-command.js";

const FOLDER = join(ROOT, "tests/oracles");
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
 * The savers; undefined, with one visible line, where they are not installed.
 *
 * @throws Error with DEERFLOW_REQUIRE_SERVICES=1 in place of that
 */
export async function officialSavers(): Promise<OfficialSavers | undefined> {
  try {
    if (!isInstalled()) throw new Error("`npm run oracles` has not been run");
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
