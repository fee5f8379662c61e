import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePostgresAddress, requireSchemaName } from "./postgres-address.js";

describe("the address of a PostgreSQL database", () => {
  it("is taken apart, and named without its password", () => {
    expect(parsePostgresAddress("postgres://me:s%40cret@db.example:5433/deer")).toEqual({
      host: "db.example",
      port: 5433,
      user: "me",
      password: "s@cret",
      database: "deer",
      tls: undefined,
      channelBinding: false,
      applicationName: "deerflow",
      name: "postgres://me@db.example:5433/deer",
    });
  });

  it("may leave out user, password, port and database, and name an IPv6 host", () => {
    expect(parsePostgresAddress("postgresql://[::1]")).toMatchObject({
      host: "::1",
      port: 5432,
      user: undefined,
      password: undefined,
      database: undefined,
      name: "postgres://[::1]:5432",
    });
  });

  it("may name the folder of a socket", () => {
    const address = parsePostgresAddress("postgres://me@localhost/deer?host=/var/run/postgresql&port=5433");
    expect(address).toMatchObject({
      host: "/var/run/postgresql",
      port: 5433,
      name: "postgres://me@/var/run/postgresql:5433/deer",
    });
  });

  it.each([
    ["sslmode=require", { rejectUnauthorized: false, verifyIdentity: false }],
    ["sslmode=no-verify", { rejectUnauthorized: false, verifyIdentity: false }],
    ["sslmode=verify-ca", { rejectUnauthorized: true, verifyIdentity: false }],
    ["sslmode=verify-full", { rejectUnauthorized: true, verifyIdentity: true }],
    ["ssl=true", { rejectUnauthorized: true, verifyIdentity: true }],
    ["sslmode=disable", undefined],
    ["application_name=here", undefined],
  ])("says how it is encrypted: %s", (parameter, tls) => {
    expect(parsePostgresAddress(`postgres://me@host/deer?${parameter}`).tls).toEqual(tls);
  });

  it("checks the certificate against a named authority", () => {
    const folder = mkdtempSync(join(tmpdir(), "deerflow-authority-"));
    const file = join(folder, "ca.pem");
    writeFileSync(file, "the authority");
    try {
      const address = parsePostgresAddress(`postgres://me@host/deer?sslmode=require&sslrootcert=${file}`);
      expect(address.tls).toEqual({ rejectUnauthorized: true, verifyIdentity: false, ca: "the authority" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ["me:se-cret@host/deer", "it does not begin with postgres://"],
    ["postgres//me:se-cret@host/deer", "it is not a URL"],
    ["mysql://me:se-cret@host/deer", "it does not begin with postgres://"],
    ["postgres://me:se-cret%@host/deer", "a % in it is not followed by two hexadecimal digits"],
    ["postgres://me:se-cret@host/deer?ssl-mode=require", "it has an unknown parameter, ssl-mode"],
    ["postgres://me:se-cret@host/deer?sslmode=prefer", /^sslmode is one of/],
    ["postgres://me:se-cret@localhost/deer?host=/run&port=none", "its port is not a number up to 65535"],
    ["postgres://me:se-cret@host/deer?sslrootcert=/nowhere/ca.pem", /^its sslrootcert cannot be read/],
  ])("is refused without being shown: %s", (text, reason) => {
    let thrown: unknown;
    try {
      parsePostgresAddress(text);
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

describe("the name of a schema", () => {
  it("may be whatever a quoted name may be", () => {
    for (const name of ["public", 'with "quotes"', "🦌".repeat(15)])
      expect(requireSchemaName(name)).toBe(name);
  });

  it.each([[""], ["a\0b"], ["pg_temp"], ["a".repeat(64)], ["🦌".repeat(16)]])("is not %j", (name) => {
    expect(() => requireSchemaName(name)).toThrow(
      expect.objectContaining({ code: "database_address_invalid" }),
    );
  });
});
