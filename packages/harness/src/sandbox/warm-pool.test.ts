import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WarmPool } from "./warm-pool.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function pool({ most = 2, idleSeconds = 10 } = {}) {
  const ended: string[] = [];
  let begun = 0;
  const places = new WarmPool<string>({
    provider: "test",
    most,
    idleSeconds,
    end: async (value) => void ended.push(value),
  });
  const take = (id: string, made = "") => places.take(id, made, async () => `${id}${(begun += 1)}`);
  return { places, ended, take };
}

it("begins one for an id, also for two at the same time", async () => {
  const { take } = pool();
  expect(await Promise.all([take("a"), take("a"), take("b")])).toEqual(["a1", "a1", "b2"]);
});

it("ends a resting one after its time, and not one that was taken again", async () => {
  const { places, ended, take } = pool();
  await take("a");
  await take("b");
  places.rest("a");
  places.rest("b");
  await take("b");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended).toEqual(["a1"]);
});

it("keeps a resting one for ever with an idle time of 0", async () => {
  const { places, ended, take } = pool({ idleSeconds: 0 });
  await take("a");
  places.rest("a");
  await vi.advanceTimersByTimeAsync(1e9);
  expect(ended).toEqual([]);
});

it("gives the place of the one that rests longest to a new one", async () => {
  const { places, ended, take } = pool();
  await take("a");
  await take("b");
  places.rest("b");
  places.rest("a");
  await take("c");
  expect(ended).toEqual(["a1"]);
});

it("refuses more than its places", async () => {
  const { take } = pool({ most: 1 });
  await take("a");
  await expect(take("b")).rejects.toMatchObject({ code: "sandbox_failed" });
  expect(await take("a")).toBe("a1");
});

it("begins anew for other parts, and after a failure", async () => {
  const { ended, places, take } = pool();
  await take("a", "x");
  expect(await take("a", "y")).toBe("a2");
  expect(ended).toEqual(["a1"]);
  await expect(places.take("b", "", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await take("b")).toBe("b3");
});
