/** The one registry of failures: every error that reaches a model, a caller or a terminal has a row here. */

/** Who may sensibly try again after this failure. */
export type Retry = "model" | "caller" | "never";

interface ErrorRow {
  /** HTTP status at the gateway. */
  readonly status: number;
  readonly retry: Retry;
  /** What is wrong and where. `{name}` is replaced by `details.name`. */
  readonly text: string;
  /** What to do next, where that is not obvious from the text. */
  readonly next?: string;
}

/** Codes are public and stable; texts may be improved. Sorted by room, then by code. */
export const ERROR_CATALOGUE = {
  internal: { status: 500, retry: "never", text: "Something failed inside DeerFlow: {reason}." },
  invalid_request: { status: 422, retry: "caller", text: "The request is not valid: {reason}." },

  home_not_writable: {
    status: 500,
    retry: "caller",
    text: "The home folder {path} cannot be written ({reason}).",
    next: "Set DEER_FLOW_HOME to a folder you can write to.",
  },
  thread_id_invalid: {
    status: 422,
    retry: "caller",
    text: "{threadId} is not a thread id.",
    next: "Use 1 to 64 letters, digits, underscores or hyphens.",
  },
} as const satisfies Record<string, ErrorRow>;

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
    super(fill(row.text, details), cause === undefined ? undefined : { cause });
    this.name = "DeerflowError";
    this.status = row.status;
    this.retry = row.retry;
    this.next = row.next === undefined ? undefined : fill(row.next, details);
  }

  /** The message and the next step as one line for a person or a model. */
  get sentence(): string {
    return this.next === undefined ? this.message : `${this.message} ${this.next}`;
  }

  /** True also for an error of another copy of this package. */
  static is(value: unknown): value is DeerflowError {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

/** The message of whatever was thrown, never its stack. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
