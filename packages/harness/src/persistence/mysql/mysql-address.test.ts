import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseMysqlAddress } from "./mysql-address.js";

describe("the address of a MySQL database", () => {
  it("is taken apart, and named without its password", () => {
    expect(parseMysqlAddress("mysql://me:s%40cret@db.example:3307/deer")).toEqual({
      host: "db.example",
      port: 3307,
      socketPath: undefined,
      user: "me",
      password: "s@cret",
      database: "deer",
      tls: undefined,
      name: "mysql://me@db.example:3307/deer",
    });
  });

  it("may leave out user, password and port, and name an IPv6 host", () => {
    expect(parseMysqlAddress("mariadb://[::1]/deer")).toMatchObject({
      host: "::1",
      port: 3306,
      user: "",
      password: "",
      name: "mysql://[::1]:3306/deer",
    });
  });

  it("may name a socket", () => {
    const address = parseMysqlAddress("mysql://me@localhost/deer?socket=/run/mysqld/mysqld.sock");
    expect(address).toMatchObject({
      socketPath: "/run/mysqld/mysqld.sock",
      name: "mysql://me@/run/mysqld/mysqld.sock/deer",
    });
  });

  it.each([
    ["ssl-mode=REQUIRED", { rejectUnauthorized: false, verifyIdentity: false }],
    ["ssl-mode=VERIFY_CA", { rejectUnauthorized: true, verifyIdentity: false }],
    ["ssl-mode=verify-identity", { rejectUnauthorized: true, verifyIdentity: true }],
    ["ssl=true", { rejectUnauthorized: true, verifyIdentity: true }],
    ["ssl=false", undefined],
    ["charset=utf8mb4", undefined],
  ])("says how it is encrypted: %s", (parameter, tls) => {
    expect(parseMysqlAddress(`mysql://me@host/deer?${parameter}`).tls).toEqual(tls);
  });

  it("reads the files that it names for encryption; an authority is there to be checked", () => {
    const file = fileURLToPath(import.meta.url);
    const { tls } = parseMysqlAddress(`mysql://me@host/deer?ssl-ca=${file}&ssl-key=${file}`);
    const text = readFileSync(file, "utf8");
    expect(tls).toEqual({ rejectUnauthorized: true, verifyIdentity: false, ca: text, key: text });
  });

  it.each([
    ["me:se-cret@host/deer", "it does not begin with mysql://"],
    ["mysql//me:se-cret@host/deer", "it is not a URL"],
    ["postgres://me:se-cret@host/deer", "it does not begin with mysql://"],
    ["mysql://me:se-cret@host", "it names no database"],
    ["mysql://me:se-cret%@host/deer", "a % in it is not followed by two hexadecimal digits"],
    [
      "mysql://me:se-cret@host/deer?multipleStatements=true",
      "it has an unknown parameter, multipleStatements",
    ],
    ["mysql://me:se-cret@host/deer?ssl=maybe", /^ssl-mode is one of/],
    ["mysql://me:se-cret@host/deer?ssl-ca=/nowhere", /^its ssl-ca cannot be read: ENOENT/],
  ])("is refused without being shown: %s", (text, reason) => {
    let thrown: unknown;
    try {
      parseMysqlAddress(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: "database_address_invalid",
      details: { reason: expect.stringMatching(reason) },
    });
    expect(String(thrown)).not.toContain("se-cret");
    expect((thrown as Error).cause).toBeUndefined();
  });
});
