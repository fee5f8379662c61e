import type { Clock } from "@deerflow/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPatiently } from "./load-patiently.js";

describe("a part that is loaded when it is needed", () => {
  beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue());
  afterEach(() => void vi.restoreAllMocks());

  it("comes at once when nothing is in the way", async () => {
    expect(await loadPatiently(() => Promise.resolve("part"))).toBe("part");
    expect(console.warn).not.toHaveBeenCalled();
  });

  it("is asked for again after longer and longer pauses, until it comes", async () => {
    const pauses: number[] = [];
    const clock: Clock = {
      after(milliseconds, call) {
        pauses.push(milliseconds);
        call();
        return () => {};
      },
    };
    let attempts = 0;
    const load = () => ((attempts += 1) < 9 ? Promise.reject(new Error("lost")) : Promise.resolve("part"));
    expect(await loadPatiently(load, clock)).toBe("part");
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 30_000, 30_000, 30_000]);
    expect(console.warn).toHaveBeenCalledTimes(8);
  });
});
