import { describe, expect, it } from "vitest";
import type { ThreadRecord } from "../../persistence/contract.js";
import { fits, pageOf } from "./listed-threads.js";

const record = (threadId: string, at: number, more: Partial<ThreadRecord> = {}): ThreadRecord => ({
  threadId,
  status: "idle",
  metadata: {},
  values: {},
  createdAt: at,
  updatedAt: at,
  ...more,
});

describe("a list of threads out of two databases", () => {
  it("has the order of one: newest change first, ties by id", () => {
    const threads = [record("a", 1), record("c", 2), record("b", 2)];
    const ids = (query: Parameters<typeof pageOf>[1]) =>
      pageOf(threads, query).map(({ threadId }) => threadId);
    expect(ids({ limit: 10, offset: 0 })).toEqual(["c", "b", "a"]);
    expect(ids({ limit: 1, offset: 1 })).toEqual(["b"]);
    expect(ids({ limit: 10, offset: 0, sortBy: "created_at", sortOrder: "asc" })).toEqual(["a", "b", "c"]);
    expect(ids({ limit: 10, offset: 0, sortBy: "thread_id", sortOrder: "desc" })).toEqual(["c", "b", "a"]);
  });

  it("has only what the query asks for", () => {
    const thread = record("a", 1, { status: "busy", metadata: { team: "north", tags: ["x"] } });
    const query = { limit: 1, offset: 0 };
    expect(fits(thread, query)).toBe(true);
    expect(fits(thread, { ...query, status: "idle" })).toBe(false);
    expect(fits(thread, { ...query, metadata: { team: "north", tags: ["x"] } })).toBe(true);
    expect(fits(thread, { ...query, metadata: { team: "south" } })).toBe(false);
    expect(fits(thread, { ...query, metadata: { none: null } })).toBe(false);
  });
});
