import { describe, expect, it } from "vitest";
import { nameOf } from "./open-for-reading.js";

describe("the name of a place in reports and messages", () => {
  it.each([
    [{ backend: "sqlite", path: "/data/deerflow.db" }, "/data/deerflow.db"],
    [{ backend: "langgraph-sqlite", path: "/data/checkpoints.sqlite" }, "/data/checkpoints.sqlite"],
    [{ backend: "postgres", url: "postgres://me:secret@db:5433/app" }, "postgres://me@db:5433/app"],
    [
      { backend: "langgraph-postgres", url: "postgres://me:secret@db/app", schema: "agent" },
      "postgres://me@db:5432/app (schema agent)",
    ],
    [{ backend: "mysql", url: "mysql://me:secret@db/app" }, "mysql://me@db:3306/app"],
  ] as const)("has no password (%j)", (from, name) => {
    expect(nameOf(from)).toBe(name);
  });
});
