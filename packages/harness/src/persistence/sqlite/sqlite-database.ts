/** One SQLite connection as a database of the stores. */
import { statSync } from "node:fs";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import { sequentialSession } from "../sql/sequential-session.js";
import { IN_MEMORY, type SqliteConnection } from "./sqlite-connection.js";
import { sqliteDialect } from "./sqlite-dialect.js";

const sessionOf = (connection: SqliteConnection): SqlSession => ({
  all: async (sql, parameters) => connection.all(sql, parameters),
  run: async (sql, parameters) => connection.run(sql, parameters).changes,
});

/** Bytes of a file and of its write-ahead log. */
const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** @param connection - closed together with the database */
export function sqliteDatabase(connection: SqliteConnection): SqlDatabase {
  const session = sessionOf(connection);
  return {
    backend: "sqlite",
    name: connection.path,
    dialect: sqliteDialect(connection),
    read: (work) => connection.read(() => work(session)),
    write: (work) => connection.write(() => work(sequentialSession(session))),
    async size() {
      if (connection.path !== IN_MEMORY) return bytesOf(connection.path);
      const pragma = (name: string) => Number(connection.first(`PRAGMA ${name}`)?.[name]);
      return pragma("page_count") * pragma("page_size");
    },
    compact: () => connection.compact(),
    close: () => connection.close(),
  };
}
