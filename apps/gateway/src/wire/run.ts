/** A run's row as clients see it. */
import type { RunRecord } from "@deerflow/harness/persistence";
import type { Run } from "@deerflow/protocol";
import { isoTime } from "./thread.js";

export const toWireRun = (run: RunRecord): Run => ({
  run_id: run.runId,
  thread_id: run.threadId,
  assistant_id: run.assistantId,
  created_at: isoTime(run.createdAt),
  updated_at: isoTime(run.updatedAt),
  status: run.status,
  metadata: run.metadata,
  multitask_strategy: run.multitaskStrategy,
  error: run.error ?? null,
  stop_reason: run.stopReason ?? null,
});

/**
 * Where a run is found. The SDK appends Location to its own base address, whatever prefix that has, so both are
 * given without one.
 */
export const runLocations = ({ threadId, runId }: Pick<RunRecord, "threadId" | "runId">) => ({
  "Content-Location": `/threads/${threadId}/runs/${runId}`,
  Location: `/threads/${threadId}/runs/${runId}/stream`,
});
