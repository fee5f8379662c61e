/** Steps of a plan: which of them the history shows as done, as failed for good, or as still to do. */
import type { HistoryView, Outcome } from "./history-view.js";
import type { PlannedCall, Turn } from "./turn.js";

/** One call with a purpose. A tool call's `description` is its name in the history, so no two steps share one. */
export interface Step {
  readonly tool: string;
  readonly description: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type StepState =
  | {
      readonly kind: "todo";
      readonly failure?: Outcome;
      /** True when its newest call was cut off. */
      readonly interrupted: boolean;
    }
  | { readonly kind: "done"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly outcome: Outcome };

const TRIES = 2;
/** A person said no: asking again would be rude. */
export const REJECTED = /\breject|\bdeclin|denied by the user|user denied/i;

/** The calls of a step so far, oldest first. */
export const outcomesOfStep = (view: HistoryView, step: Pick<Step, "tool" | "description">): Outcome[] =>
  view.outcomes.filter(
    (outcome) => outcome.name === step.tool && outcome.args["description"] === step.description,
  );

/** What the history says of a step. A call that was cut off is no failure. Pure. */
export function stepState(view: HistoryView, step: Pick<Step, "tool" | "description">): StepState {
  const mine = outcomesOfStep(view, step);
  const done = mine.findLast((outcome) => outcome.status === "done");
  if (done !== undefined) return { kind: "done", outcome: done };
  const failures = mine.filter((outcome) => outcome.status === "failed" && outcome.recent);
  const last = failures.at(-1);
  const interrupted = mine.at(-1)?.status === "interrupted";
  if (last === undefined) return { kind: "todo", interrupted };
  const final = failures.length >= TRIES || REJECTED.test(last.text);
  return final ? { kind: "failed", outcome: last } : { kind: "todo", failure: last, interrupted };
}

export const callOf = ({ tool, description, args }: Step): PlannedCall => ({
  name: tool,
  args: { description, ...args },
});

/** A turn that takes a step; after a failure it says so first. */
export function takeStep(text: string, step: Step, state: StepState & { kind: "todo" }): Turn {
  const { failure, interrupted } = state;
  const before =
    failure === undefined || interrupted ? "" : `That did not work (${firstLine(failure.text)}). `;
  return { text: `${before}${text}`, calls: [callOf(step)] };
}

/** The first line of a tool's answer, fit for the middle of a sentence. */
export function firstLine(text: string): string {
  const line = (text.trim().split("\n", 1)[0] ?? "").replace(/^Error: /, "").replace(/\.$/, "");
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
