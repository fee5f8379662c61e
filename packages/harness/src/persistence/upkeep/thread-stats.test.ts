import { describe, expect, it } from "vitest";
import { statsOf } from "./thread-stats.js";
import type { ThreadHeads } from "./thread-heads.js";

const HEADS: ThreadHeads = {
  checkpoints: [
    {
      ns: "",
      id: "1f1ed160-4bbd-6c80-8000-c6d1630cb1a0",
      parentId: undefined,
      format: 4,
      channels: "{}",
      bytes: 5,
    },
    { ns: "", id: "not-a-time", parentId: undefined, format: 4, channels: "{}", bytes: 6 },
  ],
  writes: [
    { ns: "", checkpointId: "c", taskId: "t", index: 0, taskPath: "", channel: "files", refs: "", bytes: 7 },
  ],
  values: [
    { number: 1, channel: "files", bases: "", refs: "", bytes: 30 },
    { number: 2, channel: "title", bases: "", refs: "", bytes: 40 },
  ],
  messages: [{ number: 1, hash: new Uint8Array(), refs: "[[],[1,1]]", bytes: 20 }],
  parts: [{ number: 1, hash: new Uint8Array(), mediaType: "image/png", refs: "", bytes: 900 }],
};

describe("the statistics of a thread", () => {
  it("add up its rows by kind and by channel, and name the largest first", () => {
    expect(statsOf("t", HEADS)).toEqual({
      threadId: "t",
      rows: { checkpoints: 2, writes: 1, values: 2, messages: 1, parts: 1 },
      bytes: { checkpoints: 11, writes: 7, values: 70, messages: 20, parts: 900, total: 1008 },
      channels: [
        { channel: "title", values: 1, writes: 0, bytes: 40 },
        { channel: "files", values: 1, writes: 1, bytes: 37 },
      ],
      largest: [
        { kind: "part", name: "1", of: "image/png", bytes: 900 },
        { kind: "value", name: "2", of: "title", bytes: 40 },
        { kind: "value", name: "1", of: "files", bytes: 30 },
        { kind: "message", name: "1", of: "", bytes: 20 },
        { kind: "write", name: "c t 0", of: "files", bytes: 7 },
      ],
      oldest: Date.parse("2026-11-30T23:30:24.968Z"),
      newest: Date.parse("2026-11-30T23:30:24.968Z"),
    });
  });

  it("are zeros for a thread without rows", () => {
    const nothing = { checkpoints: [], writes: [], values: [], messages: [], parts: [] };
    expect(statsOf("t", nothing)).toMatchObject({ bytes: { total: 0 }, largest: [], oldest: undefined });
  });
});
