import { array, assert, nat, property, tuple, uuid } from "fast-check";
import { describe, expect, it } from "vitest";
import { parentsFirst } from "./parents-first.js";

const head = (id: string, parentId?: string, ns = "") => ({ ns, id, parentId });
const idsOf = (heads: readonly { id: string }[]) => heads.map(({ id }) => id);

describe("the order of checkpoints", () => {
  it("has parents before children even where their ids say otherwise", () => {
    expect(idsOf(parentsFirst([head("a", "c"), head("b", "a"), head("c")]))).toEqual(["c", "a", "b"]);
  });

  it("keeps namespaces apart, and does not mind a parent that is missing", () => {
    const heads = [head("2", "1", "tools:1"), head("1", "0"), head("3", "2")];
    expect(idsOf(parentsFirst(heads))).toEqual(["1", "2", "3"]);
  });

  it("ends also where parents go in a circle", () => {
    expect(idsOf(parentsFirst([head("a", "b"), head("b", "a")]))).toHaveLength(2);
  });

  it("bears lines of ancestors that are longer than the stack", () => {
    const heads = Array.from({ length: 50_000 }, (_, at) =>
      head(String(100_000 - at), at === 0 ? undefined : String(100_001 - at)),
    );
    expect(idsOf(parentsFirst(heads))[0]).toBe("100000");
  });

  it("holds for any tree", () => {
    const trees = array(tuple(uuid(), nat()), { maxLength: 40 });
    assert(
      property(trees, (nodes) => {
        const heads = nodes.map(([id], at) => head(`${id}${at}`));
        const tree = heads.map((one, at) => {
          const parent = at === 0 ? undefined : heads[(nodes[at]?.[1] ?? 0) % at]?.id;
          return { ...one, parentId: parent };
        });
        const place = new Map(idsOf(parentsFirst(tree)).map((id, at) => [id, at] as const));
        expect(place.size).toBe(tree.length);
        for (const { id, parentId } of tree) {
          if (parentId !== undefined) expect(place.get(parentId)).toBeLessThan(place.get(id) ?? -1);
        }
      }),
    );
  });
});
