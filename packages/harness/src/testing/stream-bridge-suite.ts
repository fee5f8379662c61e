/** What every StreamBridge must keep. A new bridge is done when this passes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StreamBridge, StreamFrame, SubscribeOptions } from "../runtime/bridge/contract.js";

export interface StreamBridgeHarness {
  readonly bridge: StreamBridge;
  /** Lets the time pass after which an ended run is forgotten. */
  forgetEnded(): Promise<void>;
}

async function collect(
  bridge: StreamBridge,
  runId: string,
  options?: SubscribeOptions,
): Promise<StreamFrame[]> {
  const frames: StreamFrame[] = [];
  for await (const frame of bridge.subscribe(runId, options)) frames.push(frame);
  return frames;
}

const names = (frames: readonly StreamFrame[]): string[] => frames.map((frame) => frame.event);

/** @param open makes a bridge that keeps `framesPerRun` frames of a run */
export function streamBridgeSuite(
  name: string,
  open: (options: { framesPerRun: number }) => Promise<StreamBridgeHarness>,
): void {
  describe(`${name} keeps the StreamBridge contract`, () => {
    let harness: StreamBridgeHarness;
    let bridge: StreamBridge;
    beforeEach(async () => {
      harness = await open({ framesPerRun: 500 });
      bridge = harness.bridge;
    });
    afterEach(() => bridge.close());

    const publish = async (count: number, runId = "r"): Promise<string[]> => {
      const ids: string[] = [];
      for (let number = 1; number <= count; number += 1) {
        ids.push(await bridge.publish(runId, `e${number}`, { number }));
      }
      return ids;
    };

    it("gives every frame an id that grows by one", async () => {
      const numbers = (await publish(12)).map((id) => Number(id.split("-")[1]));
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    });

    it.each([[undefined], [""], ["-1"]])("replays a run whole after %j", async (after) => {
      const ids = await publish(300);
      await bridge.end("r");
      const frames = await collect(bridge, "r", after === undefined ? {} : { after });
      expect(frames.map((frame) => frame.id)).toEqual(ids);
      expect(frames[0]).toEqual({ id: ids[0], event: "e1", data: { number: 1 } });
    });

    it("goes on after the frame that the reader has", async () => {
      const ids = await publish(5);
      await bridge.end("r");
      expect(names(await collect(bridge, "r", { after: ids[2] ?? "" }))).toEqual(["e4", "e5"]);
      expect(names(await collect(bridge, "r", { after: ids[4] ?? "" }))).toEqual([]);
    });

    it.each(["abc", "999999999", "1-", "-2", "1-2-3"])("refuses the cursor %j", (after) => {
      expect(() => bridge.subscribe("r", { after })).toThrow(/is not the id of an event/);
    });

    it("gives every reader every frame once, whenever it joins and however slow it is", async () => {
      await bridge.open("r");
      const early = collect(bridge, "r");
      const slow = (async () => {
        const frames: StreamFrame[] = [];
        for await (const frame of bridge.subscribe("r")) {
          await new Promise((resolve) => setImmediate(resolve));
          frames.push(frame);
        }
        return frames;
      })();
      await publish(20);
      const late = collect(bridge, "r");
      await bridge.publish("r", "e21", {});
      await bridge.end("r");
      const expected = Array.from({ length: 21 }, (_, index) => `e${index + 1}`);
      expect(names(await early)).toEqual(expected);
      expect(names(await slow)).toEqual(expected);
      expect(names(await late)).toEqual(expected);
    });

    it("ends a reader whose signal aborts, while it waits", async () => {
      await bridge.open("r");
      const abort = new AbortController();
      const reading = collect(bridge, "r", { signal: abort.signal });
      await publish(2);
      abort.abort();
      expect((await reading).length).toBeLessThanOrEqual(2);
    });

    it("keeps runs apart", async () => {
      await publish(2, "a");
      await publish(1, "b");
      await bridge.end("a");
      await bridge.end("b");
      expect([names(await collect(bridge, "a")), names(await collect(bridge, "b"))]).toEqual([
        ["e1", "e2"],
        ["e1"],
      ]);
    });

    it("says where a replay is not whole, and never skips in silence", async () => {
      await bridge.close();
      harness = await open({ framesPerRun: 2 });
      bridge = harness.bridge;
      const ids = await publish(5);
      await bridge.end("r");
      const gapAfter = (after: string) => ({
        event: "gap",
        data: {
          code: "stream_replay_gap",
          run_id: "r",
          requested_event_id: after,
          earliest_available_event_id: ids[3],
          latest_available_event_id: ids[4],
          recovery: "reload_durable_state",
        },
      });
      const kept = [
        { id: ids[3], event: "e4", data: { number: 4 } },
        { id: ids[4], event: "e5", data: { number: 5 } },
      ];
      const [e1 = "", e2 = "", e3 = "", e4 = "", e5 = ""] = ids;
      expect(await collect(bridge, "r", { after: e1 })).toEqual([gapAfter(e1), ...kept]);
      expect(await collect(bridge, "r", { after: e2 })).toEqual([gapAfter(e2), ...kept]);
      expect(await collect(bridge, "r", { after: e3 })).toEqual(kept);
      expect(await collect(bridge, "r", { after: e4 })).toEqual(kept.slice(1));
      expect(await collect(bridge, "r", { after: e5 })).toEqual([]);
      expect(await collect(bridge, "r")).toEqual([gapAfter(""), ...kept]);
      expect(await collect(bridge, "r", { after: "1-99" })).toEqual([gapAfter("1-99"), ...kept]);
    });

    it("tells a live reader that it was overtaken", async () => {
      await bridge.close();
      harness = await open({ framesPerRun: 2 });
      bridge = harness.bridge;
      await publish(1);
      const reader = bridge.subscribe("r")[Symbol.asyncIterator]();
      expect((await reader.next()).value).toMatchObject({ event: "e1" });
      await publish(4);
      expect((await reader.next()).value).toMatchObject({ event: "gap" });
      await reader.return?.();
    });

    it("forgets an ended run after a while, and no running one", async () => {
      await publish(1, "ended");
      await publish(1, "running");
      await bridge.end("ended");
      expect(await bridge.has("ended")).toBe(true);
      await harness.forgetEnded();
      expect([await bridge.has("ended"), await bridge.has("running")]).toEqual([false, true]);
      expect(await collect(bridge, "ended")).toEqual([]);
    });
  });
}
