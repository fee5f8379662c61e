import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ABORTED, abortWith, orAborted, withTimeLimit } from "./abort.js";

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"), { once: true }));

describe("work with a time limit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is stopped when its time is up", async () => {
    const work = withTimeLimit(2, undefined, untilAborted);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(await Promise.race([work, Promise.resolve("at work")])).toBe("at work");
    await vi.advanceTimersByTimeAsync(1);
    expect(await work).toBe("stopped");
  });

  it("is stopped for the caller's reason, also one given beforehand", async () => {
    const caller = new AbortController();
    const reason = new Error("the user pressed stop");
    const reasonOf = async (signal: AbortSignal) => (await untilAborted(signal), signal.reason);
    const work = withTimeLimit(2, caller.signal, reasonOf);
    caller.abort(reason);
    expect(await work).toBe(reason);
    expect(await withTimeLimit(2, caller.signal, async (signal) => signal.reason)).toBe(reason);
  });

  it("leaves neither a timer nor a listener behind, whatever becomes of it", async () => {
    const caller = new AbortController();
    const removed = vi.spyOn(caller.signal, "removeEventListener");
    expect(await withTimeLimit(2, caller.signal, async () => "done")).toBe("done");
    await expect(withTimeLimit(2, caller.signal, () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    expect(removed).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("work that cannot be stopped", () => {
  it("is left when the signal is aborted first, and its later failure is nobody's", async () => {
    const stopping = new AbortController();
    let fail: (error: Error) => void = () => {};
    const work = new Promise<string>((_, reject) => (fail = reject));
    const outcome = orAborted(work, stopping.signal);
    stopping.abort();
    expect(await outcome).toBe(ABORTED);
    fail(new Error("too late"));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("gives its result, or its failure, when that comes first", async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve("done"), signal)).toBe("done");
    await expect(orAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
    expect(await orAborted(new Promise<string>(() => {}), AbortSignal.abort())).toBe(ABORTED);
  });
});

it("a controller that follows a signal can be let go of again", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const caller = new AbortController();
  abortWith(caller.signal, first);
  abortWith(caller.signal, second)();
  caller.abort();
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
});
