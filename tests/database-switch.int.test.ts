/** Servers, the command line and a database that is switched under them: with real processes. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { testDatabases } from "../packages/harness/src/testing/test-databases.js";
import { scaled } from "../packages/harness/src/testing/test-scale.js";
import { Installation, type Started } from "./support/deerflow-command.js";
import { sdkClient } from "./support/served-host.js";

const databases = await testDatabases();
const ROUNDS = scaled(40, 2);

let installation: Installation;
let servers: Started[];
beforeEach(() => {
  installation = new Installation();
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.kill("SIGKILL");
  await Promise.all(servers.map(({ ended }) => ended));
  installation.remove();
});
afterAll(async () => {
  for (const { drop } of databases) await drop();
});

interface Served {
  readonly process: Started;
  readonly url: string;
}

async function serve(): Promise<Served> {
  const process = installation.start(["serve", "--port", "0"]);
  servers.push(process);
  const url = /http:\/\/\S+/.exec(await process.seen("Ctrl-C stops it"))?.[0] ?? "";
  return { process, url };
}

async function kill({ process }: Served): Promise<void> {
  process.kill("SIGKILL");
  await process.ended;
}

const ask = async ({ url }: Served, threadId: string, text: string): Promise<void> => {
  const input = { messages: [{ role: "user", content: text }] };
  await sdkClient(url).runs.wait(threadId, "lead_agent", { input, ifNotExists: "create" });
};

/** What people said in a thread, in order. */
async function questions({ url }: Served, threadId: string): Promise<string[]> {
  const { values } = await sdkClient(url).threads.getState<{ messages: { type: string; content: string }[] }>(
    threadId,
  );
  return values.messages.filter(({ type }) => type === "human").map(({ content }) => content);
}

const health = async ({ url }: Served) =>
  (await (await fetch(`${url}/api/health`)).json()) as {
    database: string;
    database_switch?: { phase: string; from: string; to: string };
  };

const threadsListed = async (): Promise<string[]> => {
  const { out } = await installation.run(["threads", "list", "--json"]);
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { threadId: string }).threadId)
    .toSorted();
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server's
  server.close();
  return port;
}

const file = (name: string): string => join(installation.folder, name);

describe("a served SQLite file", () => {
  it("refuses a second server, serves the terminal, and is free after kill -9", async () => {
    const first = await serve();
    await ask(first, "t1", "hello");
    const second = await installation.run(["serve", "--port", "0"]);
    expect(second).toMatchObject({ code: 2, out: "" });
    expect(second.err).toContain(`is served by another DeerFlow (process ${first.process.pid})`);
    expect(await threadsListed()).toEqual(["t1"]);
    const beside = await installation.run(["run", "--thread", "t1", "and again"]);
    expect(beside.code).toBe(0);
    await kill(first);
    const third = await serve();
    expect(await questions(third, "t1")).toEqual(["hello", "and again"]);
  });

  it("lies where the configuration file is, with the folders above it", async () => {
    const settings = file("settings");
    mkdirSync(settings);
    writeFileSync(join(settings, "flow.yaml"), "config_version: 1\ndatabase: {path: data/deep/flow.db}\n");
    const { code } = await installation.run(["--config", "settings/flow.yaml", "threads", "list"]);
    expect(code).toBe(0);
    expect(existsSync(join(settings, "data/deep/flow.db"))).toBe(true);
    expect(existsSync(installation.home)).toBe(false);
  });
});

describe("a database server that is not there", () => {
  it.each([
    ["postgres", "postgres://anna:geheim@127.0.0.1:1/flow"],
    ["mysql", "mysql://anna:geheim@127.0.0.1:1/flow"],
  ])("is named in one sentence without its password: %s", async (backend, url) => {
    installation.configure(`config_version: 1\ndatabase:\n  backend: ${backend}\n  url: $ADDRESS\n`);
    const { code, out, err } = await installation.run(["run", "hello"], { ADDRESS: url });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toMatch(/127\.0\.0\.1:1.*does not answer/);
    expect(err).not.toContain("geheim");
    const doctor = await installation.run(["doctor"], { ADDRESS: url });
    expect(doctor.out).toMatch(/FAIL database .*127\.0\.0\.1:1/);
    expect(doctor.out + doctor.err).not.toContain("geheim");
  });
});

describe("memory as the database", () => {
  it("is warned of with what it loses", async () => {
    installation.configure("config_version: 1\ndatabase: {backend: memory}\n");
    const { code, err } = await installation.run(["threads", "list"]);
    expect(code).toBe(0);
    expect(err).toMatch(/threads, runs and their history, the state of conversations and stored items.*lost/);
    expect(existsSync(join(installation.home, "data", "deerflow.db"))).toBe(false);
  });

  it("leaves nothing to go on with after a run, which says so", async () => {
    installation.configure("config_version: 1\ndatabase: {backend: memory}\n");
    const { code, err } = await installation.run(["run", "hello"]);
    expect(code).toBe(0);
    expect(err).toContain("The thread was in memory only, so it cannot be gone on with.");
    expect(err).not.toContain("--thread");
  });
});

describe("a server on a database that tells nobody who uses it", () => {
  const postgres = databases.find(({ backend }) => backend === "postgres");

  it.skipIf(postgres === undefined)("is not said to be absent when it listens at another port", async () => {
    const place = await postgres?.open();
    if (place?.backend !== "postgres") throw new Error("not PostgreSQL");
    const port = await freePort();
    installation.configure(
      `gateway: {port: ${port}}\ndatabase: {url: "${place.url}", schema: ${place.schema ?? "public"}}\n`,
    );
    const { url } = await serve();
    const sentence = `No server was found at http://127.0.0.1:${port}; name it with --server`;
    const looked = await installation.run(["database", "status"]);
    expect(looked.out).toContain(sentence);
    const offline = await installation.run(["database", "switch", "--to", file("new.db")]);
    expect(offline.err).toContain(`${sentence} if one runs: nothing was switched.`);
    expect(looked.out + offline.err).not.toContain("No server runs");
    expect((await installation.run(["database", "status", "--server", url])).out).toContain(`server ${url}`);
  });
});

describe("deerflow database switch", () => {
  it("puts the server on another database, and the next start too", async () => {
    const first = await serve();
    await ask(first, "t1", "one");
    const switched = await installation.run(["database", "switch", "--to", "next/flow.db", "--copy"]);
    expect(switched).toMatchObject({ code: 0 });
    expect(switched.err).toContain("done; the old database is closed");
    expect(switched.err).toContain(`path: "${file("next/flow.db")}"`);
    const { database, database_switch } = await health(first);
    expect(database).toBe(file("next/flow.db"));
    expect(database_switch).toMatchObject({ phase: "done", to: file("next/flow.db") });
    await ask(first, "t1", "two");
    await first.process.seen("The database was switched");
    expect(await threadsListed()).toEqual(["t1"]);
    await kill(first);

    const unedited = await serve();
    await unedited.process.seen("Write it into config.yaml");
    expect(await questions(unedited, "t1")).toEqual(["one", "two"]);
    await kill(unedited);
    installation.configure("config_version: 1\ndatabase: {path: next/flow.db}\n");
    const edited = await serve();
    expect(await questions(edited, "t1")).toEqual(["one", "two"]);
    const status = await installation.run(["database", "status"]);
    expect(status.out).toBe(`server ${edited.url}\ndatabase sqlite: ${file("next/flow.db")}\n`);
  });

  it("changes nothing when the new database does not answer", async () => {
    const server = await serve();
    const url = "postgres://anna:geheim@127.0.0.1:1/flow";
    const { code, err } = await installation.run(["database", "switch", "--to", "$ADDRESS"], {
      ADDRESS: url,
    });
    expect(code).toBe(2);
    expect(err).toMatch(/did not switch its database.*does not answer/);
    expect(err).not.toContain("geheim");
    expect((await health(server)).database_switch).toBeUndefined();
    expect(JSON.stringify(await server.process.seen("Ctrl-C"))).not.toContain("geheim");
  });

  it("looks, copies and tells what to write where no server runs", async () => {
    await installation.run(["run", "hello"]);
    const [thread = ""] = await threadsListed();
    const looked = await installation.run(["database", "switch", "--to", "next.db"]);
    expect(looked.code).toBe(0);
    expect(looked.err).toMatch(/No server runs[^]*1 threads of .* are not there; --copy takes them along/);
    const copied = await installation.run(["database", "switch", "--to", "next.db", "--copy"]);
    expect(copied.err).toContain("Of 1 threads 1 were copied");
    expect(copied.err).toContain(`database: {backend: sqlite, path: "${file("next.db")}"}`);
    installation.configure("config_version: 1\ndatabase: {path: next.db}\n");
    expect(await threadsListed()).toEqual([thread]);
  });
});

describe("a server that is killed while its database is switched", () => {
  it(`starts again with every answered question, ${ROUNDS} times in a row`, async () => {
    const answered = new Map<string, string[]>();
    let asked = 0;
    /** Asks until the server is gone. */
    const talk = async (server: Served, threadId: string): Promise<void> => {
      for (;;) {
        asked += 1;
        const text = `question ${asked}`;
        try {
          await ask(server, threadId, text);
        } catch {
          return;
        }
        answered.set(threadId, [...(answered.get(threadId) ?? []), text]);
      }
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await serve();
      const talking = ["a", "b", "c", `round-${round}`].map((threadId) => talk(server, threadId));
      const before = [...answered.values()].flat().length;
      await expect.poll(() => [...answered.values()].flat().length).toBeGreaterThan(before + 3);
      const switching = installation.run(["database", "switch", "--to", `next-${round}.db`, "--copy"]);
      await expect.poll(() => existsSync(file(`next-${round}.db`))).toBe(true);
      await sleep(Math.random() * 400);
      await kill(server);
      await Promise.all([...talking, switching]);

      const again = await serve();
      for (const [threadId, texts] of answered) {
        const said = await questions(again, threadId);
        expect(said.filter((text) => texts.includes(text))).toEqual(texts);
      }
      await expect.poll(async () => (await health(again)).database_switch?.phase ?? "done").toBe("done");
      await kill(again);
    }
    const leftovers = readdirSync(join(installation.home, "data")).filter((name) => name.endsWith(".draft"));
    expect(leftovers).toEqual([]);
  }, 600_000);
});
