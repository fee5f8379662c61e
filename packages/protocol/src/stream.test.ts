import { describe, expect, it } from "vitest";
import { artifactUrl } from "./files.js";
import { splitEventName } from "./stream.js";

describe("splitEventName", () => {
  it.each([
    ["values", { name: "values", namespace: [] }],
    ["messages/partial", { name: "messages/partial", namespace: [] }],
    ["updates|tools:7|model:8", { name: "updates", namespace: ["tools:7", "model:8"] }],
  ])("takes %s apart", (event, parts) => {
    expect(splitEventName(event)).toEqual(parts);
  });
});

describe("artifactUrl", () => {
  it("keeps the slashes of a path and escapes the rest", () => {
    expect(artifactUrl("t1", "/mnt/user-data/outputs/a b#1.md")).toBe(
      "/api/threads/t1/artifacts/mnt/user-data/outputs/a%20b%231.md",
    );
  });
});
