import { MemorySaver } from "@langchain/langgraph-checkpoint";
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
    const { saver, settled } = trackSaver(slow);
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
});
