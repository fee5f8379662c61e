/** A MariaDB server of a suite's own, which it may stop, kill, fill and set as it likes. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConnection } from "mysql2/promise";
import { findExecutable } from "../base/find-executable.js";
import { freePort, ServerProcess } from "./server-process.js";

export interface OwnMariadb {
  readonly port: number;
  /** @param database - part of the address; it need not exist */
  url(database: string, login?: string): string;
  /** Runs one statement as root, on a connection of its own. */
  query(statement: string): Promise<Record<string, unknown>[]>;
  /** Starts it where it is stopped or killed; resolves when it answers. */
  start(settings?: readonly string[]): Promise<void>;
  /** As an operator would: it writes down everything. */
  stop(): Promise<void>;
  /** As a power cut would. */
  kill(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

export interface OwnMariadbOptions {
  /** Where its data lies; a folder below the system's temporary one by default. It must exist, and stays. */
  readonly folder?: string;
  /** For every start, such as `--max-allowed-packet=1M`. */
  readonly settings?: readonly string[];
}

const PROGRAMS = ["mariadbd", "mariadb-install-db"] as const;
/** The server refuses to run as root. */
const SERVER_USER = "mysql";
const isRoot = process.getuid?.() === 0;
const userSettings = isRoot ? [`--user=${SERVER_USER}`] : [];

/** Small, so that a start takes a second and the files fit on a small disk. */
const SMALL = [
  "--innodb-log-file-size=8M",
  "--innodb-buffer-pool-size=32M",
  "--performance-schema=OFF",
  "--skip-log-bin",
];

const programOf = (name: (typeof PROGRAMS)[number]): string | undefined =>
  findExecutable(name, `${process.env["PATH"] ?? ""}:/usr/sbin`);

/**
 * Whether a server can be started here. Where it cannot, says so in one line, so that a skip is seen.
 * @throws Error with DEERFLOW_REQUIRE_SERVICES=1 when it cannot: there nothing may be skipped for it
 */
export function mariadbIsHere(): boolean {
  const missing = PROGRAMS.filter((name) => programOf(name) === undefined);
  if (missing.length === 0) return true;
  const reason = `${missing.join(" and ")} must be installed`;
  if (process.env["DEERFLOW_REQUIRE_SERVICES"] === "1") throw new Error(reason);
  process.stderr.write(`The tests on a MariaDB of their own are skipped: ${reason}\n`);
  return false;
}

async function install(folder: string, settings: readonly string[]): Promise<void> {
  if (isRoot) execFileSync("chown", [SERVER_USER, folder]);
  await promisify(execFile)(programOf("mariadb-install-db") ?? "", [
    "--no-defaults",
    `--datadir=${join(folder, "data")}`,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
    ...userSettings,
    ...settings.filter((setting) => setting.startsWith("--innodb-log-file-size")),
  ]);
}

/** Installs a server and starts it, on a free port of 127.0.0.1. Root has no password. */
export async function startOwnMariadb(options: OwnMariadbOptions = {}): Promise<OwnMariadb> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "deerflow-mariadb-"));
  const base = [...SMALL, ...(options.settings ?? [])];
  await install(folder, base);
  const port = await freePort();
  let server: ServerProcess | undefined;

  const url = (database: string, login = "root") => `mysql://${login}@127.0.0.1:${port}/${database}`;
  async function query(statement: string): Promise<Record<string, unknown>[]> {
    const connection = await createConnection({ uri: url(""), connectTimeout: 5_000 });
    // Its loss while the server ends is told by the statement.
    connection.on("error", () => undefined);
    try {
      const [rows] = await connection.query(statement);
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
    } finally {
      connection.destroy();
    }
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    await server?.end(signal);
    server = undefined;
  }
  const own: OwnMariadb = {
    port,
    url,
    query,
    async start(settings = []) {
      if (server !== undefined) return;
      server = new ServerProcess(programOf("mariadbd") ?? "", [
        "--no-defaults",
        `--datadir=${join(folder, "data")}`,
        `--socket=${join(folder, "socket")}`,
        `--pid-file=${join(folder, "pid")}`,
        `--port=${port}`,
        "--bind-address=127.0.0.1",
        ...userSettings,
        ...base,
        ...settings,
      ]);
      await server.untilAnswering(() => query("SELECT 1"));
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    async remove() {
      await end("SIGKILL");
      if (options.folder === undefined) rmSync(folder, { recursive: true });
    },
  };
  await own.start();
  return own;
}
