import { emptyCheckpoint, MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { trackSaver } from "./tracked-saver.js";

class SlowSaver extends MemorySaver {
  readonly log: string[] = [];
  finish = (): void => undefined;
  readonly #private = "kept";

  override async putWrites(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.finish = () => (this.log.includes("fail") ? reject(new Error("disk")) : resolve());
    });
    this.log.push(this.#private);
  }
}

describe("trackSaver", () => {
  it.each([[[]], [["fail"]]])("waits for writes under way, also when they fail (%j)", async (script) => {
    const slow = new SlowSaver();
    slow.log.push(...script);
    const { saver, settled } = trackSaver(slow, {});
    await settled();
    const write = saver.putWrites({}, [], "task").catch(() => slow.log.push("failed"));
    let done = false;
    const waiting = settled().then(() => {
      done = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    slow.finish();
    await Promise.all([waiting, write]);
    expect(slow.log.at(-1)).toBe(script.length === 0 ? "kept" : "failed");
    expect(saver).toBeInstanceOf(MemorySaver);
  });

  it("notes the run in the checkpoints of its steps, and in no others", async () => {
    const plain = new MemorySaver();
    const { saver } = trackSaver(plain, { run_id: "r1" });
    const config = { configurable: { thread_id: "t1", checkpoint_ns: "" } };
    for (const [index, source] of (["input", "loop", "update", "fork"] as const).entries()) {
      const checkpoint = { ...emptyCheckpoint(), id: String(index) };
      await saver.put(config, checkpoint, { source, step: index, parents: {} }, {});
    }
    const noted: unknown[] = [];
    for await (const { metadata } of plain.list(config)) noted.unshift(metadata);
    expect(noted).toEqual([
      { source: "input", step: 0, parents: {}, run_id: "r1" },
      { source: "loop", step: 1, parents: {}, run_id: "r1" },
      { source: "update", step: 2, parents: {} },
      { source: "fork", step: 3, parents: {} },
    ]);
  });
});
