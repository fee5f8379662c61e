/** How a run ended, and what that means for its thread and its readers. */
import { DeerflowError, reasonOf } from "../base/errors.js";
import type { RunOutcome, ThreadStatus } from "../persistence/contract.js";

/** Why a run was stopped from outside; the reason of its abort signal. */
export class RunStopped extends Error {
  constructor(readonly action: "interrupt" | "rollback" | "shutdown") {
    super(`The run was stopped (${action}).`);
    this.name = "RunStopped";
  }
}

const STOP_REASONS = { interrupt: "cancelled", rollback: "rolled_back", shutdown: "shutdown" } as const;

export interface RunEnding {
  readonly outcome: RunOutcome;
  readonly threadStatus: ThreadStatus;
  /** What the `error` frame says; only for a failure. */
  readonly failure?: { readonly error: string; readonly message: string };
}

/** The graph came to its end, or waits for a person. */
export const completed = (waiting: boolean): RunEnding =>
  waiting
    ? { outcome: { status: "interrupted", stopReason: "awaiting_input" }, threadStatus: "interrupted" }
    : { outcome: { status: "success" }, threadStatus: "idle" };

/** Stopped from outside. */
export const stopped = (action: RunStopped["action"]): RunEnding => ({
  outcome: { status: "interrupted", stopReason: STOP_REASONS[action] },
  threadStatus: "idle",
});

/** The graph threw. Running out of steps is an end with what there is, not a failure. */
export function failed(error: unknown): RunEnding {
  if (isRecursionLimit(error)) {
    return { outcome: { status: "interrupted", stopReason: "recursion_limit" }, threadStatus: "idle" };
  }
  const known = knownFailure(error);
  const failure =
    known !== undefined
      ? { error: known.code, message: known.sentence }
      : { error: error instanceof Error ? error.name : "Error", message: reasonOf(error) };
  return { outcome: { status: "error", error: failure.message }, threadStatus: "error", failure };
}

/** The failure with a code, also where the graph wrapped it to name the middleware. */
function knownFailure(error: unknown): DeerflowError | undefined {
  if (DeerflowError.is(error)) return error;
  return error instanceof Error && error.cause !== undefined ? knownFailure(error.cause) : undefined;
}

const isRecursionLimit = (error: unknown): boolean =>
  error instanceof Error && "lc_error_code" in error && error.lc_error_code === "GRAPH_RECURSION_LIMIT";
