/** A PostgreSQL server of a suite's own, which it may stop, kill, fill and set as it likes. */
import { execFile, execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { findExecutable } from "../base/find-executable.js";
import { freePort, ServerProcess } from "./server-process.js";

export interface OwnPostgres {
  readonly port: number;
  /** Where its files are, and others that it may use; it belongs to the server's user. */
  readonly folder: string;
  /** @param login - user and password; by default those of the superuser */
  url(database?: string, login?: string): string;
  /** Runs one statement as the superuser, on a connection of its own. */
  query(statement: string, database?: string): Promise<Record<string, unknown>[]>;
  /** Starts it where it is stopped or killed; resolves when it answers. @param settings - such as `fsync=off` */
  start(settings?: readonly string[]): Promise<void>;
  /** As an operator would: it ends its connections and writes down everything. */
  stop(): Promise<void>;
  /** As a power cut would, but for what the operating system has not written yet. */
  kill(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

const PROGRAMS = ["postgres", "initdb"] as const;
const PACKAGES = "/usr/lib/postgresql";
/** The server refuses to run as root. */
const SERVER_USER = "postgres";
const SUPERUSER = "postgres:super-secret";
const DATABASE = "postgres";
/** Small, so that it is quickly there and many fit on a machine. */
const SMALL = ["shared_buffers=16MB", "max_connections=60", "autovacuum=off"];

/** Debian keeps the programs of a version in a folder of their own. */
function searchPath(): string {
  const versions = (() => {
    try {
      return readdirSync(PACKAGES);
    } catch {
      return []; // Not Debian: they are in the PATH, or nowhere.
    }
  })();
  const folders = versions.map((version) => join(PACKAGES, version, "bin"));
  return [process.env["PATH"] ?? "", ...folders].join(":");
}

const programOf = (name: (typeof PROGRAMS)[number]): string | undefined => findExecutable(name, searchPath());

/** The user of the server, where this process is root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, SERVER_USER], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/**
 * Whether a server can be started here. Where it cannot, says so in one line, so that a skip is seen.
 * @throws Error with DEERFLOW_REQUIRE_SERVICES=1 when it cannot: there nothing may be skipped for it
 */
export function postgresIsHere(): boolean {
  const missing = PROGRAMS.filter((name) => programOf(name) === undefined);
  if (missing.length === 0) return true;
  const reason = `${missing.join(" and ")} must be installed`;
  if (process.env["DEERFLOW_REQUIRE_SERVICES"] === "1") throw new Error(reason);
  process.stderr.write(`The tests on a PostgreSQL of their own are skipped: ${reason}\n`);
  return false;
}

async function install(folder: string, user: ReturnType<typeof serverUser>): Promise<void> {
  const passwords = join(folder, "password");
  writeFileSync(passwords, SUPERUSER.split(":")[1] ?? "");
  if (user !== undefined) for (const path of [folder, passwords]) chownSync(path, user.uid, user.gid);
  const settings = ["--username=postgres", `--pwfile=${passwords}`, "--auth=scram-sha-256"];
  const place = [`--pgdata=${join(folder, "data")}`, "--encoding=UTF8", "--locale=C", "--no-sync"];
  await promisify(execFile)(programOf("initdb") ?? "", [...settings, ...place], { ...user, cwd: folder });
}

/** Each connection is served by a process of its own, whose parent is the server. */
function childrenOf(pid: number): readonly number[] {
  try {
    const found = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
    return found.trim().split("\n").map(Number);
  } catch {
    return []; // It has none.
  }
}

async function killWhole(server: ServerProcess): Promise<void> {
  if (server.pid === undefined) return;
  // Held first, so that it neither tells its processes to end in order nor starts others.
  process.kill(server.pid, "SIGSTOP");
  for (const child of childrenOf(server.pid)) process.kill(child, "SIGKILL");
  await server.end("SIGKILL");
}

/** Installs a server and starts it, on a free port of 127.0.0.1. Logins need their password. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "deerflow-postgres-"));
  const user = serverUser();
  await install(folder, user);
  const port = await freePort();
  let server: ServerProcess | undefined;

  const url = (database = DATABASE, login = SUPERUSER) => `postgres://${login}@127.0.0.1:${port}/${database}`;
  async function query(statement: string, database = DATABASE): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url(database), connectionTimeoutMillis: 5_000 });
    // Its loss while the server ends is told by the statement.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }
  const own: OwnPostgres = {
    port,
    folder,
    url,
    query,
    async start(settings = []) {
      if (server !== undefined) return;
      const places = [`unix_socket_directories=${folder}`, "listen_addresses=127.0.0.1", `port=${port}`];
      server = new ServerProcess(
        programOf("postgres") ?? "",
        ["-D", join(folder, "data"), ...[...places, ...SMALL, ...settings].flatMap((pair) => ["-c", pair])],
        user,
      );
      await server.untilAnswering(() => query("SELECT 1"));
    },
    async stop() {
      // SIGINT ends its connections; SIGTERM would wait for them.
      await server?.end("SIGINT");
      server = undefined;
    },
    async kill() {
      if (server !== undefined) await killWhole(server);
      server = undefined;
    },
    async remove() {
      await own.kill();
      rmSync(folder, { recursive: true });
    },
  };
  await own.start();
  return own;
}
