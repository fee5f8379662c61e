import { describe, expect, it } from "vitest";
import { streamBridgeSuite } from "../../testing/stream-bridge-suite.js";
import { MemoryStreamBridge } from "./memory-stream-bridge.js";

const manual = () => {
  const due: (() => void)[] = [];
  return {
    schedule: (_milliseconds: number, work: () => void) => {
      due.push(work);
      return () => undefined;
    },
    fire: () => {
      for (const work of due.splice(0)) work();
    },
  };
};

streamBridgeSuite("MemoryStreamBridge", async ({ framesPerRun }) => {
  const { schedule, fire } = manual();
  return {
    bridge: new MemoryStreamBridge({ framesPerRun, schedule }),
    forgetEnded: async () => fire(),
  };
});

describe("MemoryStreamBridge", () => {
  it("keeps ids in order when the clock goes back", async () => {
    const times = [1000, 900, 1100];
    const bridge = new MemoryStreamBridge({ clock: { now: () => times.shift() ?? 0 } });
    const ids = [];
    for (const event of ["a", "b", "c"]) ids.push(await bridge.publish("r", event, null));
    expect(ids).toEqual(["1000-1", "1000-2", "1100-3"]);
  });
});
