import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { FilesystemPermission, PermissionOperation } from "../../policy/file-permission.js";
import { PermissionRules } from "../../policy/permission-rules.js";
import { picked, type Random, seededRandom } from "../../testing/path-spellings.js";
import { scaled } from "../../testing/test-scale.js";
import { PathAccess } from "./path-access.js";

const NAMES = ["a", "b", "k.pem", ".env", "é", "é", "A", "b\\a", "\ufffd"];
const PARTS = [...NAMES.slice(0, 7), "*", "**", "*.pem", "?", "[ab]", "[!a]*", "{a,b}", ".*"];
const OPERATIONS: readonly PermissionOperation[] = ["read", "write"];

const times = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);
const pathOf = (random: Random, parts: readonly string[], most: number): string =>
  `/${times(1 + Math.floor(random() * most), () => picked(parts, random)).join("/")}`;

const randomRules = (random: Random): readonly FilesystemPermission[] =>
  times(1 + Math.floor(random() * 4), () => ({
    operations: picked([["read"], ["write"], ["read", "write"]] as const, random),
    paths: times(1 + Math.floor(random() * 2), () => pathOf(random, PARTS, 4)),
    mode: picked(["allow", "deny", "interrupt"] as const, random),
  }));

describe("rules held against a tree", () => {
  it.each([[false], [true]])(
    "say of many names what they say of each, and of all what is true of every one (folding case: %s)",
    (foldsCase) => {
      const random = seededRandom(77);
      for (let round = 0; round < scaled(5000, 200); round += 1) {
        const given = randomRules(random);
        const rules = new PermissionRules(given, { foldsCase });
        const folder = pathOf(random, NAMES, 3);
        const operation = picked(OPERATIONS, random);
        const about = { given, folder, operation };
        const one = rules.rulingsIn(operation, folder);
        const unlike = NAMES.filter(
          (name) => !isDeepStrictEqual(one(name), rules.ruling(operation, `${folder}/${name}`)),
        );
        expect({ ...about, unlike }).toEqual({ ...about, unlike: [] });
        const below = rules.rulingBelow(operation, folder);
        if (below === "mixed") continue;
        const others = times(8, () => folder + pathOf(random, NAMES, 4)).filter(
          (path) => !isDeepStrictEqual(rules.ruling(operation, path), below),
        );
        expect({ ...about, below, others }).toEqual({ ...about, below, others: [] });
      }
    },
    60_000,
  );

  it("say of a place that a link leads to what they say of the link", () => {
    const rules = new PermissionRules([{ operations: ["read"], paths: ["/w/link/**"], mode: "deny" }]);
    const access = new PathAccess(rules, [{ spelled: "/w/link", real: "/w/a/real" }]);
    expect(
      ["/w/a/real", "/w/a/real/x", "/w/a/realx", "/w/a", "/w/link/y"].map((path) =>
        access.ruling("read", path),
      ),
    ).toEqual(["deny", "deny", undefined, undefined, "deny"]);
    expect(access.rulingsIn("read", "/w/a")("real")).toBe("deny");
    expect(["/w", "/w/a", "/w/a/real", "/w/b"].map((path) => access.rulingBelow("read", path))).toEqual([
      "mixed",
      "mixed",
      "deny",
      undefined,
    ]);
  });
});
