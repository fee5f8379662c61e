import { describe, expect, it } from "vitest";
import { wayTest } from "./way-test.js";

describe("a test of names and of the folders on the way to them", () => {
  it("is true of a name only when every folder above it is open too", () => {
    const shows = wayTest((name) => name !== "a/hidden" && !name.endsWith("secret"));
    const names = ["a", "a/b.txt", "a/hidden", "a/hidden/x", "a/hidden/y/z", "a/open/x", "b/secret", "top"];
    expect(names.filter(shows)).toEqual(["a", "a/b.txt", "a/open/x", "top"]);
    // In any order: what is known of one folder is not taken for another's.
    expect(names.toReversed().filter(shows)).toEqual(["top", "a/open/x", "a/b.txt", "a"]);
  });

  it("asks about the folders once for names that follow one another", () => {
    const asked: string[] = [];
    const shows = wayTest((name) => asked.push(name) > 0);
    for (const name of ["a/b/1", "a/b/2", "a/b/3"]) shows(name);
    expect(asked).toEqual(["a", "a/b", "a/b/1", "a/b/2", "a/b/3"]);
  });
});
