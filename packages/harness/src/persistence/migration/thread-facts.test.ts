import { describe, expect, it } from "vitest";
import { type Fact, standingOf } from "./thread-facts.js";

const facts = (...ids: readonly string[]): Map<string, Fact> =>
  new Map(ids.map((id) => [`checkpoint ${id}`, { digest: `digest of ${id}`, checkpointId: id }]));

const kindOf = (source: Map<string, Fact>, copy: Map<string, Fact> | undefined) =>
  standingOf(source, copy).kind;

describe("how a copy stands to its source", () => {
  it("is absent, equal, behind or ahead", () => {
    expect(kindOf(facts("1", "2"), undefined)).toBe("absent");
    expect(kindOf(facts("1", "2"), facts("1", "2"))).toBe("equal");
    expect(kindOf(facts("1", "2"), facts("1"))).toBe("behind");
    expect(kindOf(facts("1"), facts("1", "2"))).toBe("ahead");
  });

  it("is a conflict where both went on, and where one thing differs", () => {
    expect(standingOf(facts("1", "2"), facts("1", "3"))).toEqual({
      kind: "conflict",
      reason: "only the source has checkpoint 2, and only the target has checkpoint 3",
    });
    const other = new Map<string, Fact>([["checkpoint 1", { digest: "another", checkpointId: "1" }]]);
    expect(standingOf(facts("1"), other)).toEqual({ kind: "conflict", reason: "checkpoint 1 differs" });
  });

  it("is a conflict where two threads share nothing but their name", () => {
    expect(kindOf(facts("1"), facts("2"))).toBe("conflict");
  });

  it("does not mind older checkpoints that were pruned on one side", () => {
    expect(kindOf(facts("2", "3"), facts("1", "2"))).toBe("behind");
    expect(kindOf(facts("1", "2"), facts("2", "3"))).toBe("ahead");
    expect(kindOf(facts("2"), facts("1", "2"))).toBe("equal");
  });

  it("takes the newer state of what changes", () => {
    const row = (digest: string, at: number) => new Map<string, Fact>([["row", { digest, at }]]);
    expect(kindOf(row("new", 2), row("old", 1))).toBe("behind");
    expect(kindOf(row("old", 1), row("new", 2))).toBe("ahead");
    expect(kindOf(row("one", 1), row("other", 1))).toBe("conflict");
    expect(kindOf(row("same", 1), row("same", 2))).toBe("equal");
  });

  it("is a conflict where the row is newer on one side and the checkpoints on the other", () => {
    const source = new Map<string, Fact>([...facts("1"), ["row", { digest: "new", at: 2 }]]);
    const copy = new Map<string, Fact>([...facts("1", "2"), ["row", { digest: "old", at: 1 }]]);
    expect(kindOf(source, copy)).toBe("conflict");
  });
});
