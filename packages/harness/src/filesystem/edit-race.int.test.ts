import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compiledFolder, compileRooms } from "../testing/compile-rooms.js";
import { scaled } from "../testing/test-scale.js";
import { FilesystemBackend } from "./filesystem-backend.js";

const ROUNDS = scaled(1000, 20);
const KILLS = scaled(200, 4);
const FOLDER = compiledFolder("edit-race");
const CHILD = "edit-race-writer.child.mjs";

interface Fact {
  readonly kind: "done" | "refused";
  readonly round: number;
}

/** An agent's process that edits one file over and over. */
class Writer {
  readonly facts: Fact[] = [];
  readonly ended: Promise<{ signal: NodeJS.Signals | null; errors: string }>;
  readonly #process: ChildProcess;
  #watch: () => void = () => undefined;

  constructor(
    root: string,
    readonly name: string,
    rounds: number,
  ) {
    this.#process = spawn(process.execPath, [join(FOLDER, CHILD), FOLDER, root, name, String(rounds)]);
    let text = "";
    let errors = "";
    this.#process.stdout?.on("data", (chunk) => {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop() ?? "";
      this.facts.push(...lines.map((line) => JSON.parse(line) as Fact));
      this.#watch();
    });
    this.#process.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    this.ended = new Promise((resolve) => {
      this.#process.on("close", (_, signal) => resolve({ signal, errors }));
    });
  }

  /** The number of its last edit that was acknowledged. */
  get done(): number {
    return this.facts.findLast((fact) => fact.kind === "done")?.round ?? 0;
  }

  reaches(round: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#watch = () => this.done >= round && resolve();
      this.#watch();
      void this.ended.then(({ errors }) => reject(new Error(`${this.name} ended early: ${errors}`)));
    });
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }
}

describe("one file that two processes edit", () => {
  let root: string;
  /** Whatever a test leaves running. */
  const writers: Writer[] = [];
  const start = (name: string, rounds: number): Writer => {
    const writer = new Writer(root, name, rounds);
    writers.push(writer);
    return writer;
  };
  /** The numbers of a writer's lines, in order of the file; every line must be whole. */
  const linesOf = (name: string): readonly number[] => {
    const text = readFileSync(join(root, "log"), "utf8");
    expect(text.endsWith("\n")).toBe(true);
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => !/^[a-z]+\d* \d+$/.test(line))).toEqual([]);
    return lines.filter((line) => line.startsWith(`${name} `)).map((line) => Number(line.split(" ")[1]));
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  beforeAll(() => {
    compileRooms(["base", "filesystem"], FOLDER);
    cpSync(new URL(CHILD, import.meta.url), join(FOLDER, CHILD));
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "deerflow-edit-race-"));
  });
  afterEach(async () => {
    await Promise.all(writers.splice(0).map((writer) => writer.kill()));
    rmSync(root, { recursive: true });
  });

  it(`loses no edit in ${ROUNDS} rounds of each`, async () => {
    const both = ["one", "two"].map((name) => start(name, ROUNDS));
    for (const writer of both) expect(await writer.ended).toEqual({ signal: null, errors: "" });
    for (const { name } of both) expect(linesOf(name)).toEqual(upTo(ROUNDS));
    expect(readdirSync(root)).toEqual(["log"]);
  }, 600_000);

  it(
    `stays whole through ${KILLS} kills at random points, and holds nobody up`,
    async () => {
      const files = new FilesystemBackend({ rootDir: root });
      const steady = start("steady", 1_000_000);
      await steady.reaches(1);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const victim = start(`victim${kill}`, 1_000_000);
        await victim.reaches(1);
        await sleep(Math.random() * 30);
        await victim.kill();
        const written = linesOf(victim.name);
        expect(written).toEqual(upTo(written.length));
        expect(written.length - victim.done).toBeOneOf([0, 1]);
        expect((await files.list("/")).map(({ path }) => path)).toEqual(["/log"]);
        await steady.reaches(steady.done + 2);
      }
      await steady.kill();
      expect(linesOf("steady")).toEqual(upTo(linesOf("steady").length));
      expect(linesOf("steady").length - steady.done).toBeOneOf([0, 1]);
      const last = start("last", 1);
      expect(await last.ended).toEqual({ signal: null, errors: "" });
      expect(readdirSync(root)).toEqual(["log"]);
    },
    60_000 + KILLS * 10_000,
  );
});
