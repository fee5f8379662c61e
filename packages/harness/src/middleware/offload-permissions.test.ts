import { describe, expect, it } from "vitest";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { PermissionRules } from "../policy/permission-rules.js";
import { type OffloadFolder, withReadableOffloads } from "./offload-permissions.js";

const RESULTS = { folder: "/large_tool_results" };

const rule = (
  mode: "allow" | "deny" | "interrupt",
  path: string,
  ...operations: ("read" | "write")[]
): FilesystemPermission => ({
  operations: operations.length === 0 ? ["read", "write"] : operations,
  paths: [path],
  mode,
});

const decided = (
  permissions: readonly FilesystemPermission[],
  place: OffloadFolder = RESULTS,
  options: { foldsCase?: boolean } = {},
) => {
  const rules = new PermissionRules(withReadableOffloads(permissions, [place], options), options);
  const file = `${place.folder}/search-0123456789ab.txt`;
  return [rules.decide("read", file), rules.decide("write", file)];
};

describe("withReadableOffloads", () => {
  it("lets what was offloaded be read beside an allow-list, and leaves writing to the rules", () => {
    expect(decided([rule("allow", "/work/**"), rule("deny", "/**")])).toEqual(["allow", "deny"]);
    expect(decided([rule("interrupt", "/**")])).toEqual(["allow", "interrupt"]);
  });

  it.each([
    ["the folder", "/large_tool_results/**"],
    ["a file in it", "/large_tool_results/*.txt"],
    ["names that begin like it", "/large_tool_results*/**"],
    ["the folder among others", "/{work,large_tool_results}/**"],
    ["the folder in another spelling", "//large_tool_results/./**"],
  ])("leaves the folder to a rule that names %s", (_, path) => {
    const rules = [rule("deny", path), rule("deny", "/**")];
    expect(withReadableOffloads(rules, [RESULTS], {})).toBe(rules);
  });

  it("leaves it to a rule for the folder around it that was set apart, and to no other above", () => {
    const kept = { folder: "/kept/results", home: "/kept" };
    expect(decided([rule("deny", "/kept/**")], kept)).toEqual(["deny", "deny"]);
    expect(decided([rule("deny", "/kept/secrets/**"), rule("deny", "/**")], kept)).toEqual(["allow", "deny"]);
    expect(decided([rule("deny", "/kept/**")], { folder: "/kept/results" })).toEqual(["allow", "deny"]);
  });

  it("knows the folder in any case where names fold it", () => {
    const rules = [rule("deny", "/Large_Tool_Results/**")];
    expect(decided(rules, RESULTS, { foldsCase: true })).toEqual(["deny", "deny"]);
  });

  it("takes no name for a pattern", () => {
    expect(decided([rule("deny", "/**")], { folder: "/a[b]*" })).toEqual(["allow", "deny"]);
    const rules = new PermissionRules(withReadableOffloads([rule("deny", "/**")], [{ folder: "/a*" }], {}));
    expect(rules.decide("read", "/ab/secret")).toBe("deny");
  });

  it("adds nothing where reading is free", () => {
    const rules = [rule("deny", "/**", "write")];
    expect(withReadableOffloads(rules, [RESULTS], {})).toBe(rules);
    expect(withReadableOffloads([], [RESULTS], {})).toEqual([]);
  });
});
