import { describe, expect, it } from "vitest";
import { numberPlaceholders, PostgresStatements } from "./postgres-statements.js";

describe("statements for PostgreSQL", () => {
  it.each([
    ["SELECT ?, ?", "SELECT $1, $2"],
    ["SELECT '?', 'it''s ?', ?", "SELECT '?', 'it''s ?', $1"],
    ['SELECT "who?" FROM t WHERE a = ?', 'SELECT "who?" FROM t WHERE a = $1'],
    ["SELECT ? -- why?\n, ?", "SELECT $1 -- why?\n, $2"],
    ["SELECT /* what? */ ?", "SELECT /* what? */ $1"],
    ["SELECT 1", "SELECT 1"],
  ])("number their parameters: %s", (sql, expected) => {
    expect(numberPlaceholders(sql)).toBe(expected);
  });

  it("get a name when they come again, and keep it", () => {
    const statements = new PostgresStatements();
    expect(statements.statementOf("SELECT ?", false)).toEqual({ text: "SELECT $1", name: undefined });
    expect(statements.statementOf("SELECT ?", false)).toEqual({ text: "SELECT $1", name: "deerflow_1" });
    expect(statements.statementOf("SELECT ?", false)).toEqual({ text: "SELECT $1", name: "deerflow_1" });
    expect(statements.statementOf("SELECT $1 + 1", true)).toEqual({ text: "SELECT $1 + 1", name: undefined });
    expect(statements.statementOf("SELECT $1 + 1", true).name).toBe("deerflow_2");
  });

  it("have as many names as connections can keep, each for one of them", () => {
    const statements = new PostgresStatements();
    const namesOf = (count: number) =>
      Array.from({ length: count }, (_, number) => {
        statements.statementOf(`SELECT ${number}, ?`, false);
        return statements.statementOf(`SELECT ${number}, ?`, false).name;
      });
    const names = namesOf(1_000).filter((name) => name !== undefined);
    expect(names).toHaveLength(256);
    expect(new Set(names).size).toBe(256);
    expect(namesOf(256)).toEqual(names);
  });

  it("get no name when they are long: they hold many rows, and are rarely the same twice", () => {
    const statements = new PostgresStatements();
    const sql = `INSERT INTO t VALUES ${Array.from({ length: 1_000 }, () => "(?, ?)").join(", ")}`;
    statements.statementOf(sql, false);
    expect(statements.statementOf(sql, false).name).toBeUndefined();
    expect(statements.statementOf(sql, false).text).toContain("$2000)");
  });
});
