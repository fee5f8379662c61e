/** Which scripts of a file a command runs. */
import { describe, expect, it } from "vitest";
import { recipesOf, scriptsRunBy } from "./script-files.js";
import { plain } from "./values.js";

const MAKEFILE = "all: a b\na:\n\tone\nb: c\nc:\n\ttwo\ninstall: ; three\nx-%:\n\tfour\n";
const run = (text: string, ...targets: string[]) => recipesOf(plain(text), targets).map((each) => each.text);

describe("recipesOf", () => {
  it("gives the recipes of the first target and of what it needs", () => {
    expect(run(MAKEFILE)).toEqual(expect.arrayContaining(["one", "two"]));
    expect(run(MAKEFILE)).not.toContain("three");
  });

  it("gives those of the named targets, and of patterns that may be meant", () => {
    expect(run(MAKEFILE, "install", "V=1")).toContain("three");
    expect(run(MAKEFILE, "install")).not.toContain("one");
    expect(run(MAKEFILE, "x-y")).toContain("four");
  });

  it("gives all where others may be meant", () => {
    expect(run(`${MAKEFILE}include x.mk\n`)).toContain("three");
    expect(run("all:\n\t$(MAKE) z\nz:\n\tfive\n")).toContain("five");
  });
});

describe("scriptsRunBy", () => {
  it.each([
    [["test"], "test", true],
    [["t"], "pretest", true],
    [["run", "build"], "postbuild", true],
    [["run", "build"], "deploy", false],
    [["ci"], "postinstall", true],
    [[], "install", true],
    [["test"], "postinstall", false],
    [["run", "\0"], "deploy", true],
  ])("says for %j and %s: %s", (words, script, isRun) => {
    expect(scriptsRunBy(words)(script)).toBe(isRun);
  });
});
