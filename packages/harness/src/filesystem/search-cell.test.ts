import { expect, it } from "vitest";
import { searchCellArguments } from "./search-cell.js";

it("shows a search the program and the folder, and starts it where it is to look", () => {
  const line = searchCellArguments({ hostPath: "/home/it", below: ["a b", "c"] }, "/opt/rg", ["--", "."]);
  const shown = line.flatMap((word, index) =>
    /^--(?:ro-)?bind/.test(word) ? [line.slice(index, index + 3).join(" ")] : [],
  );
  expect(shown).toEqual(["--ro-bind /opt/rg /search", "--ro-bind /home/it /tree"]);
  expect(line.slice(line.indexOf("--chdir"))).toEqual(["--chdir", "/tree/a b/c", "--", "/search", "--", "."]);
  const root = searchCellArguments({ hostPath: "/home/it", below: [] }, "/opt/rg", []);
  expect(root.slice(root.indexOf("--chdir"))).toEqual(["--chdir", "/tree", "--", "/search"]);
});
