/** The databases that a suite runs on: a file, memory, and the servers that answer on this machine. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConnection } from "mysql2/promise";
import { Client } from "pg";
import type { DatabaseLocation } from "../persistence/sql/database-location.js";

export interface TestDatabase {
  /** For the name of a suite. */
  readonly name: "SQLite" | "memory" | "PostgreSQL" | "MySQL";
  readonly backend: DatabaseLocation["backend"];
  /** Where a fresh database can be made: nothing is there yet. Each call gives another place. */
  open(): Promise<DatabaseLocation>;
  /** Removes what was made at all the places given so far. Close the databases first. */
  drop(): Promise<void>;
}

interface Service {
  readonly name: TestDatabase["name"];
  readonly backend: "postgres" | "mysql";
  readonly url: string;
  /** Runs one statement on a connection of its own. */
  run(url: string, statement: string): Promise<void>;
  locate(url: string, name: string): DatabaseLocation;
  /** @param name - made here, so it needs no quoting */
  dropping(name: string): string;
}

const CONNECT_TIMEOUT_MS = 5_000;

const SERVICES: readonly Service[] = [
  {
    name: "PostgreSQL",
    backend: "postgres",
    url: process.env["DEERFLOW_TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres",
    async run(url, statement) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        options: "-c client_min_messages=warning",
      });
      try {
        await client.connect();
        await client.query(statement);
      } finally {
        await client.end();
      }
    },
    locate: (url, schema) => ({ backend: "postgres", url, schema }),
    dropping: (schema) => `DROP SCHEMA IF EXISTS ${schema} CASCADE`,
  },
  {
    name: "MySQL",
    backend: "mysql",
    url: process.env["DEERFLOW_TEST_MYSQL_URL"] ?? "mysql://root@127.0.0.1:3306/",
    async run(url, statement) {
      const connection = await createConnection({ uri: url, connectTimeout: CONNECT_TIMEOUT_MS });
      try {
        await connection.query(statement);
      } finally {
        await connection.end();
      }
    },
    locate(url, name) {
      const place = new URL(url);
      place.pathname = name;
      return { backend: "mysql", url: place.href };
    },
    dropping: (name) => `DROP DATABASE IF EXISTS ${name}`,
  },
];

const freshName = (): string => `deerflow_test_${randomBytes(6).toString("hex")}`;

function sqliteFiles(): TestDatabase {
  const folders: string[] = [];
  return {
    name: "SQLite",
    backend: "sqlite",
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "deerflow-database-"));
      folders.push(folder);
      return { backend: "sqlite", path: join(folder, "deerflow.db") };
    },
    async drop() {
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
    },
  };
}

const memory = (): TestDatabase => ({
  name: "memory",
  backend: "memory",
  open: async () => ({ backend: "memory" }),
  drop: async () => undefined,
});

function serviceDatabase({ name, backend, url, run, locate, dropping }: Service): TestDatabase {
  const made: string[] = [];
  return {
    name,
    backend,
    async open() {
      const fresh = freshName();
      made.push(fresh);
      return locate(url, fresh);
    },
    async drop() {
      for (const fresh of made.splice(0)) await run(url, dropping(fresh));
    },
  };
}

/** Why the service does not answer; undefined when it does. */
async function failureOf({ url, run }: Service): Promise<string | undefined> {
  try {
    await run(url, "SELECT 1");
    return undefined;
  } catch (error) {
    // A refused connection to a name with several addresses has its reasons in a list, and a code.
    const { message = "", code = "" } = error as { message?: string; code?: string };
    return message || code || "no reason given";
  }
}

/**
 * The databases that can be tested here. A server that does not answer is skipped with one visible line.
 *
 * @example
 * const databases = await testDatabases();
 * describe.each(databases)("the run store on $name", ({ open, drop }) => { afterAll(drop); … });
 * @throws Error with DEERFLOW_REQUIRE_SERVICES=1 when a server does not answer: there nothing may be skipped for it
 */
export async function testDatabases(): Promise<readonly TestDatabase[]> {
  const answering: TestDatabase[] = [];
  for (const service of SERVICES) {
    const failure = await failureOf(service);
    if (failure === undefined) {
      answering.push(serviceDatabase(service));
    } else if (process.env["DEERFLOW_REQUIRE_SERVICES"] === "1") {
      throw new Error(`${service.name} must answer here: ${failure}`);
    } else {
      process.stderr.write(`The tests on ${service.name} are skipped: ${failure}\n`);
    }
  }
  return [sqliteFiles(), memory(), ...answering];
}
