/** Threads: create, find, change, remove. */
import { type Thread, threadCreate, threadPatch, threadSearch } from "@deerflow/protocol";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { readBody } from "../http/body.js";
import { toWireThread } from "../wire/thread.js";

/** The keys that the client asked for; all when it named none. */
function pick(thread: Thread, select: readonly string[] | null | undefined): Partial<Thread> {
  if (select === undefined || select === null) return thread;
  return Object.fromEntries(Object.entries(thread).filter(([key]) => select.includes(key)));
}

export const threadRoutes = ({ threads }: Pick<GatewayDeps, "threads">) =>
  new Hono<GatewayVariables>()
    .post("/", async (context) => {
      const body = await readBody(context, threadCreate);
      const thread = await threads.create(context.var.principal, {
        threadId: body.thread_id ?? undefined,
        metadata: body.metadata ?? undefined,
        ifExists: body.if_exists ?? undefined,
      });
      return context.json(toWireThread(thread));
    })
    .post("/search", async (context) => {
      const { limit, offset, status, metadata, sort_by, sort_order, select } = await readBody(
        context,
        threadSearch,
      );
      const found = await threads.search(context.var.principal, {
        limit,
        offset,
        ...(status ? { status } : {}),
        ...(metadata ? { metadata } : {}),
        sortBy: sort_by === "state_updated_at" ? "updated_at" : (sort_by ?? "updated_at"),
        sortOrder: sort_order ?? "desc",
      });
      if (found.length === limit) context.header("X-Pagination-Next", String(offset + limit));
      return context.json(found.map((thread) => pick(toWireThread(thread), select)));
    })
    .get("/:thread_id", async (context) =>
      context.json(toWireThread(await threads.find(context.var.principal, context.req.param("thread_id")))),
    )
    .patch("/:thread_id", async (context) => {
      const { metadata } = await readBody(context, threadPatch);
      const id = context.req.param("thread_id");
      return context.json(
        toWireThread(await threads.update(context.var.principal, id, { metadata: metadata ?? {} })),
      );
    })
    .delete("/:thread_id", async (context) => {
      await threads.remove(context.var.principal, context.req.param("thread_id"));
      return context.body(null, 204);
    });
