import { expect, it } from "vitest";
import { launchOf, type Wrapper } from "./launch.js";

const around =
  (file: string): Wrapper =>
  (inner) => ({ ...inner, file, arguments: ["-x", inner.file, ...inner.arguments] });

it("puts the first wrapper outermost", () => {
  const program = { file: "bwrap", arguments: ["--", "true"], feeds: [] };
  expect(launchOf(program, [around("group"), around("network")])).toEqual({
    file: "group",
    arguments: ["-x", "network", "-x", "bwrap", "--", "true"],
    feeds: [],
  });
  expect(launchOf(program, [])).toBe(program);
});
