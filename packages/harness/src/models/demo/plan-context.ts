/** What every part of the planner is given. */
import type { HistoryView } from "./history-view.js";
import type { Turn } from "./turn.js";

export interface PlanContext {
  readonly view: HistoryView;
  /** The tools that may be called; no other is ever called. */
  readonly tools: ReadonlySet<string>;
}

/** A part of a plan is either at work, and its next turn is known, or it has a result. */
export type Progress<T> =
  | { readonly kind: "working"; readonly turn: Turn }
  | { readonly kind: "ready"; readonly value: T };

export const working = (turn: Turn): { readonly kind: "working"; readonly turn: Turn } => ({
  kind: "working",
  turn,
});
export const ready = <T>(value: T): { readonly kind: "ready"; readonly value: T } => ({
  kind: "ready",
  value,
});

export const nameOfFile = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
