/** What a command prints, told to whoever listens to the run while it is still at work. */

/** One event of the stream mode `custom`. */
export interface LiveOutputEvent {
  readonly type: "tool_output";
  readonly tool_call_id: string;
  /** As the model calls it. */
  readonly tool: string;
  /** What was printed since the last event. */
  readonly text: string;
  /** On the last event of a call that says no more: what follows is only in the result. */
  readonly truncated?: true;
}

/** Calls `work` once after so many milliseconds, unless the returned function is called before. */
export type Schedule = (milliseconds: number, work: () => void) => () => void;

export interface LiveOutputOptions {
  /** Undefined: nobody listens. */
  readonly send: ((event: LiveOutputEvent) => void) | null | undefined;
  readonly callId: string;
  readonly tool: string;
  readonly schedule?: Schedule;
  /** Default 200,000. */
  readonly maxCharacters?: number;
}

const INTERVAL_MILLISECONDS = 100;
/** A command that talks for long is told less often, so that its events do not push those of the run aside. */
const EAGER_EVENTS = 100;
const LATER_INTERVAL_MILLISECONDS = 500;
const DEFAULT_MAX_CHARACTERS = 200_000;
const REST_NOTE = "\n[… More of the output is only in the result. …]\n";

const timers: Schedule = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
};

export class LiveOutput {
  readonly #options: Required<Omit<LiveOutputOptions, "send">>;
  #send: LiveOutputOptions["send"];
  #pending = "";
  #told = 0;
  #events = 0;
  #cancel: (() => void) | undefined;

  constructor({ send, ...options }: LiveOutputOptions) {
    this.#send = send;
    this.#options = { schedule: timers, maxCharacters: DEFAULT_MAX_CHARACTERS, ...options };
  }

  /** The first piece is told at once, what follows together with what came in the same moment. */
  add(text: string): void {
    if (!this.#send || text === "") return;
    const room = this.#options.maxCharacters - this.#told - this.#pending.length;
    if (text.length > room) return this.#tellLast(text.slice(0, room));
    this.#pending += text;
    if (this.#cancel === undefined) this.#tell();
  }

  /** What still waits is told now. */
  close(): void {
    this.#stopWaiting();
    this.#emit();
    this.#send = undefined;
  }

  #tell(): void {
    this.#emit();
    const interval = this.#events < EAGER_EVENTS ? INTERVAL_MILLISECONDS : LATER_INTERVAL_MILLISECONDS;
    this.#cancel = this.#options.schedule(interval, () => {
      this.#cancel = undefined;
      if (this.#pending !== "") this.#tell();
    });
  }

  #tellLast(text: string): void {
    this.#pending += text;
    this.#stopWaiting();
    this.#emit();
    this.#write({ text: REST_NOTE, truncated: true });
    this.#send = undefined;
  }

  #emit(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#told += text.length;
    this.#events += 1;
    this.#write({ text });
  }

  #write(said: Pick<LiveOutputEvent, "text" | "truncated">): void {
    const { callId, tool } = this.#options;
    try {
      this.#send?.({ type: "tool_output", tool_call_id: callId, tool, ...said });
    } catch {
      // Nobody reads on; the command goes on all the same.
      this.#send = undefined;
    }
  }

  #stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
