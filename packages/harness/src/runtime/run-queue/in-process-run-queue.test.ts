import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import type { RunJob } from "./contract.js";
import { InProcessRunQueue } from "./in-process-run-queue.js";

const job = (threadId: string, runId: string): RunJob => ({ principal: LOCAL_PRINCIPAL, threadId, runId });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Jobs begin at once and end when the test says so. */
function controlled() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    execute: ({ runId }: RunJob) => {
      begun.push(runId);
      return new Promise<void>((resolve) => ends.set(runId, resolve));
    },
    end: async (runId: string) => {
      ends.get(runId)?.();
      await turn();
    },
  };
}

describe("InProcessRunQueue", () => {
  it("runs one job of a thread at a time, in order, and threads side by side", async () => {
    const work = controlled();
    const queue = new InProcessRunQueue();
    queue.start(work.execute);
    for (const each of [job("a", "a1"), job("a", "a2"), job("b", "b1"), job("a", "a3")])
      await queue.add(each);
    expect(work.begun).toEqual(["a1", "b1"]);
    await work.end("a1");
    expect(work.begun).toEqual(["a1", "b1", "a2"]);
    await work.end("a2");
    expect(work.begun).toEqual(["a1", "b1", "a2", "a3"]);
  });

  it("lets no more than the allowed number go on at once", async () => {
    const work = controlled();
    const queue = new InProcessRunQueue({ concurrency: 1 });
    queue.start(work.execute);
    await queue.add(job("a", "a1"));
    await queue.add(job("b", "b1"));
    expect(work.begun).toEqual(["a1"]);
    await work.end("a1");
    expect(work.begun).toEqual(["a1", "b1"]);
  });

  it("takes out only what has not begun", async () => {
    const work = controlled();
    const queue = new InProcessRunQueue();
    queue.start(work.execute);
    await queue.add(job("a", "a1"));
    await queue.add(job("a", "a2"));
    expect([await queue.remove("a1"), await queue.remove("a2"), await queue.remove("nope")]).toEqual([
      false,
      true,
      false,
    ]);
    await work.end("a1");
    expect(work.begun).toEqual(["a1"]);
  });

  it("closes when what has begun is done, and begins nothing more", async () => {
    const work = controlled();
    const queue = new InProcessRunQueue();
    queue.start(work.execute);
    await queue.add(job("a", "a1"));
    await queue.add(job("a", "a2"));
    let closed = false;
    const closing = queue.close().then(() => {
      closed = true;
    });
    await turn();
    expect(closed).toBe(false);
    await work.end("a1");
    await closing;
    expect(work.begun).toEqual(["a1"]);
  });
});
