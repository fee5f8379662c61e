/** Runs in any database that Kysely speaks. */
import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../../base/clock.js";
import type { JsonObject } from "../../base/json.js";
import type { Principal } from "../../context/principal.js";
import type { RunFence } from "../checkpoint/checkpoint-rows.js";
import type { NewRun, RunOutcome, RunRecord, RunStore } from "../contract.js";
import type { AppSchema, RunTable } from "../schema.js";
import type { AppDatabase } from "./app-database.js";
import { objectFromJsonText, storableText, toJsonText } from "./json-text.js";

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
  error: outcome.error === undefined ? null : storableText(outcome.error),
  stop_reason: outcome.stopReason === undefined ? null : storableText(outcome.stopReason),
  updated_at: now,
});

/** The RunStore over SQL. A change of state is a statement with its condition inside: of two, one finds nothing. */
export class SqlRunStore implements RunStore {
  readonly #database: AppDatabase;
  readonly #clock: Clock;

  constructor(options: { readonly database: AppDatabase; readonly clock: Clock }) {
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
    await this.#database.threadTransaction(principal, run.threadId, async (query) => {
      const { last } = await query
        .selectFrom("runs")
        .select(({ fn }) => fn.max<number | null>("position").as("last"))
        .where("tenant_id", "=", principal.tenantId)
        .where("thread_id", "=", run.threadId)
        .executeTakeFirstOrThrow();
      await query
        .insertInto("runs")
        .values({ ...row, position: (last ?? 0) + 1 })
        .execute();
    });
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
    return this.#database.threadTransaction(principal, threadId, async (query) => {
      const running = await query
        .selectFrom("runs")
        .select("run_id")
        .where("tenant_id", "=", principal.tenantId)
        .where("thread_id", "=", threadId)
        .where("status", "=", "running")
        .executeTakeFirst();
      if (running !== undefined) return undefined;
      const { numUpdatedRows } = await query
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
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) return undefined;
      const own = this.#own(principal, threadId, query);
      return toRun(await own.where("run_id", "=", runId).executeTakeFirstOrThrow());
    });
  }

  async finish(
    principal: Principal,
    run: { threadId: string; runId: string; epoch: number },
    outcome: RunOutcome,
  ): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      const { numUpdatedRows } = await query
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
    });
  }

  async replaceRequest(
    principal: Principal,
    run: { threadId: string; runId: string; epoch: number },
    request: JsonObject,
  ): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      const { numUpdatedRows } = await query
        .updateTable("runs")
        .set({ request: toJsonText(request) })
        .where("tenant_id", "=", principal.tenantId)
        .where("user_id", "=", principal.userId)
        .where("thread_id", "=", run.threadId)
        .where("run_id", "=", run.runId)
        .where("epoch", "=", run.epoch)
        .where("status", "=", "running")
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    });
  }

  async holds(principal: Principal, fence: RunFence): Promise<boolean> {
    const row = await this.#database.query
      .selectFrom("runs")
      .select("run_id")
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId)
      .where("thread_id", "=", fence.threadId)
      .where("run_id", "=", fence.runId)
      .where("epoch", "=", fence.epoch)
      .where("status", "=", "running")
      .executeTakeFirst();
    return row !== undefined;
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
    const unfinished = await this.#database.query
      .selectFrom("runs")
      .select(["tenant_id", "user_id", "thread_id", "run_id", "epoch", "owner"])
      .where("status", "in", UNFINISHED)
      .orderBy("tenant_id")
      .orderBy("thread_id")
      .orderBy("position")
      .execute();
    const alive = new Map<string, boolean>();
    for (const { owner } of unfinished) if (!alive.has(owner)) alive.set(owner, isAlive(owner));
    const ended: { principal: Principal; run: RunRecord }[] = [];
    for (const row of unfinished.filter(({ owner }) => alive.get(owner) === false)) {
      const principal = { tenantId: row.tenant_id, userId: row.user_id };
      // Somebody else may have ended or claimed it since it was read.
      const place = { threadId: row.thread_id, runId: row.run_id, epoch: row.epoch };
      if (!(await this.finish(principal, place, outcome))) continue;
      const run = await this.find(principal, place.threadId, place.runId);
      if (run !== undefined) ended.push({ principal, run });
    }
    return ended;
  }

  #own(principal: Principal, threadId: string, query: Kysely<AppSchema> = this.#database.query) {
    return query
      .selectFrom("runs")
      .selectAll()
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId)
      .where("thread_id", "=", threadId);
  }
}
