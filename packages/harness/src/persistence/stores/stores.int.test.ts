import { afterAll, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../base/clock.js";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import type { OpenedStores } from "../../testing/opened-stores.js";
import { runEventStoreSuite } from "../../testing/run-event-store-suite.js";
import { runStoreSuite } from "../../testing/run-store-suite.js";
import { testDatabases } from "../../testing/test-databases.js";
import { threadStoreSuite } from "../../testing/thread-store-suite.js";
import type { SqlDatabase } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";
import { appStores } from "./app-stores.js";

describe.each(await testDatabases())("on $name", ({ name, open, drop }) => {
  const openStores = async (
    clock: Clock = systemClock,
  ): Promise<OpenedStores & { readonly database: SqlDatabase }> => {
    const database = await openDatabase(await open());
    return { database, ...appStores(database, clock), close: () => database.close() };
  };
  afterAll(drop);

  for (const suite of [threadStoreSuite, runStoreSuite, runEventStoreSuite]) suite(name, openStores);

  it.each(["metadata", "list_values"])("lists and removes a thread whose %s is damaged", async (column) => {
    const { database, threads, close } = await openStores();
    const all = { limit: 9, offset: 0 };
    const list = async (metadata = {}) =>
      (await threads.search(LOCAL_PRINCIPAL, { ...all, metadata }))
        .map(({ threadId }) => threadId)
        .toSorted();
    for (const threadId of ["hurt", "well"]) {
      await threads.create(LOCAL_PRINCIPAL, { threadId, metadata: { team: "north" } });
    }
    await database.write(async (session) => {
      await session.run(`UPDATE threads SET ${column} = ? WHERE thread_id = ?`, ['{"team":"north"', "hurt"]);
    });
    expect(await list()).toEqual(["hurt", "well"]);
    expect(await list({ team: "north" })).toEqual(column === "metadata" ? ["well"] : ["hurt", "well"]);
    expect(await threads.remove(LOCAL_PRINCIPAL, "hurt")).toBe(true);
    expect(await list()).toEqual(["well"]);
    await close();
  });

  it("keeps everything when it is closed and opened again", async () => {
    const location = await open();
    // What lives in memory only is gone then, as it says.
    if (location.backend === "memory") return;
    const first = await openDatabase(location);
    await appStores(first, systemClock).threads.create(LOCAL_PRINCIPAL, { threadId: "kept" });
    await first.close();
    const second = await openDatabase(location);
    const found = await appStores(second, systemClock).threads.find(LOCAL_PRINCIPAL, "kept");
    expect(found?.threadId).toBe("kept");
    await second.close();
  });
});
