import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { callsOf } from "./read-thread.js";

/** Where a saver puts the writes of the calls. */
const placesOf = (calls: ReturnType<typeof callsOf>) =>
  calls.flatMap((call) =>
    call.map(([channel, value], at) => [WRITES_IDX_MAP[channel] ?? at, channel, value] as const),
  );

const write = (index: number, channel: string) => ({ index, channel, decoded: `${channel} ${index}` });

describe("the calls that store the writes of a task", () => {
  it("give ordinary and special writes the places that they had", () => {
    const writes = [
      write(-3, "__interrupt__"),
      write(-4, "__resume__"),
      write(0, "a"),
      write(2, "b"),
      write(3, "b"),
    ];
    const places = placesOf(callsOf(writes));
    expect(places).toHaveLength(writes.length);
    for (const { index, channel, decoded } of writes)
      expect(places).toContainEqual([index, channel, decoded]);
  });

  it("store special writes in a call of their own, where there is no gap for them", () => {
    expect(callsOf([write(-1, "__error__"), write(0, "a")])).toEqual([
      [["a", "a 0"]],
      [["__error__", "__error__ -1"]],
    ]);
  });

  it("keep the order where a gap has nothing to fill it", () => {
    expect(placesOf(callsOf([write(5, "b"), write(1, "a")])).map(([, channel]) => channel)).toEqual([
      "a",
      "b",
    ]);
  });
});
