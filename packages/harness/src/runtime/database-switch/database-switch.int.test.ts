import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { openPersistence } from "../../persistence/open-persistence.js";
import { openStore } from "../../persistence/open-store.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { findFileServer } from "../../persistence/sqlite/serve-lock.js";
import { type TestDatabase, testDatabases } from "../../testing/test-databases.js";
import { openDatabases } from "./open-databases.js";
import { makeHome, openWorld, type SwitchWorld } from "../../testing/switch-world.js";

const services = (await testDatabases()).filter(({ backend }) => backend !== "memory");
const sqlite = services.filter(({ backend }) => backend === "sqlite");
const pairs = [
  ...services.flatMap((to) => sqlite.map((from) => ({ from, to, name: `${from.name} to ${to.name}` }))),
  ...services
    .filter(({ backend }) => backend !== "sqlite")
    .flatMap((from) => sqlite.map((to) => ({ from, to, name: `${from.name} to ${to.name}` }))),
];
const [file] = sqlite as [TestDatabase]; // there is always one
afterAll(async () => {
  for (const { drop } of services) await drop();
});

let installation: ReturnType<typeof makeHome>;
let opened: SwitchWorld[];
beforeEach(() => {
  installation = makeHome();
  opened = [];
});
afterEach(async () => {
  for (const each of opened) await each.close();
  installation.remove();
});

async function open(database: DatabaseLocation, options: Parameters<typeof openWorld>[2] = {}) {
  const world = await openWorld(installation.home, database, options);
  opened.push(world);
  return world;
}

async function close(world: SwitchWorld): Promise<void> {
  opened.splice(opened.indexOf(world), 1);
  await world.close();
}

const phase = ({ databases }: SwitchWorld) => databases.databaseSwitch.status?.phase;
const draining = (world: SwitchWorld) => expect.poll(() => phase(world)).toBe("draining");
const done = (world: SwitchWorld) => expect.poll(() => phase(world)).toBe("done");

/** The runs and the events of a thread, as one database holds them. */
async function heldBy(location: DatabaseLocation, threadId: string) {
  const persistence = await openPersistence(location);
  const runs = await persistence.runs.list(LOCAL_PRINCIPAL, threadId, { limit: 100, offset: 0 });
  const events = await persistence.events.list(LOCAL_PRINCIPAL, threadId, { limit: 1000 });
  await persistence.close();
  return {
    runs: runs.map(({ runId, status }) => `${runId} ${status}`),
    events: events.map(({ seq }) => seq),
  };
}

const count = (length: number) => Array.from({ length }, (_, index) => index + 1);

describe.each(pairs)("switching from $name", ({ from, to }) => {
  it("lets running runs finish on the old one, puts new ones on the new one, and closes the old", async () => {
    const [old, next] = [await from.open(), await to.open()];
    const world = await open(old);
    await world.ask("idle", "one");
    world.hold("busy");
    const busy = await world.start("busy", "slow");
    await world.reached("busy");

    await world.switchTo(next);
    await draining(world);
    const second = await world.ask("idle", "two");
    const fresh = await world.ask("fresh", "three");
    expect(world.databases.databaseSwitch.status).toMatchObject({ runsOnOld: 1, threadsOnOld: 1 });
    expect((await heldBy(old, "idle")).runs).toHaveLength(1);
    expect((await heldBy(old, "fresh")).runs).toEqual([]);
    expect((await heldBy(next, "idle")).runs[0]).toBe(`${second.runId} success`);
    expect((await heldBy(next, "fresh")).runs).toEqual([`${fresh.runId} success`]);
    const listed = await world.threads.search(LOCAL_PRINCIPAL, { limit: 10, offset: 0 });
    expect(listed.map(({ threadId, status }) => `${threadId} ${status}`).toSorted()).toEqual([
      "busy busy",
      "fresh idle",
      "idle idle",
    ]);

    world.release("busy");
    await done(world);
    expect((await heldBy(old, "busy")).runs).toEqual([`${busy.runId} success`]);
    const moved = await heldBy(next, "busy");
    expect(moved.runs).toEqual([`${busy.runId} success`]);
    expect(moved.events).toEqual(count(moved.events.length));
    expect(await world.said("busy")).toEqual(["slow", "heard slow", "done"]);
    expect(await world.said("idle")).toEqual(["one", "heard one", "done", "two", "heard two", "done"]);
    await world.ask("busy", "again");
    expect(await world.said("busy")).toEqual(["slow", "heard slow", "done", "again", "heard again", "done"]);
    expect(await world.threads.find(LOCAL_PRINCIPAL, "busy")).toMatchObject({ status: "idle" });
    if (old.backend === "sqlite") expect(findFileServer(old.path)).toBeUndefined();
    if (next.backend === "sqlite") expect(findFileServer(next.path)).toBeDefined();
  });

  it("logs how many threads the old one still holds, and calls them threads", async () => {
    const [old, next] = [await from.open(), await to.open()];
    const warn = vi.fn();
    const world = await open(old, { logger: { ...silentLogger, warn } });
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    await world.switchTo(next);
    await draining(world);
    const { from: before, to: after } = world.databases.databaseSwitch.status ?? {};
    const facts = { from: before, to: after, threads: 1, threads_left: 0 };
    expect(warn).toHaveBeenCalledWith("New runs are on the new database.", facts);
    world.release("busy");
    await done(world);
  });

  it("carries the items of the store along, also those that are put meanwhile", async () => {
    const [old, next] = [await from.open(), await to.open()];
    const world = await open(old);
    const store = world.databases.persistence.store(LOCAL_PRINCIPAL);
    await store.put(["notes"], "kept", { text: "a" });
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    await world.switchTo(next);
    await draining(world);
    await store.put(["notes"], "new", { text: "b" });
    world.release("busy");
    await done(world);
    const there = await openStore(next);
    expect((await there.search(["notes"])).map(({ key }) => key).toSorted()).toEqual(["kept", "new"]);
    expect((await there.get(["questions", "busy"], "slow"))?.value).toEqual({ asked: true });
    await there.stop();
  });
});

describe("a thread that the old database holds", () => {
  async function whileBusy(options: Parameters<typeof openWorld>[2] = {}) {
    const world = await open(await file.open(), options);
    world.hold("busy");
    const run = await world.start("busy", "one");
    await world.reached("busy");
    await world.switchTo(await file.open());
    await draining(world);
    return { world, run };
  }

  it("takes its next run when the one before is over, and that runs on the new one", async () => {
    const { world } = await whileBusy();
    const waiting = world.start("busy", "two");
    await world.ask("other", "x");
    world.release("busy");
    const { runId } = await waiting;
    await world.runs.join({ principal: LOCAL_PRINCIPAL, threadId: "busy", runId });
    await done(world);
    expect(await world.said("busy")).toEqual(["one", "heard one", "done", "two", "heard two", "done"]);
  });

  it("can be watched and stopped while its next run waits", async () => {
    const { world, run } = await whileBusy();
    const waiting = world.start("busy", "two");
    await world.runs.cancel({ principal: LOCAL_PRINCIPAL, ...run }, { wait: true });
    world.release("busy");
    const { runId } = await waiting;
    const ended = await world.runs.join({ principal: LOCAL_PRINCIPAL, threadId: "busy", runId });
    expect(ended.status).toBe("success");
    await done(world);
  });

  it("refuses its next run when that takes too long, and says why", async () => {
    const { world } = await whileBusy({ patience: 30 });
    await expect(world.start("busy", "two")).rejects.toMatchObject({ code: "thread_moving", status: 409 });
    await expect(world.start("busy", "two", { multitask_strategy: "reject" })).rejects.toMatchObject({
      code: "thread_busy",
    });
    const runs = await world.runs.list(LOCAL_PRINCIPAL, "busy", { limit: 10, offset: 0 });
    expect(runs).toHaveLength(1);
    world.release("busy");
    await done(world);
  });

  it("gives way to a run that interrupts", async () => {
    const { world, run } = await whileBusy();
    const next = await world.start("busy", "two", { multitask_strategy: "interrupt" });
    world.release("busy");
    await world.runs.join({ principal: LOCAL_PRINCIPAL, ...next });
    await done(world);
    const first = await world.runs.find(LOCAL_PRINCIPAL, "busy", run.runId);
    expect(first).toMatchObject({ status: "interrupted" });
    expect((await world.said("busy")).slice(-3)).toEqual(["two", "heard two", "done"]);
  });

  it("finishes the runs that waited in its queue before the switch on the old one", async () => {
    const world = await open(await file.open());
    world.hold("busy");
    await world.start("busy", "one");
    await world.reached("busy");
    const queued = await world.start("busy", "two");
    const next = await file.open();
    await world.switchTo(next);
    await draining(world);
    world.release("busy");
    await done(world);
    expect((await heldBy(next, "busy")).runs[0]).toBe(`${queued.runId} success`);
    expect(await world.said("busy")).toEqual(["one", "heard one", "done", "two", "heard two", "done"]);
  });

  it("is gone from the new one too when it is deleted meanwhile", async () => {
    const { world } = await whileBusy();
    await world.threads.remove(LOCAL_PRINCIPAL, "busy");
    await done(world);
    expect(await world.threads.search(LOCAL_PRINCIPAL, { limit: 10, offset: 0 })).toEqual([]);
  });
});

describe("a switch", () => {
  it("without copying shows what the new one has, says how many it does not show, and brings those at work", async () => {
    const [old, next] = [await file.open(), await file.open()];
    const world = await open(old);
    await world.ask("left", "one");
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    await world.switchTo(next, false);
    await draining(world);
    expect(world.databases.databaseSwitch.status).toMatchObject({ threadsLeft: 2, runsOnOld: 1 });
    await expect(world.threads.find(LOCAL_PRINCIPAL, "left")).rejects.toMatchObject({
      code: "thread_missing",
    });
    world.release("busy");
    await done(world);
    expect(await world.said("busy")).toEqual(["slow", "heard slow", "done"]);
    expect((await heldBy(old, "left")).runs).toHaveLength(1);
  });

  it("can follow another, back to the first one too", async () => {
    const [first, second] = [await file.open(), await file.open()];
    const world = await open(first);
    await world.ask("t", "one");
    for (const [to, text] of [
      [second, "two"],
      [first, "three"],
      [second, "four"],
    ] as const) {
      await world.switchTo(to);
      await done(world);
      await world.ask("t", text);
    }
    const words = ["one", "two", "three", "four"].flatMap((text) => [text, `heard ${text}`, "done"]);
    expect(await world.said("t")).toEqual(words);
    expect((await heldBy(first, "t")).runs).toHaveLength(3);
  });

  it("is refused while another is under way, to where the database is, and to memory", async () => {
    const old = await file.open();
    const world = await open(old);
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    const refused = (reason: string) =>
      expect.objectContaining({
        code: "database_switch_invalid",
        details: { reason: expect.stringContaining(reason) },
      });
    await expect(world.switchTo(old)).rejects.toEqual(refused("is the one in use"));
    await expect(world.switchTo({ backend: "memory" })).rejects.toEqual(refused("lost when"));
    await expect(world.switchTo({ backend: "sqlite", path: "file::memory:" })).rejects.toEqual(
      refused("lost when"),
    );
    await world.switchTo(await file.open());
    await expect(world.switchTo(await file.open())).rejects.toMatchObject({ code: "database_switching" });
    world.release("busy");
    await done(world);
  });

  it("to a database that does not answer, or is not ours, changes nothing", async () => {
    const world = await open(await file.open());
    await world.ask("t", "one");
    const unreachable = { backend: "postgres", url: "postgres://nobody:geheim@127.0.0.1:1/none" } as const;
    const refusal = await world.switchTo(unreachable).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "database_unreachable" });
    expect(JSON.stringify(refusal)).not.toContain("geheim");
    await expect(world.switchTo({ backend: "sqlite", path: "/proc/version" })).rejects.toMatchObject({
      code: expect.stringMatching(/^(home_not_writable|database_)/),
    });
    expect(world.databases.databaseSwitch.status).toBeUndefined();
    await world.ask("t", "two");
    expect(await world.said("t")).toHaveLength(6);
  });

  it("to a database with another thread of the same name changes nothing and names it", async () => {
    const [old, next] = [await file.open(), await file.open()];
    const other = await openPersistence(next);
    await other.threads.create({ tenantId: "local", userId: "somebody" }, { threadId: "t" });
    await other.close();
    const world = await open(old);
    await world.ask("t", "one");
    await world.switchTo(next);
    await expect.poll(() => phase(world)).toBe("failed");
    expect(world.databases.databaseSwitch.status?.problem).toContain("t");
    await world.ask("t", "two");
    expect((await heldBy(old, "t")).runs).toHaveLength(2);
    expect(findFileServer(next.backend === "sqlite" ? next.path : "")).toBeUndefined();
  });

  it("leaves checkpoints and store where they have a place of their own", async () => {
    const [old, next] = [await file.open(), await file.open()];
    const overrides = { checkpointer: await file.open(), store: await file.open() };
    const world = await open(old, overrides);
    await world.ask("t", "one");
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    await world.switchTo(next);
    await draining(world);
    await world.ask("t", "two");
    world.release("busy");
    await done(world);
    expect(await world.said("t")).toEqual(["one", "heard one", "done", "two", "heard two", "done"]);
    expect(await world.said("busy")).toEqual(["slow", "heard slow", "done"]);
    expect((await heldBy(next, "busy")).runs).toHaveLength(1);
    const store = world.databases.persistence.store(LOCAL_PRINCIPAL);
    expect(await store.get(["questions", "t"], "one")).not.toBeNull();
    await expect(world.switchTo(overrides.store)).rejects.toMatchObject({ code: "database_switch_invalid" });
  });
});

describe("the start after a switch", () => {
  it("opens the new one although the configuration names the old one still, until it names the new one", async () => {
    const [old, next, third] = [await file.open(), await file.open(), await file.open()];
    const world = await open(old);
    await world.ask("t", "one");
    await world.switchTo(next);
    await done(world);
    await world.switchTo(third);
    await done(world);
    await world.ask("t", "two");
    await close(world);

    const again = await open(old);
    expect(await again.said("t")).toHaveLength(6);
    await close(again);
    const configured = await open(third);
    expect(await configured.said("t")).toHaveLength(6);
    await close(configured);
    // The record is gone: the configuration alone says what is opened.
    const back = await open(old);
    expect(await back.said("t")).toHaveLength(3);
  });

  it("goes on with what the last one left on the old one", async () => {
    const [old, next] = [await file.open(), await file.open()];
    const world = await open(old);
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    await world.ask("idle", "one");
    await world.switchTo(next);
    await draining(world);
    await world.ask("idle", "two");
    await world.ask("fresh", "three");
    await close(world); // stops the run

    const again = await open(old);
    await again.databases.databaseSwitch.settled();
    expect(again.databases.router.sides).toHaveLength(1);
    expect((await again.said("busy")).slice(0, 2)).toEqual(["slow", "heard slow"]);
    expect(await again.said("idle")).toHaveLength(6);
    expect(await again.said("fresh")).toHaveLength(3);
    await again.ask("busy", "on");
    expect((await again.said("busy")).slice(-3)).toEqual(["on", "heard on", "done"]);
  });

  it("of another process is refused while this one moves threads", async () => {
    const old = await file.open();
    const world = await open(old);
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    await world.switchTo(await file.open());
    await draining(world);
    const { home } = installation;
    const terminal = () =>
      openDatabases({ home, locations: { database: old }, serving: false, logger: silentLogger });
    await expect(terminal()).rejects.toMatchObject({ code: "database_switching" });
    world.release("busy");
    await done(world);
    const beside = await terminal();
    expect(await beside.persistence.threads.find(LOCAL_PRINCIPAL, "busy")).toBeDefined();
    await beside.close();
  });

  it("is refused for another place while threads are still on the old one", async () => {
    const world = await open(await file.open());
    world.hold("busy");
    await world.start("busy", "slow");
    await world.reached("busy");
    await world.switchTo(await file.open());
    await draining(world);
    await expect(open(await file.open())).rejects.toMatchObject({ code: "database_switch_unfinished" });
    world.release("busy");
    await done(world);
  });
});
