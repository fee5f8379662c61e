import { expect, it } from "vitest";
import type { RunEventTable } from "../schema.js";
import { insertsOf } from "./run-event-store.js";

const row = (seq: number, length: number): RunEventTable => ({
  tenant_id: "1",
  thread_id: "t",
  seq,
  user_id: "1",
  run_id: "r",
  event_type: "step",
  content: "x".repeat(length),
  metadata: "{}",
  created_at: 0,
});

it.each([
  ["nothing", [], []],
  ["a few small rows together", [1, 1, 1], [3]],
  ["a large row by itself", [1, 600_000, 1, 1], [1, 1, 2]],
  ["rows that are large only together", [300_000, 300_000, 100_000], [1, 2]],
  ["many small rows, 500 at a time", Array.from({ length: 1_100 }, () => 1), [500, 500, 100]],
])("puts %s into statements", (_what, lengths, expected) => {
  const rows = lengths.map((length, index) => row(index + 1, length));
  const inserts = insertsOf(rows);
  expect(inserts.map(({ length }) => length)).toEqual(expected);
  expect(inserts.flat()).toEqual(rows);
});
