import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { OutputGate } from "./output-gate.js";

/** A stream that remembers whether it flows, and a listener whose promises the test settles. */
function held() {
  const stream = new Readable({ read: () => undefined });
  const settle: { resolve(): void; reject(error: Error): void }[] = [];
  const told: string[] = [];
  let failures = 0;
  const listener = (chunk: string): Promise<void> => {
    told.push(chunk);
    return new Promise((resolve, reject) => settle.push({ resolve, reject }));
  };
  const gate = new OutputGate(stream, listener, () => {
    failures += 1;
  });
  return { stream, gate, settle, told, failures: () => failures };
}

describe("OutputGate", () => {
  it("holds the stream until the listener is done with everything", async () => {
    const { stream, gate, settle } = held();
    gate.tell("a");
    gate.tell("b");
    expect([gate.isClosed, stream.isPaused()]).toEqual([true, true]);
    settle[1]?.resolve();
    await Promise.resolve();
    expect(stream.isPaused()).toBe(true);
    settle[0]?.resolve();
    await gate.settled(5000);
    expect([gate.isClosed, stream.isPaused()]).toEqual([false, false]);
  });

  it("lets the stream flow past a listener that gives no promise, and past none", async () => {
    const stream = new Readable({ read: () => undefined });
    for (const listener of [() => undefined, undefined]) {
      const gate = new OutputGate(stream, listener, () => undefined);
      gate.tell("a");
      expect([gate.isClosed, stream.isPaused()]).toEqual([false, false]);
      await gate.settled(5000);
    }
  });

  it("says once that the listener failed, tells it nothing more, and gives the failure at the end", async () => {
    const { gate, settle, told, failures } = held();
    gate.tell("a");
    gate.tell("b");
    for (const { reject } of settle) reject(new Error("full"));
    await expect(gate.settled(5000)).rejects.toThrow("full");
    gate.tell("c");
    expect([told, failures(), gate.isClosed]).toEqual([["a", "b"], 1, false]);
  });

  it("does not wait for ever for a listener that never ends", async () => {
    const gate = new OutputGate(
      null,
      () => new Promise(() => undefined),
      () => undefined,
    );
    gate.tell("a");
    await gate.settled(20);
    expect(gate.isClosed).toBe(true);
  });

  it("takes a listener that throws for one that failed", async () => {
    let failures = 0;
    const broken = () => {
      throw new Error("broken");
    };
    const gate = new OutputGate(new Readable(), broken, () => {
      failures += 1;
    });
    gate.tell("a");
    await expect(gate.settled(5000)).rejects.toThrow("broken");
    expect(failures).toBe(1);
  });
});
