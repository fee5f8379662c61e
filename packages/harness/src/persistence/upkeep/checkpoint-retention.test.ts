import { describe, expect, it } from "vitest";
import { decideRetention, type RetentionCandidate, type RetentionRules } from "./checkpoint-retention.js";

const LAST_2: RetentionRules = {
  keepLast: 2,
  keepSince: undefined,
  keepForkBases: true,
  keepNewestInterrupt: true,
};

/** A checkpoint of the outermost graph, made a minute after the one with the id before it. */
const checkpoint = (
  id: string,
  parentId?: string,
  more: Partial<RetentionCandidate> = {},
): RetentionCandidate => ({
  ns: "",
  id,
  parentId,
  source: "loop",
  parents: new Map(),
  createdAt: (id.charCodeAt(0) - "a".charCodeAt(0)) * 60_000,
  holds: new Set(),
  rebuilds: [],
  needsSendsOfParent: false,
  interrupted: false,
  ...more,
});

/** One child a letter: `a` is the root. */
const chain = (
  ids: string,
  more: Readonly<Record<string, Partial<RetentionCandidate>>> = {},
): RetentionCandidate[] => [...ids].map((id, at) => checkpoint(id, [...ids][at - 1], more[id]));

const inside = (ns: string, id: string, outer: string, more: Partial<RetentionCandidate> = {}) =>
  checkpoint(id, undefined, { ns, parents: new Map([["", outer]]), ...more });

const decide = (checkpoints: readonly RetentionCandidate[], rules: Partial<RetentionRules> = {}) => {
  const { kept, removed, moved } = decideRetention(checkpoints, { ...LAST_2, ...rules });
  const name = ({ ns, id }: RetentionCandidate) => (ns === "" ? id : `${ns}/${id}`);
  return {
    kept: Object.fromEntries([...kept].map(([each, reason]) => [name(each), reason])),
    removed: removed.map(name),
    moved,
  };
};

describe("retention of checkpoints", () => {
  it("keeps the last of a thread, and the oldest of them has no parent any more", () => {
    expect(decide(chain("abcde"))).toEqual({
      kept: { e: "newest", d: "last" },
      removed: ["a", "b", "c"],
      moved: [{ ns: "", id: "d", parentId: undefined }],
    });
  });

  it("removes nothing where there is no more than is to be kept", () => {
    expect(decide(chain("ab"))).toMatchObject({ removed: [], moved: [] });
    expect(decide([])).toEqual({ kept: {}, removed: [], moved: [] });
  });

  it("keeps the newest however old it is, and by age alone nothing that is young", () => {
    const rules = { keepLast: undefined, keepSince: 3 * 60_000 };
    expect(decide(chain("abcde"), rules).kept).toEqual({ e: "newest", d: "young" });
    expect(decide(chain("abcde"), { ...rules, keepSince: 60 * 60_000 }).kept).toEqual({ e: "newest" });
  });

  it("keeps what is either young or among the last", () => {
    expect(decide(chain("abcde"), { keepLast: 4, keepSince: 3 * 60_000 }).removed).toEqual(["a"]);
    expect(decide(chain("abcde"), { keepLast: 1, keepSince: 60_000 }).removed).toEqual(["a"]);
  });

  it("takes a checkpoint whose age is unknown for a young one", () => {
    const checkpoints = chain("abcde", { b: { createdAt: undefined } });
    expect(decide(checkpoints, { keepSince: 60 * 60_000 }).removed).toEqual(["a", "c"]);
  });

  it("keeps the base of a fork and the end of each branch, joined where checkpoints between them went", () => {
    const checkpoints = [...chain("abcd"), checkpoint("e", "b"), checkpoint("f", "e"), checkpoint("g", "f")];
    expect(decide(checkpoints)).toEqual({
      kept: { g: "newest", f: "last", b: "fork", d: "fork" },
      removed: ["a", "c", "e"],
      moved: [
        { ns: "", id: "f", parentId: "b" },
        { ns: "", id: "b", parentId: undefined },
        { ns: "", id: "d", parentId: "b" },
      ],
    });
  });

  it("forgets forks where the caller does not want them", () => {
    const checkpoints = [...chain("abc"), checkpoint("d", "b"), checkpoint("e", "d")];
    expect(decide(checkpoints, { keepForkBases: false }).kept).toEqual({ e: "newest", d: "last" });
  });

  it("keeps the newest that asked a person, and only that", () => {
    const checkpoints = chain("abcdef", { a: { interrupted: true }, c: { interrupted: true } });
    expect(decide(checkpoints).kept).toEqual({ f: "newest", e: "last", c: "interrupt" });
    expect(decide(checkpoints, { keepNewestInterrupt: false }).kept).toEqual({ f: "newest", e: "last" });
  });

  it("lets a subgraph's run live and die with the checkpoint that started it", () => {
    const checkpoints = [
      ...chain("abcd"),
      inside("node:1", "a1", "a"),
      inside("node:2", "c1", "c"),
      inside("node:3", "d1", "d"),
      inside("node:3", "d2", "d"),
    ];
    expect(decide(checkpoints)).toMatchObject({
      kept: { d: "newest", c: "last", "node:2/c1": "newest", "node:3/d2": "newest", "node:3/d1": "last" },
      removed: ["a", "b", "node:1/a1"],
    });
  });

  it("keeps the question of a subgraph with the checkpoint that waits for its answer", () => {
    const checkpoints = [
      ...chain("abcd", { a: { interrupted: true } }),
      inside("node:1", "a1", "a"),
      inside("node:1", "a2", "a", { interrupted: true }),
    ];
    expect(decide(checkpoints, { keepLast: 1 }).kept).toEqual({
      d: "newest",
      a: "interrupt",
      "node:1/a2": "newest",
    });
  });

  it("lets a nested run die with a run in between", () => {
    const nested = (id: string, inner: string) =>
      checkpoint(id, undefined, {
        ns: "node:1|leaf:9",
        parents: new Map([
          ["", "b"],
          ["node:1", inner],
        ]),
      });
    const checkpoints = [
      ...chain("ab"),
      inside("node:1", "b1", "b"),
      inside("node:1", "b2", "b"),
      nested("x", "b1"),
      nested("y", "b2"),
    ];
    expect(decide(checkpoints, { keepLast: 1 }).removed).toEqual(["a", "node:1/b1", "node:1|leaf:9/x"]);
  });

  it("keeps a subgraph's run whose outer checkpoint is still to be stored, and drops one whose outer is gone", () => {
    const checkpoints = [...chain("bcd"), inside("node:1", "e1", "e"), inside("node:2", "a1", "a")];
    expect(decide(checkpoints).removed).toEqual(["b", "node:2/a1"]);
  });

  it("keeps of a subgraph with a state of its own the newest, and where each kept outer checkpoint goes on from", () => {
    const checkpoints = [
      ...chain("adgj"),
      inside("memory", "b", "a"),
      inside("memory", "c", "a"),
      inside("memory", "e", "d"),
      inside("memory", "f", "d"),
      inside("memory", "h", "g"),
      inside("memory", "i", "g"),
    ];
    expect(decide(checkpoints, { keepLast: 1 }).kept).toEqual({ j: "newest", "memory/i": "newest" });
    expect(decide(checkpoints).kept).toEqual({
      j: "newest",
      g: "last",
      "memory/i": "newest",
      "memory/h": "last",
      "memory/f": "replay",
    });
  });

  it("keeps the parent of an edited checkpoint where a subgraph has a state of its own", () => {
    const edited = chain("abcd", { d: { source: "update" } });
    expect(decide([...edited, inside("memory", "b5", "b")], { keepLast: 1 }).kept).toEqual({
      d: "newest",
      c: "edit",
      "memory/b5": "newest",
    });
    expect(decide(edited, { keepLast: 1 }).kept).toEqual({ d: "newest" });
  });

  it("keeps the ancestors that a channel without a value is made of, back to one that holds it", () => {
    const rebuilds = { rebuilds: ["messages"] };
    const checkpoints = chain("abcdef", {
      b: { holds: new Set(["messages"]) },
      c: rebuilds,
      d: rebuilds,
      e: rebuilds,
      f: rebuilds,
    });
    expect(decide(checkpoints, { keepLast: 1 })).toEqual({
      kept: { f: "newest", e: "history", d: "history", c: "history", b: "history" },
      removed: ["a"],
      moved: [{ ns: "", id: "b", parentId: undefined }],
    });
  });

  it("keeps all ancestors where none holds the channel", () => {
    const checkpoints = chain("abcd", { d: { rebuilds: ["messages"] } });
    expect(decide(checkpoints, { keepLast: 1 }).removed).toEqual([]);
  });

  it("keeps for an ancestor what its own channels are made of: a kept checkpoint is never half there", () => {
    const checkpoints = chain("abcde", {
      b: { holds: new Set(["files"]) },
      c: { holds: new Set(["messages"]), rebuilds: ["files"] },
      d: { holds: new Set(["files"]), rebuilds: ["messages"] },
      e: { rebuilds: ["messages"] },
    });
    expect(decide(checkpoints, { keepLast: 1 }).removed).toEqual(["a"]);
  });

  it("keeps the parent that holds the Sends of a checkpoint in an old format", () => {
    const checkpoints = chain("abc", { c: { needsSendsOfParent: true } });
    expect(decide(checkpoints, { keepLast: 1 }).kept).toEqual({ c: "newest", b: "sends" });
  });

  it("leaves a parent named that was never stored, and ends on parents that go round in a circle", () => {
    expect(decide([checkpoint("d", "x"), checkpoint("e", "d")]).moved).toEqual([]);
    const circle = [checkpoint("a", "b"), checkpoint("b", "a"), checkpoint("c", "b", { rebuilds: ["x"] })];
    expect(decide(circle, { keepLast: 1 }).removed).toEqual([]);
    expect(
      decide([checkpoint("a", "b"), checkpoint("b", "a"), checkpoint("c", "b")], {
        keepLast: 1,
        keepForkBases: false,
      }),
    ).toMatchObject({
      removed: ["a", "b"],
      moved: [{ id: "c", parentId: undefined }],
    });
  });

  it("removes nothing more when it decides again over what stayed", () => {
    const checkpoints = [
      ...chain("abcdefg", { c: { interrupted: true }, f: { source: "update" } }),
      checkpoint("h", "b"),
      checkpoint("i", "h"),
      checkpoint("j", "i"),
      inside("node:1", "j1", "j"),
      inside("memory", "b5", "b"),
      inside("memory", "c5", "c"),
    ];
    const first = decideRetention(checkpoints, LAST_2);
    const moves = new Map(first.moved.map(({ ns, id, parentId }) => [`${ns}/${id}`, parentId]));
    const left = [...first.kept.keys()].map((each) =>
      moves.has(`${each.ns}/${each.id}`) ? { ...each, parentId: moves.get(`${each.ns}/${each.id}`) } : each,
    );
    expect(first.removed).not.toEqual([]);
    expect(decideRetention(left, LAST_2)).toMatchObject({ removed: [], moved: [] });
  });
});
