import { describe, expect, it } from "vitest";
import { DeerflowError } from "../../base/errors.js";
import { postgresPassingOf, translatePostgresError } from "./postgres-errors.js";

const NAME = "postgres://me@db:5432/deer";
const driverError = (details: object, message = "as the server put it") =>
  Object.assign(new Error(message), details);
const translated = (details: object, message?: string) =>
  translatePostgresError(driverError(details, message), NAME, 4.4);

describe("errors of the PostgreSQL driver", () => {
  it.each([
    ["40P01", "database_busy", "deadlock"],
    ["40001", "database_busy", "deadlock"],
    ["55P03", "database_busy", "lock_wait"],
    ["ECONNREFUSED", "database_unreachable", "broken"],
    ["57P01", "database_unreachable", "broken"],
    ["57P03", "database_unreachable", "broken"],
    ["25P03", "database_unreachable", "broken"],
    ["53300", "database_unreachable", "broken"],
    ["26000", "database_unreachable", "broken"],
    ["ENOTFOUND", "database_unreachable", undefined],
    ["57014", "database_unreachable", undefined],
    ["CERT_HAS_EXPIRED", "database_unreachable", undefined],
    ["28P01", "database_login_failed", undefined],
    ["28000", "database_login_failed", undefined],
    ["3D000", "database_login_failed", undefined],
    ["42501", "database_forbidden", undefined],
    ["53100", "database_full", undefined],
    ["25006", "database_read_only", undefined],
    ["XX001", "database_damaged", undefined],
  ])("%s becomes %s, and passes as %s", (code, ours, passing) => {
    const error = translated({ code });
    expect(error).toMatchObject({ code: ours, details: { path: NAME, reason: "as the server put it" } });
    expect(postgresPassingOf(error)).toBe(passing);
  });

  it.each([
    ["Connection terminated unexpectedly", "database_unreachable", "broken"],
    ["Client has encountered a connection error and is not queryable", "database_unreachable", "broken"],
    ["timeout expired", "database_unreachable", "broken"],
    ["Query read timeout", "database_unreachable", "broken"],
    ["cached plan must not change result type", "database_unreachable", "broken"],
    ["The server does not support SSL connections", "database_unreachable", undefined],
    [
      "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string",
      "database_login_failed",
      undefined,
    ],
  ])("are known by what the driver says where they have no code: %s", (message, ours, passing) => {
    const error = translated({}, message);
    expect(error).toMatchObject({ code: ours });
    expect(postgresPassingOf(error)).toBe(passing);
  });

  it("say the code where there is no text, and for how long it was tried", () => {
    expect(translated({ code: "ECONNREFUSED" }, "")).toMatchObject({ details: { reason: "ECONNREFUSED" } });
    expect(translated({ code: "55P03" })).toMatchObject({ details: { seconds: 4 } });
  });

  it("stay as they are where only a program can cause them, or where they are ours already", () => {
    const taken = driverError({ code: "23505" });
    expect(translatePostgresError(taken, NAME)).toBe(taken);
    const ours = new DeerflowError("run_superseded", { runId: "r" });
    expect(translatePostgresError(ours, NAME)).toBe(ours);
    expect(translatePostgresError("text", NAME)).toBe("text");
  });

  it("pass only where they came from the database: work may throw errors with the same codes", () => {
    expect(postgresPassingOf(driverError({ code: "ECONNREFUSED" }))).toBeUndefined();
    expect(postgresPassingOf(new DeerflowError("database_unreachable", {}))).toBeUndefined();
  });
});
