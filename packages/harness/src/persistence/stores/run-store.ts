/** Runs in any database that Kysely speaks. */
import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../../base/clock.js";
import type { Principal } from "../../context/principal.js";
import type { NewRun, RunOutcome, RunRecord, RunStore } from "../contract.js";
import type { AppSchema, RunTable } from "../schema.js";
import { objectFromJsonText, toJsonText } from "./json-text.js";

const UNFINISHED = ["pending", "running"] as const;

const toRun = (row: Omit<Selectable<RunTable>, "position">): RunRecord => ({
  runId: row.run_id,
  threadId: row.thread_id,
  assistantId: row.assistant_id,
  status: row.status,
  multitaskStrategy: row.multitask_strategy,
  onDisconnect: row.on_disconnect,
  request: objectFromJsonText(row.request),
  metadata: objectFromJsonText(row.metadata),
  owner: row.owner,
  epoch: row.epoch,
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.stop_reason === null ? {} : { stopReason: row.stop_reason }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const outcomeColumns = (outcome: RunOutcome, now: number) => ({
  status: outcome.status,
  error: outcome.error ?? null,
  stop_reason: outcome.stopReason ?? null,
  updated_at: now,
});

/** The RunStore over SQL. Every change of state is one statement with its condition inside. */
export class SqlRunStore implements RunStore {
  readonly #database: Kysely<AppSchema>;
  readonly #clock: Clock;

  constructor(options: { readonly database: Kysely<AppSchema>; readonly clock: Clock }) {
    this.#database = options.database;
    this.#clock = options.clock;
  }

  async create(principal: Principal, run: NewRun): Promise<RunRecord> {
    const now = this.#clock.now();
    const row: Omit<RunTable, "position"> = {
      tenant_id: principal.tenantId,
      thread_id: run.threadId,
      run_id: run.runId,
      user_id: principal.userId,
      assistant_id: run.assistantId,
      status: "pending",
      multitask_strategy: run.multitaskStrategy,
      on_disconnect: run.onDisconnect,
      request: toJsonText(run.request),
      metadata: toJsonText(run.metadata),
      owner: run.owner,
      epoch: 0,
      error: null,
      stop_reason: null,
      created_at: now,
      updated_at: now,
    };
    await this.#database
      .insertInto("runs")
      .values(({ selectFrom }) => ({
        ...row,
        position: selectFrom("runs")
          .select(({ fn, eb }) => eb(fn.coalesce(fn.max("position"), eb.lit(0)), "+", 1).as("next"))
          .where("tenant_id", "=", principal.tenantId)
          .where("thread_id", "=", run.threadId),
      }))
      .execute();
    return toRun(row);
  }

  async find(principal: Principal, threadId: string, runId: string): Promise<RunRecord | undefined> {
    const row = await this.#own(principal, threadId).where("run_id", "=", runId).executeTakeFirst();
    return row && toRun(row);
  }

  async list(
    principal: Principal,
    threadId: string,
    page: { limit: number; offset: number },
  ): Promise<readonly RunRecord[]> {
    const rows = await this.#own(principal, threadId)
      .orderBy("position", "desc")
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    return rows.map(toRun);
  }

  async claim(principal: Principal, threadId: string, runId: string): Promise<RunRecord | undefined> {
    const row = await this.#database
      .updateTable("runs")
      .set((expressions) => ({
        status: "running",
        epoch: expressions("epoch", "+", 1),
        updated_at: this.#clock.now(),
      }))
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId)
      .where("thread_id", "=", threadId)
      .where("run_id", "=", runId)
      .where("status", "=", "pending")
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("runs as other")
              .select("other.run_id")
              .where("other.tenant_id", "=", principal.tenantId)
              .where("other.thread_id", "=", threadId)
              .where("other.status", "=", "running"),
          ),
        ),
      )
      .returningAll()
      .executeTakeFirst();
    return row && toRun(row);
  }

  async finish(
    principal: Principal,
    run: { threadId: string; runId: string; epoch: number },
    outcome: RunOutcome,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable("runs")
      .set(outcomeColumns(outcome, this.#clock.now()))
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId)
      .where("thread_id", "=", run.threadId)
      .where("run_id", "=", run.runId)
      .where("epoch", "=", run.epoch)
      .where("status", "in", UNFINISHED)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async unfinished(principal: Principal, threadId: string): Promise<readonly RunRecord[]> {
    const rows = await this.#own(principal, threadId)
      .where("status", "in", UNFINISHED)
      .orderBy("position")
      .execute();
    return rows.map(toRun);
  }

  async reconcile(
    outcome: RunOutcome,
    isAlive: (owner: string) => boolean,
  ): Promise<readonly { principal: Principal; run: RunRecord }[]> {
    const owners = await this.#database
      .selectFrom("runs")
      .select("owner")
      .distinct()
      .where("status", "in", UNFINISHED)
      .execute();
    const dead = owners.map((row) => row.owner).filter((owner) => !isAlive(owner));
    if (dead.length === 0) return [];
    const rows = await this.#database
      .updateTable("runs")
      .set(outcomeColumns(outcome, this.#clock.now()))
      .where("status", "in", UNFINISHED)
      .where("owner", "in", dead)
      .returningAll()
      .execute();
    return rows.map((row) => ({
      principal: { tenantId: row.tenant_id, userId: row.user_id },
      run: toRun(row),
    }));
  }

  #own(principal: Principal, threadId: string) {
    return this.#database
      .selectFrom("runs")
      .selectAll()
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId)
      .where("thread_id", "=", threadId);
  }
}
