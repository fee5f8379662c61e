import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import { InterningCheckpointSaver } from "../persistence/checkpoint/interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "../persistence/checkpoint/sql-checkpoint-rows.js";
import { type Persistence } from "../persistence/contract.js";
import { persistenceOver } from "../persistence/open-persistence.js";
import type { SqlDatabase } from "../persistence/sql/contract.js";
import { openDatabase } from "../persistence/sql/open-database.js";
import { threadStats } from "../persistence/upkeep/thread-stats.js";
import {
  CheckpointPruner,
  dueWork,
  type PrunedDatabases,
  pruningsOf,
  type RetentionPolicy,
} from "./checkpoint-pruner.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const POLICY: RetentionPolicy = { keep_last: 3, keep_days: 0, every_minutes: 60, compact_every_hours: 24 };

describe("what a retention policy asks for", () => {
  it("is one pruning for each limit that is set", () => {
    expect(pruningsOf({ keep_last: 0, keep_days: 0 }, 7)).toEqual([]);
    expect(pruningsOf({ keep_last: 5, keep_days: 2 }, 7)).toEqual([
      { keepLast: 5, now: 7 },
      { olderThan: 2 * DAY, now: 7 },
    ]);
  });

  it("is due after its interval, and never where that is 0", () => {
    const last = { pruned: 0, compacted: 0 };
    expect(dueWork(POLICY, last, HOUR - 1)).toEqual({ prune: false, compact: "no" });
    expect(dueWork(POLICY, last, HOUR)).toEqual({ prune: true, compact: "no" });
    expect(dueWork(POLICY, last, DAY).compact).toBe("when quiet");
    expect(dueWork(POLICY, last, 2 * DAY).compact).toBe("now");
    const never = { every_minutes: 0, compact_every_hours: 0 };
    expect(dueWork(never, last, 100 * DAY)).toEqual({ prune: false, compact: "no" });
  });
});

/** Time that goes on when the test says so. Short pauses are over at once. */
class ManualTime {
  #now = Date.now();
  #woken: (() => void) | undefined;
  #waiting: (() => void) | undefined;

  now = (): number => this.#now;

  wait = (milliseconds: number, signal: AbortSignal): Promise<void> => {
    if (milliseconds < 1000) return Promise.resolve();
    this.#waiting?.();
    return new Promise((resolve, reject) => {
      this.#woken = resolve;
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };

  /** Lets the pruner look at what is due then, and waits until it has. */
  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const looked = new Promise<void>((resolve) => {
      this.#waiting = resolve;
    });
    this.#woken?.();
    await looked;
  }
}

describe("the pruner", () => {
  let database: SqlDatabase;
  let persistence: Persistence;
  let pruner: CheckpointPruner;
  let time: ManualTime;
  let policy: RetentionPolicy;
  let databases: PrunedDatabases | undefined;
  let compactions: number;
  const log: [string, Readonly<Record<string, unknown>> | undefined][] = [];
  const noting = (message: string, facts?: Readonly<Record<string, unknown>>) =>
    void log.push([message, facts]);

  const saverOf = (scope: string) => new InterningCheckpointSaver(sqlCheckpointDatabase(database), { scope });
  const graphOf = (scope: string) =>
    new StateGraph(MessagesAnnotation)
      .addNode("answer", () => ({ messages: [new AIMessage("yes")] }))
      .addEdge(START, "answer")
      .compile({ checkpointer: saverOf(scope) });
  /** Says three things: nine checkpoints. */
  const converse = async (threadId: string, scope = "local") => {
    for (const text of ["one", "two", "three"]) {
      const messages = [new HumanMessage(text)];
      await graphOf(scope).invoke({ messages }, { configurable: { thread_id: threadId } });
    }
  };
  const checkpoints = async (scope = "local") =>
    Object.fromEntries(
      (await threadStats(saverOf(scope))).map(({ threadId, rows }) => [threadId, rows.checkpoints]),
    );

  beforeEach(async () => {
    const opened = await openDatabase({ backend: "memory" });
    compactions = 0;
    database = {
      ...opened,
      compact: () => {
        compactions += 1;
        return opened.compact();
      },
    };
    persistence = persistenceOver({ app: database, checkpoints: database, backend: "memory" });
    databases = { app: database, checkpoints: database };
    time = new ManualTime();
    policy = POLICY;
    log.length = 0;
    pruner = new CheckpointPruner({
      databases: () => databases,
      policy: () => policy,
      clock: time,
      wait: time.wait,
      logger: { debug: () => undefined, info: noting, warn: noting, error: noting },
    });
    pruner.start();
  });
  afterEach(async () => {
    await pruner.stop();
    await persistence.close();
    await database.close();
  });

  it("prunes the threads of every tenant when it is time, and says what it removed", async () => {
    await converse("a");
    await converse("b", "another");
    await time.pass(59 * MINUTE);
    expect(await checkpoints()).toEqual({ a: 9 });
    await time.pass(MINUTE);
    expect(await checkpoints()).toEqual({ a: 3 });
    expect(await checkpoints("another")).toEqual({ b: 3 });
    expect(log).toEqual([
      ["Old checkpoints were removed.", { threads: 2, checkpoints: 12, bytes: expect.any(Number), inUse: 0 }],
    ]);
    await time.pass(HOUR);
    await converse("a");
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 3 });
    expect(log).toHaveLength(2);
  });

  it("follows the policy that holds now", async () => {
    await converse("a");
    policy = { ...POLICY, every_minutes: 0 };
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 9 });
    policy = { ...POLICY, keep_last: 1000, keep_days: 30 };
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 9 });
    await time.pass(31 * DAY);
    expect(await checkpoints()).toEqual({ a: 1 });
  });

  it("leaves a thread alone while one of its runs is not over", async () => {
    await converse("a");
    await converse("b");
    const run = {
      threadId: "a",
      assistantId: "x",
      multitaskStrategy: "enqueue",
      onDisconnect: "cancel",
    } as const;
    await persistence.threads.create(LOCAL_PRINCIPAL, { threadId: "a" });
    const { runId } = await persistence.runs.create(LOCAL_PRINCIPAL, {
      ...run,
      runId: "r1",
      request: {},
      metadata: {},
      owner: "nobody",
    });
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 9, b: 3 });
    const claimed = await persistence.runs.claim(LOCAL_PRINCIPAL, "a", runId);
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 9, b: 3 });
    const fence = { threadId: "a", runId, epoch: claimed?.epoch ?? 0 };
    await persistence.runs.finish(LOCAL_PRINCIPAL, fence, { status: "success" });
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 3, b: 3 });
  });

  it("removes nothing while threads move to another database", async () => {
    await converse("a");
    const before = databases;
    databases = undefined;
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 9 });
    databases = before;
    await time.pass(MINUTE);
    expect(await checkpoints()).toEqual({ a: 3 });
  });

  it("prunes the others when one thread is damaged", async () => {
    await converse("a");
    await converse("b");
    await database.write((session) =>
      session.run("UPDATE checkpoints SET metadata = x'00' WHERE thread_key = 1"),
    );
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 9, b: 3 });
    expect(log[0]).toEqual([expect.stringMatching(/verify/), { threadId: "a", reason: expect.any(String) }]);
  });

  it("goes on after a database that did not answer", async () => {
    await converse("a");
    const { read } = database;
    const failing = { ...database, read: () => Promise.reject(new Error("gone")) };
    await time.pass(0);
    databases = { app: failing, checkpoints: database };
    await time.pass(HOUR);
    expect(log).toEqual([["Old checkpoints could not be removed.", { reason: "gone" }]]);
    expect(await checkpoints()).toEqual({ a: 9 });
    databases = { app: { ...failing, read }, checkpoints: database };
    await time.pass(HOUR);
    expect(await checkpoints()).toEqual({ a: 3 });
  });

  it("compacts when it is time and something was removed, and not again when nothing was", async () => {
    await converse("a");
    await time.pass(23 * HOUR);
    expect(compactions).toBe(0);
    await time.pass(HOUR);
    expect(compactions).toBe(1);
    expect(log.at(-1)).toEqual([
      "The database was compacted.",
      { before: expect.any(Number), after: expect.any(Number) },
    ]);
    await time.pass(DAY);
    expect(compactions).toBe(1);
    await saverOf("local").deleteThread("a");
    await time.pass(DAY);
    expect(compactions).toBe(2);
  });

  it("stops at once while it waits, and twice is once", async () => {
    await pruner.stop();
    await pruner.stop();
    expect(log).toEqual([]);
  });
});
