import { expect, it } from "vitest";
import { DeerflowError } from "../../base/errors.js";
import { passingOf } from "./passing-failure.js";

const failure = (code: string) => Object.assign(new Error("no"), { code });
const working = { committing: false, elapsed: 0 };

it.each([
  ["SQLITE_CONSTRAINT_PRIMARYKEY", "key_taken"],
  ["SQLITE_CONSTRAINT_NOTNULL", undefined],
  ["23505", "key_taken"],
  ["40P01", "deadlock"],
  ["23502", undefined],
  ["ER_DUP_ENTRY", "key_taken"],
  ["ER_LOCK_DEADLOCK", "deadlock"],
  ["ER_NO_SUCH_TABLE", undefined],
])("knows what %s says, also below an error of ours", (code, expected) => {
  expect(passingOf(failure(code), working)).toBe(expected);
  expect(passingOf(new DeerflowError("internal", {}, failure(code)), working)).toBe(expected);
});

it("runs a transaction again when the connection broke, but not when it may be committed", () => {
  const broken = new DeerflowError("database_unreachable", {}, failure("ECONNRESET"));
  expect(passingOf(broken, working)).toBe("broken");
  expect(passingOf(broken, { ...working, committing: true })).toBeUndefined();
  expect(passingOf(broken, { ...working, elapsed: 10_001 })).toBeUndefined();
});

it("takes nothing else for a failure that passes", () => {
  expect(passingOf("23505", working)).toBeUndefined();
  expect(passingOf(undefined, working)).toBeUndefined();
  expect(passingOf(new DeerflowError("database_busy"), working)).toBeUndefined();
  expect(passingOf(new DeerflowError("thread_id_taken"), working)).toBeUndefined();
});
