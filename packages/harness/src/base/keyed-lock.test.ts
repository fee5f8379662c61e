import { describe, expect, it } from "vitest";
import { KeyedLock } from "./keyed-lock.js";

describe("KeyedLock", () => {
  it("runs the holders of one key one after the other, in the order they asked", async () => {
    const lock = new KeyedLock();
    const log: string[] = [];
    const step = (name: string) =>
      lock.hold("a", async () => {
        log.push(`${name}>`);
        await Promise.resolve();
        log.push(`<${name}`);
      });
    await Promise.all([step("1"), step("2"), step("3")]);
    expect(log).toEqual(["1>", "<1", "2>", "<2", "3>", "<3"]);
  });

  it("lets the next holder in after a failure, and forgets idle keys", async () => {
    const lock = new KeyedLock();
    const failing = lock.hold("a", async () => {
      throw new Error("no");
    });
    const next = lock.hold("a", async () => "yes");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("yes");
    expect(lock.size).toBe(0);
  });
});
