/** Failures with a public code, and what was thrown put into words. */
import { ERROR_CATALOGUE, type ErrorRow, type Retry } from "./error-catalogue.js";

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
export type ErrorDetails = Readonly<Record<string, unknown>>;

const MARK = Symbol.for("deerflow.error");

const fill = (template: string, details: ErrorDetails): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    name in details ? String(details[name]) : whole,
  );

/**
 * A failure with a public code.
 *
 * @example throw new DeerflowError("thread_id_invalid", { threadId });
 */
export class DeerflowError extends Error {
  readonly [MARK] = true;
  readonly status: number;
  readonly retry: Retry;
  /** What to do next, as one sentence; undefined where the message says it all. */
  readonly next: string | undefined;

  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
    cause?: unknown,
  ) {
    const row: ErrorRow = ERROR_CATALOGUE[code];
    const text = fill(row.text, details);
    const next = row.next === undefined ? undefined : fill(row.next, details);
    // What nobody can try again is mostly a mistake in a program, whose author sees the message and nothing else.
    const message = row.retry === "never" && next !== undefined ? `${text} ${next}` : text;
    super(message, cause === undefined ? undefined : { cause });
    this.name = "DeerflowError";
    this.status = row.status;
    this.retry = row.retry;
    this.next = next;
  }

  /** The message and the next step as one line for a person or a model. */
  get sentence(): string {
    if (this.next === undefined || this.retry === "never") return this.message;
    return `${this.message} ${this.next}`;
  }

  /** True also for an error of another copy of this package. */
  static is(value: unknown): value is DeerflowError {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

/** The message of whatever was thrown, never its stack. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return "something that cannot be put into words";
  }
}
