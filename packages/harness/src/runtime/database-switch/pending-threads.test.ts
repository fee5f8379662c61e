import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import type { DatabaseSide } from "./contract.js";
import { keyOf, PendingThreads } from "./pending-threads.js";

const thread = (threadId: string) => ({ principal: LOCAL_PRINCIPAL, threadId });
const KEY = keyOf(thread("t"));

/** The old database with so many unfinished runs in each thread. */
function world(unfinished: Record<string, number> = {}) {
  const moved: string[] = [];
  let failure: Error | undefined;
  const runs = {
    unfinished: async (_: unknown, threadId: string) => Array.from({ length: unfinished[threadId] ?? 0 }),
  };
  const old = { persistence: { runs } } as unknown as DatabaseSide; // all that is asked of it
  const pending = new PendingThreads([thread("t"), thread("u")], {
    old,
    quiet: async () => undefined,
    move: async ({ threadId }) => {
      if (failure !== undefined) throw failure;
      moved.push(threadId);
    },
  });
  const fail = (error: Error | undefined): void => {
    failure = error;
  };
  return { pending, moved, unfinished, fail };
}

const never = new AbortController().signal;

describe("a thread that the old database holds", () => {
  it("moves when somebody wants it, and is the new one's from then on", async () => {
    const { pending, moved } = world();
    const looking = pending.holder(KEY);
    expect(pending.holder(KEY)).toBe(looking);
    await looking;
    expect(pending.holder(KEY)).toBe("new");
    expect(moved).toEqual(["t"]);
    expect(pending.holder(keyOf(thread("never-there")))).toBe("new");
  });

  it("stays while a run of it is not over, and is looked at again when it was poked", async () => {
    const { pending, moved, unfinished } = world({ t: 2 });
    await pending.holder(KEY);
    expect(pending.holder(KEY)).toBe("old");
    expect(pending.isBusy(KEY)).toBe(true);
    expect(pending.runs).toBe(2);
    unfinished["t"] = 0;
    pending.poke(KEY);
    await pending.holder(KEY);
    expect(pending.holder(KEY)).toBe("new");
    expect(moved).toEqual(["t"]);
  });

  it("stays, with the reason, when it cannot be moved, and moves at a later try", async () => {
    const { pending, fail } = world();
    fail(new Error("the disk is full"));
    await pending.moveAll(never);
    expect(pending.holder(KEY)).toBe("old");
    expect(pending.isBusy(KEY)).toBe(false);
    expect(pending.problems).toEqual(["t: the disk is full", "u: the disk is full"]);
    fail(undefined);
    await pending.moveAll(never);
    expect(pending.size).toBe(0);
  });

  it("is waited for until it has moved, or for so long", async () => {
    const { pending, unfinished } = world({ t: 1 });
    expect(await pending.moved(KEY, 5)).toBe(false);
    const waiting = pending.moved(KEY, 60_000);
    unfinished["t"] = 0;
    pending.poke(KEY);
    await pending.holder(KEY);
    expect(await waiting).toBe(true);
  });

  it("is added once", () => {
    const { pending } = world();
    pending.add([thread("t"), thread("v")]);
    expect(pending.threads.map(({ threadId }) => threadId)).toEqual(["t", "u", "v"]);
  });
});
