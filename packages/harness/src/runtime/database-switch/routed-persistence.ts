/** Everything durable, in whichever database it lies: nothing above knows that there may be two. */
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { Principal } from "../../context/principal.js";
import type {
  Persistence,
  RunEventStore,
  RunStore,
  ThreadQuery,
  ThreadRecord,
  ThreadStore,
} from "../../persistence/contract.js";
import type { RunFence } from "../../persistence/checkpoint/checkpoint-rows.js";
import { fits, pageOf } from "./listed-threads.js";
import { keyOf } from "./pending-threads.js";
import { RoutedCheckpointer } from "./routed-checkpointer.js";
import { RoutedStore } from "./routed-store.js";
import type { ThreadRouter } from "./thread-router.js";

export class RoutedPersistence implements Persistence {
  readonly #router: ThreadRouter;
  readonly threads: ThreadStore;
  readonly runs: RunStore;
  readonly events: RunEventStore;
  readonly #checkpointers = new Map<string, RoutedCheckpointer>();
  readonly #stores = new Map<string, RoutedStore>();

  constructor(router: ThreadRouter) {
    this.#router = router;
    this.threads = routedThreads(router);
    this.runs = routedRuns(router);
    this.events = routedEvents(router);
  }

  get backend(): Persistence["backend"] {
    return this.#router.current.persistence.backend;
  }

  get description(): string {
    return this.#router.current.persistence.description;
  }

  checkpointer(principal: Principal, fence?: RunFence): BaseCheckpointSaver {
    if (fence !== undefined) return new RoutedCheckpointer(this.#router, principal, fence);
    const key = JSON.stringify([principal.tenantId, principal.userId]);
    const known = this.#checkpointers.get(key) ?? new RoutedCheckpointer(this.#router, principal);
    this.#checkpointers.set(key, known);
    return known;
  }

  /** The key-value store of the principal's tenant. */
  store(principal: Principal): BaseStore {
    const known = this.#stores.get(principal.tenantId) ?? new RoutedStore(this.#router, principal);
    this.#stores.set(principal.tenantId, known);
    return known;
  }

  /** Closes the databases that are open now. */
  async close(): Promise<void> {
    for (const side of this.#router.sides) await side.close();
  }
}

function routedThreads(router: ThreadRouter): ThreadStore {
  return {
    create: (principal, thread) =>
      router.use({ principal, threadId: thread.threadId }, "write", ({ persistence }) =>
        persistence.threads.create(principal, thread),
      ),
    find: (principal, threadId) =>
      router.use({ principal, threadId }, "read", ({ persistence }) =>
        persistence.threads.find(principal, threadId),
      ),
    search: (principal, query) => searchThreads(router, principal, query),
    update: (principal, threadId, patch) =>
      router.use({ principal, threadId }, "write", ({ persistence }) =>
        persistence.threads.update(principal, threadId, patch),
      ),
    remove: (principal, threadId) =>
      router.use({ principal, threadId }, "write", ({ persistence }) =>
        persistence.threads.remove(principal, threadId),
      ),
  };
}

/** While threads are on both, the page is put together here: of what waits to be moved there is little. */
async function searchThreads(
  router: ThreadRouter,
  principal: Principal,
  query: ThreadQuery,
): Promise<readonly ThreadRecord[]> {
  const { current, pending } = router;
  if (pending === undefined) return current.persistence.threads.search(principal, query);
  const waiting = pending.threads.filter((thread) => thread.principal.tenantId === principal.tenantId);
  const held = await Promise.all(
    waiting.map(({ threadId }) => pending.old.persistence.threads.find(principal, threadId)),
  );
  const whole = { ...query, offset: 0, limit: query.offset + query.limit + waiting.length };
  const moved = await current.persistence.threads.search(principal, whole);
  const isWaiting = new Set(waiting.map(keyOf));
  return pageOf(
    [
      ...moved.filter(({ threadId }) => !isWaiting.has(keyOf({ principal, threadId }))),
      ...held.flatMap((thread) => (thread !== undefined && fits(thread, query) ? [thread] : [])),
    ],
    query,
  );
}

function routedRuns(router: ThreadRouter): RunStore {
  return {
    create: (principal, run) =>
      router.use({ principal, threadId: run.threadId }, "start", ({ persistence }) =>
        persistence.runs.create(principal, run),
      ),
    find: (principal, threadId, runId) =>
      router.use({ principal, threadId }, "read", ({ persistence }) =>
        persistence.runs.find(principal, threadId, runId),
      ),
    list: (principal, threadId, page) =>
      router.use({ principal, threadId }, "read", ({ persistence }) =>
        persistence.runs.list(principal, threadId, page),
      ),
    unfinished: (principal, threadId) =>
      router.use({ principal, threadId }, "read", ({ persistence }) =>
        persistence.runs.unfinished(principal, threadId),
      ),
    claim: (principal, threadId, runId) =>
      router.use({ principal, threadId }, "write", ({ persistence }) =>
        persistence.runs.claim(principal, threadId, runId),
      ),
    async finish(principal, run, outcome) {
      const { threadId } = run;
      const finished = await router.use({ principal, threadId }, "write", ({ persistence }) =>
        persistence.runs.finish(principal, run, outcome),
      );
      router.poke(principal, threadId);
      return finished;
    },
    replaceRequest: (principal, run, request) =>
      router.use({ principal, threadId: run.threadId }, "write", ({ persistence }) =>
        persistence.runs.replaceRequest(principal, run, request),
      ),
    holds: (principal, fence) =>
      router.use({ principal, threadId: fence.threadId }, "read", ({ persistence }) =>
        persistence.runs.holds(principal, fence),
      ),
    async reconcile(outcome, isAlive) {
      const { current, pending } = router;
      const here = await current.persistence.runs.reconcile(outcome, isAlive);
      // What it holds of a thread that has still to move is a copy that is not read.
      const ended = here.filter(({ principal, run }) => !pending?.has(keyOf({ principal, ...run })));
      ended.push(...((await pending?.old.persistence.runs.reconcile(outcome, isAlive)) ?? []));
      for (const { principal, run } of ended) router.poke(principal, run.threadId);
      return ended;
    },
  };
}

function routedEvents(router: ThreadRouter): RunEventStore {
  return {
    append: (principal, threadId, events) =>
      router.use({ principal, threadId }, "write", ({ persistence }) =>
        persistence.events.append(principal, threadId, events),
      ),
    list: (principal, threadId, query) =>
      router.use({ principal, threadId }, "read", ({ persistence }) =>
        persistence.events.list(principal, threadId, query),
      ),
  };
}
