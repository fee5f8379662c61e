import { describe, expect, it } from "vitest";
import { DeerflowError } from "../../base/errors.js";
import { mysqlPassingOf, translateMysqlError } from "./mysql-errors.js";

const NAME = "mysql://me@db:3306/deer";
const driverError = (details: object, message = "as the server put it") =>
  Object.assign(new Error(message), details);
const translated = (details: object, message?: string) =>
  translateMysqlError(driverError(details, message), NAME, 4.4);

describe("errors of the MySQL driver", () => {
  it.each([
    ["ER_LOCK_DEADLOCK", "database_busy", "deadlock"],
    ["ER_LOCK_WAIT_TIMEOUT", "database_busy", "lock_wait"],
    ["ECONNREFUSED", "database_unreachable", "broken"],
    ["PROTOCOL_CONNECTION_LOST", "database_unreachable", "broken"],
    ["ETIMEDOUT", "database_unreachable", "broken"],
    ["ER_CON_COUNT_ERROR", "database_unreachable", "broken"],
    ["ENOTFOUND", "database_unreachable", undefined],
    ["ER_ACCESS_DENIED_ERROR", "database_login_failed", undefined],
    ["ER_BAD_DB_ERROR", "database_login_failed", undefined],
    ["ER_DBACCESS_DENIED_ERROR", "database_login_failed", undefined],
    ["HANDSHAKE_NO_SSL_SUPPORT", "database_unreachable", undefined],
    ["ER_TABLEACCESS_DENIED_ERROR", "database_forbidden", undefined],
    ["ER_RECORD_FILE_FULL", "database_full", undefined],
    ["ER_DISK_FULL", "database_full", undefined],
    ["ER_OPTION_PREVENTS_STATEMENT", "database_read_only", undefined],
    ["ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION", "database_read_only", undefined],
    ["ER_READ_ONLY_MODE", "database_read_only", undefined],
  ])("%s becomes %s, and passes as %s", (code, ours, passing) => {
    const error = translated({ code, sqlState: "HY000" });
    expect(error).toMatchObject({ code: ours, details: { path: NAME, reason: "as the server put it" } });
    expect(mysqlPassingOf(error)).toBe(passing);
  });

  it("knows a connection that ended without a code, and one that MariaDB killed", () => {
    for (const details of [{ fatal: true }, { errno: 1927, sqlState: "70100" }]) {
      const error = translated(details);
      expect(error).toMatchObject({ code: "database_unreachable" });
      expect(mysqlPassingOf(error)).toBe("broken");
    }
  });

  it.each([
    'Got error 28 "No space left on device" from storage engine InnoDB',
    'Error writing file (errno: 28 "No space left on device")',
  ])("knows a full disk by its number: %s", (message) => {
    expect(translated({ code: "ER_GET_ERRNO", sqlState: "HY000" }, message)).toMatchObject({
      code: "database_full",
    });
  });

  it("says the code where there is no text, and for how long it was tried", () => {
    expect(translated({ code: "ECONNREFUSED" }, "")).toMatchObject({ details: { reason: "ECONNREFUSED" } });
    expect(translated({ code: "ER_LOCK_WAIT_TIMEOUT" })).toMatchObject({ details: { seconds: 4 } });
  });

  it("says what is wrong with a value", () => {
    expect(translated({ code: "ER_DATA_TOO_LONG", sqlState: "22001" })).toMatchObject({
      code: "database_value_invalid",
      details: { type: "text or bytes too long for its column" },
    });
  });

  it("leaves what only a program can cause, and what is ours already", () => {
    const duplicate = driverError({ code: "ER_DUP_ENTRY", sqlState: "23000" });
    expect(translateMysqlError(duplicate, NAME)).toBe(duplicate);
    const ours = new DeerflowError("thread_missing", { threadId: "a" });
    expect(translateMysqlError(ours, NAME)).toBe(ours);
  });

  it("does not take an error of the work for one of the database", () => {
    expect(mysqlPassingOf(driverError({ code: "ECONNRESET" }))).toBeUndefined();
  });
});
