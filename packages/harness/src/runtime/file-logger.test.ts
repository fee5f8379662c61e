import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { fileLogger } from "./file-logger.js";

it("keeps a line per entry in a file that only its owner can read", () => {
  const base = mkdtempSync(join(tmpdir(), "deerflow-log-"));
  const path = join(base, "logs/audit.log");
  const logger = fileLogger(path, "info");
  logger.info("first");
  logger.info("second");
  expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(2);
  expect([statSync(path), statSync(dirname(path))].map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700]);
  rmSync(base, { recursive: true });
});
