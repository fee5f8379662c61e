import { expect, it } from "vitest";
import { reportedExitCode } from "./sealed-command.js";

it.each([
  ["mark:0\n", 0],
  ["bash: line 18: 123 Killed\nmark:137\n", 137],
  ["mark:1\nWARNING: of docker\nmark:2\n", 2],
  ["Error response from daemon: no such container", undefined],
  ["mark:", undefined],
  ["", undefined],
])("reads the exit code out of %j", (errorOutput, expected) => {
  expect(reportedExitCode("mark", errorOutput)).toBe(expected);
});
