import { JsonPlusSerializer, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { channelMapFromText } from "../checkpoint/channel-map.js";
import { encodePlain } from "../checkpoint/value-codec.js";
import { checkpointFacts, rebuiltChannels, timeOfId } from "./checkpoint-facts.js";

const serde = new JsonPlusSerializer();

const factsOf = async (metadata: object, more: { id?: string; format?: number; channels?: string } = {}) =>
  checkpointFacts(serde, {
    ns: "node:1",
    id: more.id ?? "1f1d0000-0000-6000-8000-000000000000",
    parentId: "p",
    format: more.format ?? 4,
    channels: more.channels ?? "{}",
    body: await encodePlain(serde, { ts: "2026-01-02T03:04:05.000Z" }),
    metadata: await encodePlain(serde, metadata),
  });

describe("the facts of a checkpoint", () => {
  it("reads when it was made from its id, and where that does not say, from its content", async () => {
    const before = Date.now();
    const made = timeOfId(uuid6(3)) ?? 0;
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(Date.now() + 1000);
    expect(timeOfId("not-an-id")).toBeUndefined();
    expect((await factsOf({}, { id: "not-an-id" })).createdAt).toBe(Date.parse("2026-01-02T03:04:05.000Z"));
  });

  it("reads what made it and the checkpoints around it", async () => {
    expect(await factsOf({ source: "loop", step: 1, parents: { "": "outer" } })).toMatchObject({
      ns: "node:1",
      source: "loop",
      parents: new Map([["", "outer"]]),
      needsSendsOfParent: false,
    });
    expect(await factsOf({ parents: null }, { format: 3 })).toMatchObject({
      source: undefined,
      parents: new Map(),
      needsSendsOfParent: true,
    });
  });

  it("knows the channels that it holds", async () => {
    const { holds } = await factsOf({}, { channels: '{"a":[1,7],"b":[2],"c":[3,0,null]}' });
    expect(holds).toEqual(new Set(["a", "c"]));
  });

  it("knows the delta channels that it does not hold, and not those that are merely empty", () => {
    const channels = channelMapFromText('{"messages":[4],"files":[5,9],"branch:to:model":[6]}');
    const counters = { messages: [1, 2], files: [1, 1], never: [0, 9] };
    const metadata = { counters_since_delta_snapshot: counters };
    expect(rebuiltChannels({ ...metadata, delta_writes_versioned: true }, channels)).toEqual(["messages"]);
    // Older threads gave no version to what was written outside of a step.
    expect(rebuiltChannels(metadata, channels)).toEqual(["messages", "never"]);
    expect(rebuiltChannels({}, channels)).toEqual([]);
  });
});
