import { array, assert, constantFrom, nat, property } from "fast-check";
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

  it("does not look at what it has put in", () => {
    const swapped = [
      { from: "/a/b", to: "/c/d" },
      { from: "/c/d", to: "/e" },
    ];
    expect(maskPaths(swapped, "/a/b /c/d")).toBe("/c/d /e");
  });

  it.each(["/home/d/ws2", "/home/d/ws-old/x", "/home/d/ws_", "/home/d/ws.bak", "/home/d/wsü"])(
    "takes %s for a neighbour of a path, not for the path",
    (path) => {
      expect(maskPaths(REPLACEMENTS, path)).toBe(path.replace("/home/d", "/mnt"));
    },
  );

  it.each(["", "/", " ", ":", "'", ".", "...", ".\n", ",", "\n", "\u0000"])(
    "knows a path before %j",
    (after) => {
      expect(maskPaths(REPLACEMENTS, `/home/d/ws${after}`)).toBe(`/mnt/user-data/workspace${after}`);
    },
  );

  it("knows a path behind the letters of an option", () => {
    expect(maskPaths(REPLACEMENTS, "-I/home/d/ws/include")).toBe("-I/mnt/user-data/workspace/include");
  });

  it("sees a path that comes one character at a time, and where its name ends", () => {
    const mask = new PathMask([{ from: "/home/d/ws", to: "W" }]);
    const text = ">/home/d/ws< /home/d/ws.txt /home/d/ws. /home/d/ws2";
    const pieces = [...text].map((character) => mask.add(character));
    expect(pieces.join("") + mask.end()).toBe(">W< /home/d/ws.txt W. /home/d/ws2");
  });

  it("holds nothing back that cannot become a path", () => {
    const mask = new PathMask([{ from: "/home/d/ws", to: "W" }]);
    expect(mask.add("ready\n")).toBe("ready\n");
    expect(mask.add("/ho")).toBe("");
    expect(mask.end()).toBe("/ho");
  });

  it("shows the same however the output is torn", () => {
    const piece = constantFrom("/home/d", "/ws", "/home", "x", ".", "-", " ", "/", "/home/d/ws");
    assert(
      property(array(piece, { maxLength: 10 }), nat(40), nat(40), (parts, first, second) => {
        const text = parts.join("");
        const mask = new PathMask(REPLACEMENTS);
        const [a = 0, b = 0] = [first, second].toSorted((left, right) => left - right);
        const shown =
          mask.add(text.slice(0, a)) + mask.add(text.slice(a, b)) + mask.add(text.slice(b)) + mask.end();
        expect(shown).toBe(maskPaths(REPLACEMENTS, text));
      }),
    );
  });
});
