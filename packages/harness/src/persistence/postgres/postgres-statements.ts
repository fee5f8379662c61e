/** Statements in PostgreSQL's spelling; what comes often gets a name, because what has one is planned once. */

export interface PostgresStatement {
  readonly text: string;
  /** Under which connections keep it prepared; undefined for one that is sent whole each time. */
  readonly name: string | undefined;
}

/** Names in all: each connection keeps every one that it meets, with its plan. */
const NAMES = 256;
/** Statements that are watched for coming again; beyond it the one that rested longest is forgotten. */
const WATCHED = 512;
/** Longer ones hold many rows, and are rarely the same twice. */
const LONGEST_KEPT = 4_096;

/** Literals, quoted names and comments, which may hold a question mark, and the question marks. */
const PLACEHOLDERS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|\?/g;

/** Turns every `?` into `$1`, `$2`, … */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replaceAll(PLACEHOLDERS, (found) => {
    if (found !== "?") return found;
    count += 1;
    return `$${count}`;
  });
}

/** The statements of one database, whichever connection runs them. */
export class PostgresStatements {
  readonly #named = new Map<string, PostgresStatement>();
  readonly #watched = new Map<string, PostgresStatement>();

  /**
   * @param sql - with `?` for each parameter, or, where `isNative`, with `$1`, `$2`, …
   */
  statementOf(sql: string, isNative: boolean): PostgresStatement {
    const named = this.#named.get(sql);
    if (named !== undefined) return named;
    const watched = this.#watched.get(sql);
    if (watched !== undefined) return this.#nameOrWatch(sql, watched);
    const statement = { text: isNative ? sql : numberPlaceholders(sql), name: undefined };
    if (sql.length <= LONGEST_KEPT) this.#watch(sql, statement);
    return statement;
  }

  #watch(sql: string, statement: PostgresStatement): void {
    this.#watched.set(sql, statement);
    if (this.#watched.size <= WATCHED) return;
    const [oldest] = this.#watched.keys();
    if (oldest !== undefined) this.#watched.delete(oldest);
  }

  /** It came a second time: named while there are names, and watched on otherwise. */
  #nameOrWatch(sql: string, watched: PostgresStatement): PostgresStatement {
    this.#watched.delete(sql);
    if (this.#named.size >= NAMES) {
      this.#watch(sql, watched);
      return watched;
    }
    const statement = { text: watched.text, name: `deerflow_${this.#named.size + 1}` };
    this.#named.set(sql, statement);
    return statement;
  }
}
