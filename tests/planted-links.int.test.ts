/** Whatever a command leaves in a thread's folders, nobody outside the sandbox is led astray by it. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../packages/harness/src/testing/bubblewrap-works.js";
import { scaled } from "../packages/harness/src/testing/test-scale.js";
import { type Attempt, READERS, WRITERS } from "./support/planted-attempts.js";
import {
  HUSH,
  HUSH_NAME,
  MINE,
  openPlantedWorld,
  OUTPUTS,
  PLANTS,
  type PlantedWorld,
  UPLOADS,
} from "./support/planted-world.js";

/** Far above what any of them takes; a reader that waits for a pipe waits for ever. */
const SECONDS = 30;
/** Stands in the environment of this process, and in no sandbox's. */
const HOST_VARIABLE = "VITEST=";
/** Texts that only something outside the thread holds. */
const FOREIGN = [HUSH, HUSH_NAME, "SQLite format 3", "root:x:0", HOST_VARIABLE];
const ROUNDS = scaled(60, 4);

/** A folder and a link to the outside take turns in one place, for as long as the command runs. */
const swapping = (outside: string) => `cd ${OUTPUTS} && exec node -e '
  const { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } = require("node:fs");
  const removed = { recursive: true, force: true };
  const attempt = (step) => { try { step(); } catch {} };
  for (;;) {
    for (const name of ["held", "door"]) attempt(() => rmSync(name, removed));
    attempt(() => mkdirSync("door"));
    attempt(() => writeFileSync("door/key.txt", "needle inside"));
    for (let turn = 0; turn < 20; turn += 1) {
      attempt(() => renameSync("door", "held"));
      attempt(() => symlinkSync("${outside}", "door"));
      attempt(() => unlinkSync("door"));
      attempt(() => renameSync("held", "door"));
    }
  }'`;

describe.runIf(await bubblewrapWorks())("planted links", () => {
  let world: PlantedWorld;
  let before: Readonly<Record<string, string>>;
  beforeAll(async () => {
    world = await openPlantedWorld();
    before = world.witness();
    expect(readFileSync("/proc/self/environ", "utf8")).toContain(HOST_VARIABLE);
  });
  afterAll(() => world.close());

  /** What an attempt tells, a refusal included. @throws Error when it does not end */
  const outcome = async (attempt: Attempt, path: string): Promise<string> => {
    const limit = new AbortController();
    const late = pause(SECONDS * 1000, "late", { signal: limit.signal });
    const text = attempt(world, path).catch((error: unknown) => String(error));
    const first = await Promise.race([text, late]);
    limit.abort();
    late.catch(() => {});
    return first;
  };
  const expectHarmless = (text: string, what: string) => {
    expect(text, what).not.toBe("late");
    for (const foreign of FOREIGN) expect(text, what).not.toContain(foreign);
    expect(text, `${what} tells where the files lie`).not.toContain(world.outside);
  };
  const clear = () => {
    for (const folder of [world.directories.outputs, world.directories.uploads]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
    }
  };

  describe.each(PLANTS.map((plant) => [plant.name, plant] as const))("%s", (_, { plant }) => {
    it("shows a reader nothing", async () => {
      clear();
      const undo = [await plant(world, "outputs", "x"), await plant(world, "uploads", "x")];
      for (const [name, attempt] of Object.entries(READERS)) {
        for (const path of [`${OUTPUTS}/x`, `${OUTPUTS}/x/key.txt`])
          expectHarmless(await outcome(attempt, path), `${name} of ${path}`);
      }
      for (const each of undo) each?.();
      expect(world.witness()).toEqual(before);
    });

    it("leads a writer nowhere", async () => {
      for (const [name, attempt] of Object.entries(WRITERS)) {
        clear();
        const folder = name.includes("upload") || name.includes("input") ? "uploads" : "outputs";
        const undo = await plant(world, folder, "x");
        expectHarmless(await outcome(attempt, `/mnt/user-data/${folder}/x`), `${name} to ${folder}`);
        undo?.();
        expect(world.witness(), name).toEqual(before);
      }
    });
  });

  it(
    "are no better when they come and go, and the server answers meanwhile",
    async () => {
      clear();
      const stop = new AbortController();
      const swapper = world.sandbox
        .execute({ command: swapping(world.outside), signal: stop.signal, timeoutSeconds: 600 })
        .then(({ output, exitCode }) => `ended with ${exitCode}: ${output}`)
        .catch(() => "stopped");
      await expect.poll(() => readdirSync(world.directories.outputs).length).toBeGreaterThan(0);
      const seen = new Set<string>();
      const isMet = () => seen.size > 0;
      for (let round = 0; round < ROUNDS || (!isMet() && round < 20 * ROUNDS); round += 1) {
        for (const [name, attempt] of Object.entries({ ...READERS, ...WRITERS })) {
          for (const path of [`${OUTPUTS}/door/key.txt`, `${OUTPUTS}/door`]) {
            const text = await outcome(attempt, path);
            expectHarmless(text, `${name} of ${path}`);
            if (text.includes("needle inside")) seen.add(name);
          }
        }
        expect((await fetch(`${world.served.url}/health`)).status).toBe(200);
      }
      stop.abort();
      expect(isMet()).toBe(true);
      expect(await swapper).toBe("stopped");
      expect(world.witness()).toEqual(before);
    },
    60_000 + ROUNDS * 10_000,
  );

  it("cannot be hard links to what is outside, and one inside is a file as any other", async () => {
    clear();
    const tried = await world.sandbox.execute({
      command: `ln '${world.outside}/key.txt' x; ln /etc/passwd y`,
    });
    expect(tried.exitCode).not.toBe(0);
    await world.run(`echo mine > a && ln a b`);
    for (const attempt of [READERS["an artifact"], READERS["a read"]])
      expect(await attempt?.(world, `${OUTPUTS}/b`)).toContain("mine");
    await world.files.write(`${OUTPUTS}/b`, Buffer.from("changed"));
    expect(readFileSync(join(world.directories.outputs, "a"), "utf8")).toBe("mine\n");
  });

  it("do not hide behind names, of which each is told or left out", async () => {
    clear();
    await world.run(`cd ${UPLOADS} && touch $'a\\nb' 'a\\b' $'a\\xffb' $'\\x1b[31m' && echo plain > 'a"b'`);
    const answer = await fetch(world.at("/uploads/list"));
    expect(answer.status).toBe(200);
    const { files } = (await answer.json()) as { files: { filename: string; artifact_url: string }[] };
    expect(files.map(({ filename }) => filename).toSorted()).toEqual(["\u001b[31m", "a\nb", 'a"b', "a\\b"]);
    for (const { filename, artifact_url } of files) {
      const fetched = await fetch(`${world.served.url}${artifact_url}`);
      expect([200, 404], filename).toContain(fetched.status);
      expect(fetched.headers.get("content-disposition") ?? "").not.toMatch(/\p{Cc}/u);
    }
    for (const dialect of ["deerflow", "deepagents"]) {
      const text = (await READERS[`ls (${dialect})`]?.(world, UPLOADS)) ?? "";
      expect(text).toContain("not UTF-8");
      expect(JSON.parse(text).kwargs.content).not.toContain("\u001b");
    }
  });

  it("go with their thread, and nothing behind them", async () => {
    clear();
    for (const [index, { plant }] of PLANTS.entries()) (await plant(world, "outputs", `x${index}`))?.();
    await world.run(`mkdir -p closed/in && touch closed/in/f $'n\\xff' && chmod 0 closed/in closed`);
    await world.run(
      `d=$(printf "dddddddd/%.0s" $(seq 40)); for i in $(seq 15); do mkdir -p $d && cd -P $d || exit 1; done`,
    );
    const deleted = await fetch(world.at(""), { method: "DELETE" });
    expect(deleted.status).toBeLessThan(300);
    expect(readdirSync(join(world.home, "threads"))).not.toContain(MINE);
    expect(world.witness()).toEqual(before);
  });
});
