import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { compiledFolder, compileRooms } from "../../testing/compile-rooms.js";
import { scaled } from "../../testing/test-scale.js";
import type { Persistence } from "../contract.js";
import { openPersistence } from "../open-persistence.js";
import { openSqlite } from "./open-sqlite.js";

const KILLS = scaled(100, 2);
const FOLDER = compiledFolder("durability");

type Fact =
  | { readonly kind: "ready" | "done" }
  | { readonly kind: "put"; readonly step: number }
  | { readonly kind: "write"; readonly step: number; readonly task: string }
  | { readonly kind: "shared"; readonly step: number; readonly seq: number };

class Writer {
  readonly facts: Fact[] = [];
  readonly #process: ChildProcess;
  readonly ended: Promise<{ signal: NodeJS.Signals | null; code: number | null; errors: string }>;
  #watch: ((fact: Fact) => void) | undefined;

  constructor(path: string, name: string, steps: number) {
    const script = join(FOLDER, "durable-writer.child.mjs");
    this.#process = spawn(process.execPath, [script, FOLDER, path, name, String(steps)]);
    let text = "";
    let errors = "";
    this.#process.stdout?.on("data", (chunk) => {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const fact = JSON.parse(line) as Fact;
        this.facts.push(fact);
        this.#watch?.(fact);
      }
    });
    this.#process.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    this.ended = new Promise((resolve) => {
      this.#process.on("close", (code, signal) => resolve({ code, signal, errors }));
    });
  }

  firstPut(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#watch = (fact) => fact.kind === "put" && resolve();
      void this.ended.then(({ errors }) => reject(new Error(`the writer ended early: ${errors}`)));
    });
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}

const messagesOf = (tuple: CheckpointTuple | undefined) =>
  tuple?.checkpoint.channel_values["messages"] as BaseMessage[];
const idsUpTo = (name: string, step: number) =>
  Array.from({ length: step }, (_, index) => `${name}-${index + 1}`);

/** Everything that the writer was told is done is there, whole. */
async function expectKept(persistence: Persistence, name: string, facts: readonly Fact[]): Promise<void> {
  const saver = persistence.checkpointer(LOCAL_PRINCIPAL);
  const stored = new Map<number, CheckpointTuple>();
  for await (const tuple of saver.list({ configurable: { thread_id: name } })) {
    stored.set(Number(tuple.checkpoint.id), tuple);
    const step = Number(tuple.checkpoint.id);
    expect(messagesOf(tuple).map(({ id }) => id)).toEqual(idsUpTo(name, step));
    expect(messagesOf(tuple).at(-1)?.content).toBe(`${name} ${step} `.repeat(100));
  }
  const events = await persistence.events.list(LOCAL_PRINCIPAL, "shared", { limit: 100_000 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const noted = new Set((await saver.getTuple(shared))?.pendingWrites?.map(([task]) => task));
  for (const fact of facts) {
    if (fact.kind === "put") expect(stored.has(fact.step)).toBe(true);
    if (fact.kind === "write") {
      expect(stored.get(fact.step)?.pendingWrites?.map(([task]) => task)).toContain(fact.task);
    }
    if (fact.kind !== "shared") continue;
    expect(events[fact.seq - 1]).toMatchObject({ runId: name, content: { step: fact.step } });
    expect(noted).toContain(`${name}-${fact.step}`);
  }
}

const shared = { configurable: { thread_id: "shared", checkpoint_ns: "", checkpoint_id: "1" } };

/** A database in which the shared thread and its first checkpoint exist. */
async function prepare(path: string): Promise<void> {
  const persistence = await openPersistence({ backend: "sqlite", path });
  await persistence.threads.create(LOCAL_PRINCIPAL, { threadId: "shared" });
  const checkpoint = { v: 4, id: "1", ts: "", channel_values: {}, channel_versions: {}, versions_seen: {} };
  const config = { configurable: { thread_id: "shared", checkpoint_ns: "" } };
  await persistence
    .checkpointer(LOCAL_PRINCIPAL)
    .put(config, checkpoint, { source: "loop", step: 0, parents: {} }, {});
  await persistence.close();
}

describe("a database under kill -9 and under two processes", () => {
  beforeAll(() => {
    compileRooms(["base", "context", "persistence"], FOLDER);
    cpSync(new URL("durable-writer.child.mjs", import.meta.url), join(FOLDER, "durable-writer.child.mjs"));
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  it(
    `loses nothing that was acknowledged, in ${KILLS} kills at random points`,
    async () => {
      const path = join(FOLDER, "killed.db");
      await prepare(path);
      const known: { name: string; facts: readonly Fact[] }[] = [];
      for (let round = 0; round < KILLS; round += 1) {
        const writer = new Writer(path, `w${round}`, 1_000_000);
        await writer.firstPut();
        await sleep(Math.random() * 100);
        writer.kill();
        expect((await writer.ended).signal).toBe("SIGKILL");
        known.push({ name: `w${round}`, facts: writer.facts });
        const connection = await openSqlite(path);
        expect(connection.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
        expect(connection.all("PRAGMA foreign_key_check")).toEqual([]);
        await connection.close();
        const persistence = await openPersistence({ backend: "sqlite", path });
        await expectKept(persistence, `w${round}`, writer.facts);
        await persistence.close();
      }
      const persistence = await openPersistence({ backend: "sqlite", path });
      for (const { name, facts } of known) await expectKept(persistence, name, facts);
      await persistence.close();
    },
    30_000 + KILLS * 10_000,
  );

  it("keeps everything that two processes write at once, into threads of their own and a shared one", async () => {
    const path = join(FOLDER, "two.db");
    await prepare(path);
    const steps = scaled(500, 40);
    const writers = ["one", "two"].map((name) => ({ name, writer: new Writer(path, name, steps) }));
    for (const { writer } of writers) {
      expect(await writer.ended).toEqual({ code: 0, signal: null, errors: "" });
      expect(writer.facts.at(-1)).toEqual({ kind: "done" });
    }
    const persistence = await openPersistence({ backend: "sqlite", path });
    for (const { name, writer } of writers) await expectKept(persistence, name, writer.facts);
    const events = await persistence.events.list(LOCAL_PRINCIPAL, "shared", { limit: 100_000 });
    expect(events).toHaveLength(2 * steps);
    const tuple = await persistence.checkpointer(LOCAL_PRINCIPAL).getTuple(shared);
    const messages = (tuple?.pendingWrites ?? []).flatMap(([, , value]) => value as BaseMessage[]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(2 * steps);
    await persistence.close();
  }, 120_000);
});
