import { describe, expect, it } from "vitest";
import { type Passing, pauseBefore, retrying } from "./retries.js";

const pausesOf = (passing: Passing): number[] => {
  const pauses: number[] = [];
  for (let next = 2; ; next += 1) {
    const pause = pauseBefore(next, passing);
    if (pause === undefined) return pauses;
    pauses.push(pause);
  }
};

describe("trying again", () => {
  it("waits longer each time, up to a limit, and not for ever", () => {
    expect(pausesOf("broken")).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000, 2000]);
    expect(pausesOf("deadlock")).toEqual([5, 10, 20, 40, 80, 160, 320, 500, 500, 500, 500]);
    expect(pausesOf("lock_wait")).toEqual([5, 5]);
  });

  it("gives the result of the first try that succeeds", async () => {
    const pauses: number[] = [];
    let tries = 0;
    const attempt = async () => {
      tries += 1;
      if (tries < 3) throw new Error("gone");
      return tries;
    };
    const sleep = async (pause: number) => pauses.push(pause);
    expect(await retrying(attempt, { passingOf: () => "broken", sleep, random: () => 0.5 })).toBe(3);
    expect(pauses).toEqual([50, 100]);
  });

  it("gives up at once on a failure that stays", async () => {
    let tries = 0;
    const attempt = async () => {
      tries += 1;
      throw new Error("no such table");
    };
    const sleep = async () => undefined;
    await expect(retrying(attempt, { passingOf: () => undefined, sleep })).rejects.toThrow("no such table");
    expect(tries).toBe(1);
  });

  it("ends with the last failure when patience is at its end", async () => {
    let tries = 0;
    const attempt = async () => {
      tries += 1;
      throw new Error(`failure ${tries}`);
    };
    const sleep = async () => undefined;
    await expect(retrying(attempt, { passingOf: () => "lock_wait", sleep })).rejects.toThrow("failure 3");
  });
});
