/** Lets the statements of a transaction wait for each other where a failure does not end it. */
import type { SqlSession } from "./contract.js";

/**
 * Statements that are given at once run one after the other; after one that failed none is sent. MySQL undoes a
 * transaction by itself after a deadlock, and SQLite where the disk is full: what came behind would be no part of it.
 */
export function sequentialSession(session: SqlSession): SqlSession {
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(send: () => Promise<T>): Promise<T> => {
    const result = last.then(send);
    last = result;
    return result;
  };
  return {
    all: (sql, parameters) => next(() => session.all(sql, parameters)),
    run: (sql, parameters) => next(() => session.run(sql, parameters)),
  };
}
