import { describe, expect, it } from "vitest";
import { artifactPath } from "./artifacts.js";

describe("artifactPath", () => {
  it("decodes what lies under the user's data", () => {
    expect(artifactPath("/mnt/user-data/outputs/a%20b%231.md")).toBe("/mnt/user-data/outputs/a b#1.md");
  });

  it.each([
    "/etc/passwd",
    "/mnt/user-data",
    "/mnt/user-data/",
    "/mnt/user-data/../../etc/passwd",
    "/mnt/user-data/%2e%2e/x",
    "/mnt/user-data/a%2Fb",
    "/mnt/user-data/a%5Cb",
    "/mnt/user-data/a%00",
    "/mnt/user-data//a",
    "/mnt/user-data/%E0%A4%A",
    "",
  ])("knows no file at %j", (encoded) => {
    expect(artifactPath(encoded)).toBeUndefined();
  });
});
