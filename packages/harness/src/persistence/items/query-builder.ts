/** Kysely without a connection: its queries are compiled here, and run by whoever holds a turn of the database. */
import {
  type Compilable,
  type Dialect,
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { AppSchema } from "../schema.js";
import type { SqlBackend, SqlRow, SqlSession, SqlValue } from "../sql/contract.js";

/** Turns name every parameter alike; this is the one compiler that would number them. */
class UnnumberedPostgresCompiler extends PostgresQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "?";
  }
}

const DIALECTS: Readonly<Record<SqlBackend, Dialect>> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new UnnumberedPostgresCompiler(),
  },
  mysql: {
    createAdapter: () => new MysqlAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new MysqlIntrospector(database),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  },
};

/** So that a turn that must be run again, after a deadlock or on a new connection, can be. */
export const queryBuilder = (backend: SqlBackend): Kysely<AppSchema> =>
  new Kysely<AppSchema>({ dialect: DIALECTS[backend] });

/** Runs a query to its end and returns its rows. */
export function rowsOf(session: SqlSession, query: Compilable): Promise<SqlRow[]> {
  const { sql, parameters } = query.compile();
  // Kysely does not know the types of values; the database checks each before it is bound.
  return session.all(sql, parameters as readonly SqlValue[]);
}

/** Runs a query that returns no rows. @returns how many rows it changed */
export function runQuery(session: SqlSession, query: Compilable): Promise<number> {
  const { sql, parameters } = query.compile();
  // As above.
  return session.run(sql, parameters as readonly SqlValue[]);
}
