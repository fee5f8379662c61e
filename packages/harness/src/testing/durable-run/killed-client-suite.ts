/** What a database must bear: programs that write checkpoints into it and are killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SqlDatabase } from "../../persistence/sql/contract.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { verifyThread } from "../../persistence/upkeep/verify-thread.js";
import { type Acknowledgement, faultsOf } from "./acknowledged-writes.js";
import { compiledFolder, compileRooms } from "../compile-rooms.js";
import { durableGraph, faultsOfEnd, runToEnd } from "./durable-run.js";
import { openSaver } from "./open-saver.js";
import { scaled } from "../test-scale.js";

const KILLS = scaled(200, 4);
/** So that looking at a whole database does not take longer and longer. */
const KILLS_PER_DATABASE = 25;
/** What is said before a kill: up to that of two whole runs beside each other, nearly. */
const MOST_FACTS = 60;
/** And up to this long after it, so that a kill also meets what nothing was said of yet. */
const LONGEST_WAIT_MS = 10;
const CHILD = "durable-run.child.mjs";

type Fact =
  | Acknowledgement
  | { readonly kind: "ready" }
  | { readonly kind: "begun"; readonly threadId: string };

/** A process with runs in it. */
class Runner {
  readonly facts: Fact[] = [];
  readonly ready: Promise<void>;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #errors = "";
  #onFacts: () => void = () => undefined;

  constructor(compiled: string, location: DatabaseLocation, name: string) {
    const script = join(compiled, CHILD);
    this.#process = spawn(process.execPath, [script, compiled, JSON.stringify(location), name]);
    this.#ended = new Promise((resolve) => this.#process.on("close", () => resolve()));
    this.#process.stderr?.on("data", (chunk) => {
      this.#errors += chunk;
    });
    let text = "";
    this.#process.stdout?.on("data", (chunk) => {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop() ?? "";
      // What the child says is its facts and nothing else.
      this.facts.push(...lines.map((line) => JSON.parse(line) as Fact));
      this.#onFacts();
    });
    this.ready = this.said(1);
    // Who waits for it is told; a runner that nobody waits for may fail.
    this.ready.catch(() => undefined);
  }

  /** Resolves when it has said so many facts. One waits at a time. */
  said(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onFacts = () => {
        if (this.facts.length >= count) resolve();
      };
      this.#onFacts();
      void this.#ended.then(() => reject(new Error(`the runner ended early: ${this.#errors}`)));
    });
  }

  begin(): void {
    this.#process.stdin?.write("\n");
  }

  /** @returns what it said on its standard error */
  async kill(): Promise<string> {
    this.#process.kill("SIGKILL");
    await this.#ended;
    return this.#errors;
  }

  get threadIds(): readonly string[] {
    return this.facts.flatMap((fact) => (fact.kind === "begun" ? [fact.threadId] : []));
  }

  /** Calls that must never run again: their results were stored at a checkpoint that was stored before. */
  get doneCalls(): ReadonlySet<string> {
    const put = new Set(
      this.acknowledged.flatMap((fact) => (fact.kind === "put" ? [fact.checkpointId] : [])),
    );
    return new Set(
      this.acknowledged.flatMap((fact) =>
        fact.kind === "writes" && put.has(fact.checkpointId)
          ? fact.calls.map((call) => `${fact.threadId} ${call}`)
          : [],
      ),
    );
  }

  get acknowledged(): readonly Acknowledgement[] {
    return this.facts.filter((fact) => fact.kind === "put" || fact.kind === "writes");
  }
}

/** Looks at what a killed runner left as a program does that starts anew, and goes on with it. */
async function goOn(
  location: DatabaseLocation,
  runner: Runner,
  check: (database: SqlDatabase) => Promise<void>,
): Promise<void> {
  const { saver, database, close } = await openSaver(location);
  await check(database);
  const ran: string[] = [];
  const goOnWith = async (threadId: string) => {
    expect(await faultsOf(saver, threadId, runner.acknowledged)).toEqual([]);
    expect((await verifyThread(saver, threadId)).findings).toEqual([]);
    const graph = durableGraph(saver, (call) => ran.push(`${threadId} ${call}`));
    await runToEnd(graph, threadId);
    expect(await faultsOfEnd(graph, threadId)).toEqual([]);
  };
  await Promise.all(runner.threadIds.map(goOnWith));
  expect(ran.filter((call) => runner.doneCalls.has(call))).toEqual([]);
  await close();
}

/** Looks at threads that have come to their end, whatever was killed since. */
async function expectKept(location: DatabaseLocation, threadIds: readonly string[]): Promise<void> {
  const { saver, close } = await openSaver(location);
  for (const threadId of threadIds) {
    expect((await verifyThread(saver, threadId)).findings).toEqual([]);
    expect(await faultsOfEnd(durableGraph(saver), threadId)).toEqual([]);
  }
  await close();
}

/**
 * @param open - the place of a new database
 * @param check - looks at the database itself after each kill
 */
export function killedClientSuite(
  name: string,
  open: () => Promise<DatabaseLocation>,
  check: (database: SqlDatabase) => Promise<void> = async () => undefined,
): void {
  describe(`${name} under programs that are killed`, () => {
    const compiled = compiledFolder(`killed-${name}`);
    beforeAll(() => {
      compileRooms(["base", "context", "persistence", "testing/durable-run"], compiled);
      cpSync(new URL(CHILD, import.meta.url), join(compiled, CHILD));
    });
    afterAll(() => rmSync(compiled, { recursive: true, force: true }));

    let started = 0;
    const start = (location: DatabaseLocation): Runner => {
      started += 1;
      return new Runner(compiled, location, String(started));
    };

    /** Kills so many programs one after the other, all on one new database. */
    async function killAll(kills: number): Promise<void> {
      const location = await open();
      await (await openSaver(location)).close();
      const threadIds: string[] = [];
      // Started while the one before is looked at: a start takes longer than all the rest.
      let next = start(location);
      for (let kill = 1; kill <= kills; kill += 1) {
        const runner = next;
        await runner.ready;
        runner.begin();
        await runner.said(Math.random() * MOST_FACTS);
        await sleep(Math.random() * LONGEST_WAIT_MS);
        expect(await runner.kill()).toBe("");
        if (kill < kills) next = start(location);
        await goOn(location, runner, check);
        threadIds.push(...runner.threadIds);
      }
      await expectKept(location, threadIds);
    }

    it(
      `has all that was acknowledged after each of ${KILLS} kills at random points, and each run goes on to its end`,
      async () => {
        for (let left = KILLS; left > 0; left -= KILLS_PER_DATABASE) {
          await killAll(Math.min(left, KILLS_PER_DATABASE));
        }
      },
      60_000 + KILLS * 5_000,
    );
  });
}
