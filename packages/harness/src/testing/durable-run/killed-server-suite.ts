/** What a database server must bear: being killed while a program writes checkpoints into it. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { verifyThread } from "../../persistence/upkeep/verify-thread.js";
import { scaled } from "../test-scale.js";
import { acknowledging, type Acknowledgement, faultsOf } from "./acknowledged-writes.js";
import { durableGraph, faultsOfEnd, runToEnd } from "./durable-run.js";
import { openSaver, type OpenedSaver } from "./open-saver.js";

const KILLS = scaled(20, 1);
/** What is acknowledged before a kill: up to that of two runs beside each other, nearly. */
const MOST_FACTS = 50;
const LONGEST_WAIT_MS = 10;

/** A server of the suite's own. */
export interface KilledServer {
  /** Starts it again; resolves when it answers. */
  start(): Promise<void>;
  /** As a power cut would. */
  kill(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export interface KilledServerSuiteOptions<Server extends KilledServer> {
  readonly name: string;
  open(): Promise<Server>;
  /** A database on it, which need not exist. */
  locate(server: Server): DatabaseLocation;
}

export function killedServerSuite<Server extends KilledServer>(
  options: KilledServerSuiteOptions<Server>,
): void {
  const { name, open, locate } = options;
  describe(`${name} as a server that is killed`, () => {
    let server: Server | undefined;
    let opened: OpenedSaver | undefined;
    beforeAll(async () => {
      server = await open();
    });
    afterAll(async () => {
      await opened?.close();
      await server?.remove();
    });

    it(
      `has all that was acknowledged after each of ${KILLS} kills at random points, and the program goes on with it`,
      async () => {
        if (server === undefined) throw new Error("there is no server");
        const location = locate(server);
        opened = await openSaver(location);
        const facts: Acknowledgement[] = [];
        const saver = acknowledging(opened.saver, (fact) => facts.push(fact));
        const graph = durableGraph(saver);
        for (let kill = 0; kill < KILLS; kill += 1) {
          const before = facts.length;
          const threadIds = [`${kill}-sync`, `${kill}-async`];
          const runs = Promise.allSettled([
            runToEnd(graph, `${kill}-sync`, "sync"),
            runToEnd(graph, `${kill}-async`, "async"),
          ]);
          const enough = before + Math.random() * MOST_FACTS;
          await expect.poll(() => facts.length, { interval: 1 }).toBeGreaterThanOrEqual(enough);
          await sleep(Math.random() * LONGEST_WAIT_MS);
          await server.kill();
          await server.start();
          // A run either waited for the server or was told that it is away.
          for (const run of await runs) {
            if (run.status === "rejected") expect(run.reason).toMatchObject({ code: "database_unreachable" });
          }
          await expectWhole(location, threadIds, facts);
          for (const threadId of threadIds) {
            await runToEnd(graph, threadId);
            expect(await faultsOfEnd(graph, threadId)).toEqual([]);
          }
          await expectWhole(location, threadIds, facts);
        }
      },
      60_000 + KILLS * 30_000,
    );
  });
}

/** Looks as a program does that starts anew. */
async function expectWhole(
  location: DatabaseLocation,
  threadIds: readonly string[],
  facts: readonly Acknowledgement[],
): Promise<void> {
  const { saver, close } = await openSaver(location);
  for (const threadId of threadIds) {
    expect(await faultsOf(saver, threadId, facts)).toEqual([]);
    expect((await verifyThread(saver, threadId)).findings).toEqual([]);
  }
  await close();
}
