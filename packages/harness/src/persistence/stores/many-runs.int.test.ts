import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { testDatabases } from "../../testing/test-databases.js";
import type { Persistence } from "../contract.js";
import { openPersistence } from "../open-persistence.js";

const THREADS = 8;
const STEPS = 20;
const EVENTS_PER_STEP = 5;
const CLIENTS = 4;
const LIST_EVERY_MS = 100;

const threadIds = Array.from({ length: THREADS }, (_, index) => `t${index}`);
const idOf = (step: number): string => String(step).padStart(8, "0");

/** What the worker of a run does: claim, a checkpoint and five events a step, the outcome. */
async function work(persistence: Persistence, threadId: string): Promise<boolean> {
  const { runs, events } = persistence;
  const claimed = await runs.claim(LOCAL_PRINCIPAL, threadId, "r");
  const fence = { threadId, runId: "r", epoch: claimed?.epoch ?? 0 };
  const saver = persistence.checkpointer(LOCAL_PRINCIPAL, fence);
  const messages: BaseMessage[] = [];
  let config = { configurable: { thread_id: threadId, checkpoint_ns: "" } } as object;
  for (let step = 1; step <= STEPS; step += 1) {
    messages.push(new HumanMessage({ id: `${step}`, content: `${threadId} ${step} `.repeat(100) }));
    const checkpoint = {
      ...emptyCheckpoint(),
      id: idOf(step),
      channel_values: { messages: [...messages] },
      channel_versions: { messages: step },
    };
    const metadata = { source: "loop", step, parents: {} } as const;
    config = await saver.put(config, checkpoint, metadata, { messages: step });
    for (let event = 0; event < EVENTS_PER_STEP; event += 1) {
      const content = { step, event };
      await events.append(LOCAL_PRINCIPAL, threadId, [{ runId: "r", eventType: "step", content }]);
    }
    await persistence.threads.update(LOCAL_PRINCIPAL, threadId, { values: { step } });
  }
  return runs.finish(LOCAL_PRINCIPAL, fence, { status: "success" });
}

/** Lists threads again and again until the runs are done. @returns how long each list took */
async function watch(persistence: Persistence, done: AbortSignal): Promise<number[]> {
  const took: number[] = [];
  while (!done.aborted) {
    const started = performance.now();
    const list = await persistence.threads.search(LOCAL_PRINCIPAL, { limit: 50, offset: 0 });
    took.push(performance.now() - started);
    expect(list).toHaveLength(THREADS);
    await sleep(LIST_EVERY_MS);
  }
  return took;
}

async function startRuns({ threads, runs }: Persistence): Promise<void> {
  for (const threadId of threadIds) {
    await threads.create(LOCAL_PRINCIPAL, { threadId });
    await runs.create(LOCAL_PRINCIPAL, {
      runId: "r",
      threadId,
      assistantId: "lead_agent",
      multitaskStrategy: "enqueue",
      onDisconnect: "continue",
      request: {},
      metadata: {},
      owner: "here",
    });
  }
}

/** The runs of all threads, shared out between the programs, while clients of each list. */
async function workAndWatch(...programs: readonly [Persistence, ...Persistence[]]): Promise<number[]> {
  const programOf = (index: number): Persistence => programs[index % programs.length] ?? programs[0];
  const done = new AbortController();
  const watching = Array.from({ length: CLIENTS }, (_, client) => watch(programOf(client), done.signal));
  const ended = Promise.all(threadIds.map((threadId, index) => work(programOf(index), threadId))).finally(
    () => done.abort(),
  );
  const [outcomes, ...took] = await Promise.all([ended, ...watching]);
  expect(outcomes).toEqual(threadIds.map(() => true));
  return took.flat();
}

async function expectWhole(persistence: Persistence): Promise<void> {
  for (const threadId of threadIds) {
    expect((await persistence.runs.find(LOCAL_PRINCIPAL, threadId, "r"))?.status).toBe("success");
    const events = await persistence.events.list(LOCAL_PRINCIPAL, threadId, { limit: 1_000 });
    expect(events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: STEPS * EVENTS_PER_STEP }, (_, index) => index + 1),
    );
    const saver = persistence.checkpointer(LOCAL_PRINCIPAL);
    const steps = [];
    for await (const { checkpoint } of saver.list({ configurable: { thread_id: threadId } })) {
      steps.push([checkpoint.id, (checkpoint.channel_values["messages"] as BaseMessage[]).length]);
    }
    expect(steps.toReversed()).toEqual(
      Array.from({ length: STEPS }, (_, index) => [idOf(index + 1), index + 1]),
    );
  }
}

/** Another program that begins a transaction for writing, says so, and ends it after some time. */
function holdingWriter(path: string, milliseconds: number): ChildProcess {
  const program = `
    const Database = require("libsql");
    const database = new Database(process.argv[1], { timeout: 10000 });
    database.exec("BEGIN IMMEDIATE");
    process.stdout.write("held");
    setTimeout(() => { database.exec("COMMIT"); database.close(); }, Number(process.argv[2]));`;
  const script = ["--eval", program, path, String(milliseconds)];
  return spawn(process.execPath, script, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] });
}

/** For a person: how long the slowest of a hundred lists took. */
const report = (name: string, took: readonly number[]): void => {
  const slowest = took.toSorted((a, b) => a - b).at(Math.floor(took.length * 0.99)) ?? 0;
  process.stdout.write(
    `${name}: ${took.length} lists, the 99th of a hundred took ${slowest.toFixed(0)} ms\n`,
  );
};

describe.each(await testDatabases())("a small team on $name", ({ name, backend, open, drop }) => {
  afterAll(drop);

  it("has eight runs at once while four of them list threads, and nothing fails", async () => {
    const persistence = await openPersistence(await open());
    await startRuns(persistence);
    report(name, await workAndWatch(persistence));
    await expectWhole(persistence);
    await persistence.close();
  });

  it.skipIf(backend === "memory")("may be served by two programs", async () => {
    const location = await open();
    const one = await openPersistence(location);
    const other = await openPersistence(location);
    await startRuns(one);
    report(`${name}, two programs`, await workAndWatch(one, other));
    for (const persistence of [one, other]) {
      await expectWhole(persistence);
      await persistence.close();
    }
  });

  it.skipIf(backend !== "sqlite")("waits for another program that writes for three seconds", async () => {
    const location = await open();
    if (location.backend !== "sqlite") throw new Error("a file was asked for");
    const persistence = await openPersistence(location);
    await startRuns(persistence);
    const writer = holdingWriter(location.path, 3_000);
    const ended = once(writer, "exit");
    if (writer.stdout !== null) await once(writer.stdout, "data");
    report(`${name}, beside a writer`, await workAndWatch(persistence));
    expect(await ended).toEqual([0, null]);
    await expectWhole(persistence);
    await persistence.close();
  });
});
