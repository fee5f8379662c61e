import { describe, expect, it } from "vitest";
import { maskPaths, PathMask } from "./path-mask.js";

const REPLACEMENTS = [
  { from: "/home/d", to: "/mnt" },
  { from: "/home/d/ws", to: "/mnt/user-data/workspace" },
];

describe("the path mask", () => {
  it("replaces the longest path first", () => {
    expect(maskPaths(REPLACEMENTS, "a /home/d/ws/x and /home/d/y")).toBe(
      "a /mnt/user-data/workspace/x and /mnt/y",
    );
  });

  it("sees a path that comes one character at a time", () => {
    const mask = new PathMask([{ from: "/home/d/ws", to: "W" }]);
    const pieces = [...">/home/d/ws<"].map((character) => mask.add(character));
    expect(pieces.join("") + mask.end()).toBe(">W<");
  });

  it("holds nothing back that cannot become a path", () => {
    const mask = new PathMask([{ from: "/home/d/ws", to: "W" }]);
    expect(mask.add("ready\n")).toBe("ready\n");
    expect(mask.add("/ho")).toBe("");
    expect(mask.end()).toBe("/ho");
  });
});
