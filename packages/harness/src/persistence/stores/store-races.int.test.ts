import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.js";
import type { Principal } from "../../context/principal.js";
import { testDatabases } from "../../testing/test-databases.js";
import { scaled } from "../../testing/test-scale.js";
import type { AppStores, NewRun } from "../contract.js";
import type { SqlDatabase } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";
import { appStores } from "./app-stores.js";

const ROUNDS = scaled(200, 4);
const EVENTS = scaled(2_000, 25);
const ANNA: Principal = { tenantId: "1", userId: "10" };
const BERT: Principal = { tenantId: "1", userId: "11" };

const newRun = (threadId: string, runId: string, owner = "here"): NewRun => ({
  runId,
  threadId,
  assistantId: "lead_agent",
  multitaskStrategy: "enqueue",
  onDisconnect: "continue",
  request: {},
  metadata: {},
  owner,
});
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const isThere = <T>(value: T | undefined): value is T => value !== undefined;

describe.each(await testDatabases())("two programs on one database, on $name", ({ backend, open, drop }) => {
  let databases: readonly SqlDatabase[];
  /** The stores of each of the two. */
  let both: readonly AppStores[];
  const atBoth = <T>(times: number, work: (stores: AppStores, index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(
      both.flatMap((stores, program) => upTo(times).map((n) => work(stores, program * times + n - 1))),
    );

  beforeEach(async () => {
    const location = await open();
    const first = await openDatabase(location);
    // In memory there is one program only; its calls meet each other.
    const second = backend === "memory" ? first : await openDatabase(location);
    databases = [first, second];
    both = databases.map((database) => appStores(database, systemClock));
  });
  afterEach(async () => {
    for (const database of databases) await database.close();
  });
  afterAll(drop);

  it(`gives the turn of a thread to one claim of many, ${ROUNDS} times, and ends each run once`, async () => {
    const [{ threads, runs }] = both as [AppStores];
    const runIds = upTo(4).map((n) => `r${n}`);
    for (let round = 0; round < ROUNDS; round += 1) {
      const threadId = `t${round}`;
      await threads.create(ANNA, { threadId });
      for (const runId of runIds) await runs.create(ANNA, newRun(threadId, runId));
      for (let turn = 0; turn < runIds.length; turn += 1) {
        const claims = await atBoth(4, (stores, index) =>
          stores.runs.claim(ANNA, threadId, `r${(index % 4) + 1}`),
        );
        const [won, ...others] = claims.filter(isThere);
        expect(others).toEqual([]);
        expect(won).toMatchObject({ status: "running", epoch: 1 });
        const place = { threadId, runId: won?.runId ?? "", epoch: 1 };
        expect(await Promise.all(both.map((stores) => stores.runs.holds(ANNA, place)))).toEqual([true, true]);
        const ends = await atBoth(2, (stores, index) =>
          stores.runs.finish(ANNA, place, { status: index % 2 === 0 ? "success" : "timeout" }),
        );
        expect(ends.filter(Boolean)).toHaveLength(1);
        expect(await runs.holds(ANNA, place)).toBe(false);
      }
      const all = await runs.list(ANNA, threadId, { limit: 9, offset: 0 });
      expect(all.every(({ status, epoch }) => status !== "running" && epoch === 1)).toBe(true);
    }
  }, 120_000);

  it.each(["with a row", "without one"])("numbers the runs of a thread %s without gaps", async (row) => {
    const [{ threads }] = both as [AppStores];
    if (row === "with a row") await threads.create(ANNA, { threadId: "t" });
    await atBoth(10, (stores, index) => stores.runs.create(ANNA, newRun("t", `r${index}`)));
    const rows = await databases[0]?.read((session) =>
      session.all("SELECT position FROM runs ORDER BY position"),
    );
    expect(rows?.map(({ position }) => position)).toEqual(upTo(20));
  });

  it.each(["with a row", "without one"])(
    `numbers ${8 * EVENTS} events of eight writers on a thread %s without gaps`,
    async (row) => {
      const [{ threads, events }] = both as [AppStores];
      if (row === "with a row") await threads.create(ANNA, { threadId: "t" });
      await atBoth(4, async (stores, writer) => {
        for (const n of upTo(EVENTS)) {
          const content = { writer, n };
          await stores.events.append(ANNA, "t", [{ runId: `r${writer}`, eventType: "step", content }]);
        }
      });
      const stored = await events.list(ANNA, "t", { limit: 100_000 });
      expect(stored.map(({ seq }) => seq)).toEqual(upTo(8 * EVENTS));
      for (const writer of upTo(8)) {
        const own = stored.filter(({ runId }) => runId === `r${writer - 1}`);
        expect(own.map(({ content }) => content)).toEqual(
          upTo(EVENTS).map((n) => ({ writer: writer - 1, n })),
        );
      }
    },
    300_000,
  );

  it("ends each run of a dead program once, also where both look at the same moment", async () => {
    const [{ threads, runs }] = both as [AppStores];
    for (const n of upTo(10)) {
      await threads.create(ANNA, { threadId: `t${n}` });
      await runs.create(ANNA, newRun(`t${n}`, "dead", "dead"));
      await runs.create(ANNA, newRun(`t${n}`, "alive", "alive"));
      await runs.claim(ANNA, `t${n}`, n % 2 === 0 ? "dead" : "alive");
    }
    const outcome = { status: "error", error: "The server stopped." } as const;
    const [ended, own] = await Promise.all([
      atBoth(2, (stores) => stores.runs.reconcile(outcome, (owner) => owner === "alive")),
      runs.finish(ANNA, { threadId: "t2", runId: "dead", epoch: 1 }, { status: "success" }),
    ]);
    const threadsEnded = ended.flat().map(({ run }) => run.threadId);
    expect(threadsEnded.toSorted()).toEqual(
      upTo(10)
        .map((n) => `t${n}`)
        .filter((threadId) => threadId !== "t2" || !own)
        .toSorted(),
    );
    expect((await runs.find(ANNA, "t1", "alive"))?.status).toBe("running");
  });

  it("creates a thread once, for one user", async () => {
    const created = await Promise.allSettled(
      both.flatMap(({ threads }) =>
        [ANNA, BERT, ANNA, BERT].map((user) => threads.create(user, { threadId: "t" })),
      ),
    );
    const given = created.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(given.filter((answer) => answer.created)).toHaveLength(1);
    expect(given).toHaveLength(4);
    for (const result of created) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "thread_id_taken" });
    }
  });

  it("loses no change of a thread", async () => {
    const [{ threads }] = both as [AppStores];
    await threads.create(ANNA, { threadId: "t" });
    await atBoth(10, (stores, index) =>
      stores.threads.update(ANNA, "t", { metadata: { [`key${index}`]: index } }),
    );
    expect(Object.keys((await threads.find(ANNA, "t"))?.metadata ?? {})).toHaveLength(20);
  });

  it("removes a thread while others write to it, and none of them fails", async () => {
    const [{ threads }] = both as [AppStores];
    await threads.create(ANNA, { threadId: "t" });
    const results = await Promise.all([
      threads.remove(ANNA, "t"),
      ...both.flatMap((stores, program) => [
        stores.events.append(ANNA, "t", [{ runId: "r", eventType: "step", content: null }]),
        stores.runs.create(ANNA, newRun("t", `r${program}`)),
        stores.threads.update(ANNA, "t", { status: "busy" }),
      ]),
    ]);
    expect(results[0]).toBe(true);
    expect(await threads.find(ANNA, "t")).toBeUndefined();
  });
});
