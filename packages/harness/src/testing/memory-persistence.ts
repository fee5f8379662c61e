/** Everything durable, in memory: for tests of what stands above persistence. */
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { type Clock, systemClock } from "../base/clock.js";
import type { Principal } from "../context/principal.js";
import type { Persistence } from "../persistence/contract.js";
import { MemoryRunEventStore } from "./memory-run-event-store.js";
import { MemoryRunStore } from "./memory-run-store.js";
import { MemoryThreadStore } from "./memory-thread-store.js";

/** One checkpointer per tenant, as the real ones are scoped. */
export function memoryPersistence(clock: Clock = systemClock): Persistence {
  const savers = new Map<string, MemorySaver>();
  return {
    threads: new MemoryThreadStore(clock),
    runs: new MemoryRunStore(clock),
    events: new MemoryRunEventStore(clock),
    checkpointer: ({ tenantId }: Principal) => {
      const saver = savers.get(tenantId) ?? new MemorySaver();
      savers.set(tenantId, saver);
      return saver;
    },
    description: "memory",
    close: async () => undefined,
  };
}
