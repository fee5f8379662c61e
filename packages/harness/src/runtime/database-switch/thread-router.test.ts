import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import type { DatabaseSide } from "./contract.js";
import { ThreadRouter } from "./thread-router.js";

const thread = { principal: LOCAL_PRINCIPAL, threadId: "t" };
const turn = () => new Promise((resolve) => setImmediate(resolve));

function side(name: string, unfinished = { runs: 0 }): DatabaseSide {
  const runs = { unfinished: async () => Array.from({ length: unfinished.runs }) };
  return { name, persistence: { runs } } as unknown as DatabaseSide; // all that is asked of it
}

const nameOf = async ({ name }: DatabaseSide): Promise<string> => name;

function gate() {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

describe("the way of a call", () => {
  it("leads at once to the only database", () => {
    const router = new ThreadRouter(side("a"));
    let seen = "";
    void router.use(thread, "write", async ({ name }) => {
      seen = name;
    });
    expect(seen).toBe("a");
  });

  it("waits for a pause, which waits for writes and not for reads", async () => {
    const router = new ThreadRouter(side("a"));
    const [writing, reading] = [gate(), gate()];
    const write = router.use(thread, "write", () => writing.passed);
    const read = router.use(thread, "read", () => reading.passed);
    const order: string[] = [];
    const paused = router.whilePaused(async () => void order.push("paused"));
    const late = router.use(thread, "write", async () => void order.push("late"));
    const item = router.useStore(async () => void order.push("item"));
    await turn();
    expect(order).toEqual([]);
    writing.open();
    await Promise.all([write, paused, late, item]);
    expect(order[0]).toBe("paused");
    expect(order.slice(1).toSorted()).toEqual(["item", "late"]);
    reading.open();
    await read;
  });

  it("goes on after a pause that failed", async () => {
    const router = new ThreadRouter(side("a"));
    await expect(router.whilePaused(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await router.use(thread, "write", nameOf)).toBe("a");
  });

  it("leads to the old one while a run is not over, and refuses to start another", async () => {
    const unfinished = { runs: 1 };
    const router = new ThreadRouter(side("a", unfinished));
    router.begin(side("b"), [thread], async () => undefined);
    expect(await router.use(thread, "write", nameOf)).toBe("a");
    await expect(router.use(thread, "start", nameOf)).rejects.toMatchObject({ code: "thread_moving" });
    expect(await router.use({ ...thread, threadId: "other" }, "start", nameOf)).toBe("b");
    unfinished.runs = 0;
    router.poke(LOCAL_PRINCIPAL, "t");
    expect(await router.use(thread, "start", nameOf)).toBe("b");
  });

  it("keeps everybody away from a thread while it moves, and moves it only when nobody writes to it", async () => {
    const router = new ThreadRouter(side("a"));
    const [writing, moving] = [gate(), gate()];
    const order: string[] = [];
    const early = router.use(thread, "write", async ({ name }) => {
      await writing.passed;
      order.push(`wrote to ${name}`);
    });
    router.begin(side("b"), [thread], async () => {
      await moving.passed;
      order.push("moved");
    });
    const late = router.use(thread, "read", async ({ name }) => void order.push(`read from ${name}`));
    await turn();
    expect(order).toEqual([]);
    writing.open();
    moving.open();
    await Promise.all([early, late]);
    expect(order).toEqual(["wrote to a", "moved", "read from b"]);
  });

  it("ends when nobody reads from the old one any more, a reader of a list among them", async () => {
    const router = new ThreadRouter(side("a"));
    const list = router.iterate(thread, async function* ({ name }) {
      yield name;
      yield name;
    });
    expect((await list.next()).value).toBe("a");
    router.begin(side("b"), [], async () => undefined);
    let ended = false;
    const end = router.end().then(() => {
      ended = true;
    });
    await turn();
    expect(ended).toBe(false);
    expect((await list.next()).value).toBe("a");
    await list.return(undefined);
    await end;
    expect(router.sides.map(({ name }) => name)).toEqual(["b"]);
  });

  it("notes which threads are written to while it is watched", async () => {
    const router = new ThreadRouter(side("a"));
    const changed = router.watchChanges();
    await router.use(thread, "read", nameOf);
    expect(changed()).toEqual([]);
    await router.use(thread, "write", nameOf);
    await router.use(thread, "write", nameOf);
    expect(changed()).toEqual([thread]);
    router.stopWatching();
    await router.use({ ...thread, threadId: "later" }, "write", nameOf);
    expect(changed()).toEqual([thread]);
  });
});
