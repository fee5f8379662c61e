/** The messages of a thread from its durable log: what a page shows, whatever has been summarised away since. */
import type { RunEvent } from "@deerflow/harness/persistence";
import type { MessagePage, MessageRow } from "@deerflow/protocol";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { count } from "../http/body.js";
import { isoTime } from "../wire/thread.js";

const MESSAGE_EVENTS = ["message.human", "message.ai", "message.tool"];
const BATCH = 500;

const toRow = (event: RunEvent): MessageRow => ({
  run_id: event.runId,
  seq: event.seq,
  content: event.content as MessageRow["content"], // written by the runtime in this very form
  metadata: event.metadata,
  created_at: isoTime(event.createdAt),
});

/** The newest `limit` of the rows, oldest first; one more was looked for to know whether there are older ones. */
export function toPage(rows: readonly MessageRow[], limit: number): MessagePage {
  const data = rows.slice(-limit);
  const hasMore = rows.length > limit;
  return { data, has_more: hasMore, next_before_seq: hasMore ? (data[0]?.seq ?? null) : null };
}

export const messageRoutes = ({ events, threads }: Pick<GatewayDeps, "events" | "threads">) =>
  new Hono<GatewayVariables>().get("/:thread_id/messages/page", async (context) => {
    const { principal } = context.var;
    const threadId = context.req.param("thread_id");
    await threads.find(principal, threadId);
    const limit = count(context.req.query("limit"), { fallback: 50, minimum: 1, maximum: 200 });
    const bounds = { fallback: Number.MAX_SAFE_INTEGER, minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
    const before = count(context.req.query("before_seq"), bounds);
    let rows: MessageRow[] = [];
    for (let afterSeq = 0, more = true; more; ) {
      const batch = await events.list(principal, threadId, {
        afterSeq,
        limit: BATCH,
        eventTypes: MESSAGE_EVENTS,
      });
      const older = batch.filter(({ seq }) => seq < before);
      rows = [...rows, ...older.map(toRow)].slice(-limit - 1);
      afterSeq = batch.at(-1)?.seq ?? 0;
      more = batch.length === BATCH && older.length === BATCH;
    }
    return context.json(toPage(rows, limit));
  });
