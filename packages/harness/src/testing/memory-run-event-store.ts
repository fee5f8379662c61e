/** A run event store in memory, for tests. */
import type { Clock } from "../base/clock.js";
import type { Principal } from "../context/principal.js";
import type { NewRunEvent, RunEvent, RunEventStore } from "../persistence/contract.js";
import { memoryKey } from "./memory-thread-store.js";

export class MemoryRunEventStore implements RunEventStore {
  readonly #clock: Clock;
  readonly #events = new Map<string, RunEvent[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async append(principal: Principal, threadId: string, events: readonly NewRunEvent[]): Promise<number> {
    const key = memoryKey(principal, threadId);
    const log = this.#events.get(key) ?? [];
    this.#events.set(key, log);
    const first = log.length + 1;
    for (const event of events) {
      log.push({ metadata: {}, ...event, seq: log.length + 1, createdAt: this.#clock.now() });
    }
    return first;
  }

  async list(
    principal: Principal,
    threadId: string,
    query: { afterSeq?: number; limit: number; runId?: string; eventTypes?: readonly string[] },
  ): Promise<readonly RunEvent[]> {
    return (this.#events.get(memoryKey(principal, threadId)) ?? [])
      .filter(({ seq }) => seq > (query.afterSeq ?? 0))
      .filter(({ runId }) => query.runId === undefined || runId === query.runId)
      .filter(({ eventType }) => query.eventTypes === undefined || query.eventTypes.includes(eventType))
      .slice(0, query.limit);
  }
}
