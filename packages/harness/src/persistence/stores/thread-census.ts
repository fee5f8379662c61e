/** Which threads a database holds, of every tenant and user: for those who take care of the database, never for a client. */
import type { Principal } from "../../context/principal.js";
import type { SqlDatabase, SqlRow } from "../sql/contract.js";

export interface CountedThread {
  readonly principal: Principal;
  readonly threadId: string;
}

/** Rows of one question. */
const PAGE = 1000;

const COLUMNS = "t.tenant_id AS tenant, t.user_id AS owner, t.thread_id AS thread";
const UNFINISHED = `EXISTS (SELECT 1 FROM runs r WHERE r.tenant_id = t.tenant_id AND r.thread_id = t.thread_id
  AND r.status IN ('pending', 'running'))`;

/** By tenant and id. */
export async function* everyThread(database: SqlDatabase): AsyncGenerator<CountedThread> {
  for (let after = ["", ""]; ; ) {
    const [tenant = "", thread = ""] = after;
    const rows = await database.read((session) =>
      session.all(
        `SELECT ${COLUMNS} FROM threads t WHERE t.tenant_id > ? OR (t.tenant_id = ? AND t.thread_id > ?)
          ORDER BY t.tenant_id, t.thread_id LIMIT ${PAGE}`,
        [tenant, tenant, thread],
      ),
    );
    const page = rows.map(toThread);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = [last.principal.tenantId, last.threadId];
  }
}

/** Threads with a run that is not over, and those that were changed at this time or later, in milliseconds since 1970. */
export async function threadsInUse(
  database: SqlDatabase,
  changedSince: number,
): Promise<readonly CountedThread[]> {
  const rows = await database.read((session) =>
    session.all(`SELECT ${COLUMNS} FROM threads t WHERE t.updated_at >= ? OR ${UNFINISHED}`, [changedSince]),
  );
  return rows.map(toThread);
}

/** Whether a run of the thread is not over, whoever's it is. */
export async function isInUse(
  database: SqlDatabase,
  { tenantId, threadId }: { readonly tenantId: string; readonly threadId: string },
): Promise<boolean> {
  const rows = await database.read((session) =>
    session.all(
      `SELECT 1 AS found FROM runs WHERE tenant_id = ? AND thread_id = ? AND status IN ('pending', 'running') LIMIT 1`,
      [tenantId, threadId],
    ),
  );
  return rows.length > 0;
}

const toThread = ({ tenant, owner, thread }: SqlRow): CountedThread => ({
  principal: { tenantId: String(tenant), userId: String(owner) },
  threadId: String(thread),
});
