import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { fromSegments } from "../base/virtual-path.js";
import type { FilesystemPermission, PermissionMode, PermissionOperation } from "./file-permission.js";
import CASES from "./permission-cases.json" with { type: "json" };
import { meetingOf } from "./permission-overlap.js";
import { anchorOf, PathPattern } from "./permission-pattern.js";
import { PermissionRules, type PermissionRulesOptions } from "./permission-rules.js";
import { spellingOf } from "./permission-spelling.js";

const HOME = "/mnt/user-data/workspace";

/** `deny read+write /a,/b` as a rule. */
function ruleOf(text: string): FilesystemPermission {
  const [mode = "", operations = "", paths = ""] = text.split(" ");
  return {
    mode: mode as PermissionMode, // the table holds nothing else
    operations: operations.split("+") as PermissionOperation[], // as above
    paths: paths.split(","),
  };
}

const rulesOf = (texts: readonly string[], options: PermissionRulesOptions = {}) =>
  new PermissionRules(texts.map(ruleOf), { home: HOME, ...options });

const one = (mode: PermissionMode, path: string, options: PermissionRulesOptions = {}) =>
  new PermissionRules([{ operations: ["read"], paths: [path], mode }], { home: HOME, ...options });

/** Whether an allow rule for `pattern` stands up against a deny of everything. */
const allows = (pattern: string, path: string, options: PermissionRulesOptions = {}) =>
  new PermissionRules(
    [
      { operations: ["read"], paths: [pattern] },
      { operations: ["read"], paths: ["/**"], mode: "deny" },
    ],
    { home: HOME, ...options },
  ).decide("read", path) === "allow";

/** The tables are JSON: their rows are tuples only by custom. */
const rows = <Row extends readonly unknown[]>(table: readonly (readonly unknown[])[]): readonly Row[] =>
  table as unknown as readonly Row[];
type Texts = readonly string[];

const total = Object.values(CASES).reduce((sum, table) => sum + table.length, 0);

describe(`path rules, in ${total} rows of tables`, () => {
  it("has every table in full", () => {
    expect(total).toBeGreaterThanOrEqual(230);
  });

  it.each(rows<[string, string, string, string]>(CASES.matching))(
    "asked whether %s means %j says %s: %s",
    (pattern, path, means) => {
      const denies = one("deny", pattern).decide("read", path) === "deny";
      const interrupts = one("interrupt", pattern).decide("read", path) === "interrupt";
      expect({ denies, interrupts, allows: allows(pattern, path) }).toEqual({
        denies: means !== "none",
        interrupts: means !== "none",
        allows: means === "both",
      });
    },
  );

  it.each(rows<[PermissionMode, string, string, boolean]>(CASES.folding))(
    "where case folds, lets %s %s mean %j: %s",
    (mode, pattern, path, isMeant) => {
      const options = { foldsCase: true };
      const means =
        mode === "allow"
          ? allows(pattern, path, options)
          : one(mode, pattern, options).decide("read", path) === mode;
      expect(means).toBe(isMeant);
    },
  );

  it.each(rows<[PermissionOperation, string, PermissionMode, Texts, string]>(CASES.decisions))(
    "decides %s %s as %s under %j: %s",
    (operation, path, mode, rules) => {
      expect(rulesOf(rules).decide(operation, path)).toBe(mode);
    },
  );

  it.each(rows<[string, string, boolean, string]>(CASES.geometry))(
    "asked whether a deny of %s stands against removing %s says %s: %s",
    (pattern, target, isBlocked) => {
      const rules = new PermissionRules([{ operations: ["write"], paths: [pattern], mode: "deny" }]);
      expect(rules.removalBlockers(target)).toEqual(isBlocked ? [pattern] : []);
    },
  );

  it.each(rows<[string, boolean, Texts, Texts, string]>(CASES.aggregation))(
    "for removing %s (a plain file: %s) under %j names %j: %s",
    (path, isLeaf, rules, blockers) => {
      expect(rulesOf(rules).removalBlockers(path, { isLeaf })).toEqual(blockers);
    },
  );

  it.each(rows<[PermissionOperation, unknown, boolean, Texts, string]>(CASES.exact))(
    "asked whether %s of %j waits for a person says %s under %j: %s",
    (operation, path, pauses, rules) => {
      expect(rulesOf(rules).pausesExact(operation, path)).toBe(pauses);
    },
  );

  it.each(rows<[PermissionOperation, unknown, boolean, Texts, string]>(CASES.bulk))(
    "asked whether %s of all of %j waits for a person says %s under %j: %s",
    (operation, path, pauses, rules) => {
      expect(rulesOf(rules).pausesBulk(operation, path)).toBe(pauses);
    },
  );

  it.each(rows<[unknown, unknown, boolean, Texts, string]>(CASES.bulkGlob))(
    "asked whether a glob in %j for %j waits for a person says %s under %j: %s",
    (path, pattern, pauses, rules) => {
      expect(rulesOf(rules).pausesBulk("read", path, pattern)).toBe(pauses);
    },
  );

  it.each(rows<[string, string]>(CASES.anchor))("lets %s begin at %s", (pattern, anchor) => {
    expect(fromSegments(anchorOf(pattern))).toBe(anchor);
    expect(fromSegments(new PathPattern(pattern, undefined).anchor)).toBe(anchor);
  });

  it.each(rows<[string, string, boolean]>(CASES.overlap))(
    "asked whether %s and the tree of %s meet says %s",
    (pattern, target, isMet) => {
      const spelling = spellingOf(target);
      if (spelling === undefined) throw new Error(`${target} is no path`);
      expect(meetingOf(new PathPattern(pattern, undefined), spelling, false) !== undefined).toBe(isMet);
    },
  );

  it.each(rows<[string, string]>(CASES.invalid))("refuses the path %j: %s", (path, reason) => {
    expect(() => one("deny", path)).toThrow(reason);
  });
});

describe("path rules", () => {
  const refusal = (rule: unknown, options: PermissionRulesOptions = {}): DeerflowError => {
    // Plain JavaScript may give anything.
    const build = () => new PermissionRules([rule as FilesystemPermission], options);
    try {
      build();
    } catch (error) {
      if (DeerflowError.is(error)) return error;
      throw error;
    }
    throw new Error("the rule was accepted");
  };

  it.each([
    [{ operations: [], paths: ["/x"] }, "operations must name"],
    [{ paths: ["/x"] }, "operations must name"],
    [{ operations: "read", paths: ["/x"] }, "operations must name"],
    [{ operations: ["execute"], paths: ["/x"] }, "an operation is read or write"],
    [{ operations: ["read"], paths: ["/x"], mode: "ask" }, "mode is allow, deny or interrupt"],
    [{ operations: ["read"], paths: [] }, "at least one path"],
    [{ operations: ["read"], paths: "/x" }, "at least one path"],
    [{ operations: ["read"], paths: ["/\ud800"] }, "not valid Unicode"],
    [{ operations: ["read"], paths: [7] }, "a path is a text"],
    [
      { operations: ["read"], paths: ["/x"], mod: "deny" },
      'unknown key "mod"; the keys are operations, paths, mode',
    ],
    [undefined, "it is no object"],
    ["deny /x", "it is no object"],
    [[], "it is no object"],
    [{ operations: ["read"], paths: [`/${"x".repeat(1000)}`] }, "longer than 1000"],
    [{ operations: ["read"], paths: [`/${"{a,b}".repeat(10)}`] }, "more than 1000 patterns"],
    [{ operations: ["read"], paths: [`/${"{a,b}".repeat(150)}`] }, "more than 1000 patterns"],
  ])("refuse %j", (rule, reason) => {
    const error = refusal(rule);
    expect(error.code).toBe("permissions_invalid");
    expect(error.sentence).toContain(reason);
    expect(error.sentence).toContain("number 1");
  });

  it.each([[{}], ["deny"], [undefined], [null]])("refuse %j in place of a list of rules", (rules) => {
    // Plain JavaScript may give anything.
    const build = () => new PermissionRules(rules as unknown as FilesystemPermission[]);
    expect(build).toThrow("the rules must be a list");
  });

  it("refuse a home folder where there is none, and take it literally where there is", () => {
    const rule: FilesystemPermission = { operations: ["read"], paths: ["~/**"], mode: "deny" };
    expect(refusal(rule).sentence).toContain("there is no home folder");
    const rules = new PermissionRules([rule], { home: "/data/[a]*" });
    expect(rules.decide("read", "/data/[a]*/x")).toBe("deny");
    expect(rules.decide("read", "/data/ab/x")).toBe("allow");
  });

  it("can be turned to files that fold case, and back", () => {
    const exact = one("deny", "/secrets/**");
    const folding = exact.withFolding(true);
    expect(
      [exact, folding, folding.withFolding(false)].map((rules) => rules.decide("read", "/SECRETS/k")),
    ).toEqual(["allow", "deny", "allow"]);
    expect(folding.withFolding(true)).toBe(folding);
  });

  it("where case folds, block removals and ask under every case, and let no allow rule settle a case it does not name", () => {
    const folding = { foldsCase: true };
    expect(rulesOf(["deny write /Secrets/key"], folding).removalBlockers("/secrets")).toEqual([
      "/Secrets/key",
    ]);
    expect(rulesOf(["deny write /Secrets/*.key"], folding).removalBlockers("/SECRETS/A.KEY/b")).toHaveLength(
      1,
    );
    expect(rulesOf(["interrupt read /Secrets/**"], folding).pausesBulk("read", "/secrets")).toBe(true);
    expect(rulesOf(["interrupt read /Secrets/**"], folding).pausesExact("read", "/secrets/k")).toBe(true);
    const settled = ["allow read /Secrets,/Secrets/**", "interrupt read /Secrets/**"];
    expect(rulesOf(settled).pausesBulk("read", "/")).toBe(false);
    expect(rulesOf(settled, folding).pausesBulk("read", "/")).toBe(true);
  });

  it("say whether a person may be asked", () => {
    const rules = rulesOf(["deny read /x", "interrupt write /y"]);
    expect([rules.hasInterrupt("read"), rules.hasInterrupt("write")]).toEqual([false, true]);
    expect([rules.isEmpty, rulesOf([]).isEmpty]).toEqual([false, true]);
  });

  it.each([
    ["stars in one name", `/${"*a".repeat(400)}b`, `/${"a".repeat(4000)}`],
    ["globstars", `/${"**/a/".repeat(190)}b`, `/${"a/".repeat(2000)}`],
    [
      "stars in many choices",
      `/{${Array.from({ length: 90 }, (_, at) => `*a*a*a${at}`).join(",")}}`,
      `/${"a".repeat(4000)}`,
    ],
  ])(
    "come to an answer with many %s, where going back and forth would take for ever",
    (_what, pattern, path) => {
      expect(one("deny", pattern).decide("read", path)).toBe("allow");
    },
  );
});
