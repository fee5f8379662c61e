/**
 * Shows a run to a person: text as it streams, one line a tool call, the plan when it changes, and in a terminal what
 * running commands print.
 */
import type { Colors } from "picocolors/types.js";
import { printable } from "./printable.js";

/** One event of a run, as the runtime publishes it. */
export interface RunFrame {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

interface WireMessage {
  readonly id?: string;
  readonly type?: string;
  readonly name?: string;
  readonly content?: unknown;
  readonly status?: string;
  readonly artifact?: unknown;
  readonly tool_calls?: readonly { id?: string; name: string; args?: Record<string, unknown> }[];
}

interface WireRequest {
  readonly name: string;
  readonly args?: Record<string, unknown>;
}

interface WireInterrupt {
  readonly value?: { readonly action_requests?: readonly WireRequest[] };
}

interface WireOutput {
  readonly type?: unknown;
  readonly tool_call_id?: string;
  readonly text?: unknown;
}

interface WireTodo {
  readonly content: string;
  readonly status: string;
}

const TODO_MARK: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]", pending: "[ ]" };
/** Its call is shown as the plan itself. */
const PLAN_TOOL = "write_todos";
const RESULT_WIDTH = 100;
const OUTPUT_MARGIN = "  │ ";

export class RunPrinter {
  readonly #write: (text: string) => void;
  readonly #colors: Colors;
  readonly #showsOutput: boolean;
  readonly #shown = new Set<string>();
  #streamed = "";
  #midLine = false;
  /** The call whose last printed line has not ended. */
  #printing = "";
  #started = false;
  #plan = "";
  #artifacts: readonly string[] = [];
  #question = false;
  #waiting: readonly WireRequest[] = [];
  readonly #denials: string[] = [];

  /** @param showsOutput whether what a command prints is shown while it runs */
  constructor(write: (text: string) => void, colors: Colors, showsOutput = false) {
    this.#write = write;
    this.#colors = colors;
    this.#showsOutput = showsOutput;
  }

  /** Virtual paths of the results shown so far. */
  get artifacts(): readonly string[] {
    return this.#artifacts;
  }

  /** Whether the last thing in the run is a question to the user. */
  get endsWithQuestion(): boolean {
    return this.#question;
  }

  /** Commands that needed a person's approval while nobody could be asked, in their order. */
  get denials(): readonly string[] {
    return this.#denials;
  }

  /** Whether calls of the last answer wait until a person decides about them. */
  get waitsForDecision(): boolean {
    return this.#waiting.length > 0;
  }

  frame({ event, data }: RunFrame): void {
    if (event === "messages" && Array.isArray(data)) this.#chunk(data[0] as WireMessage, data[1]);
    else if (event === "values") this.#values(data as Record<string, unknown>);
    else if (event === "custom" && this.#showsOutput) this.#output(data as WireOutput | null);
    else if (event === "error") this.#line(this.#colors.red(`✗ ${errorText(data)}`));
  }

  #chunk(message: WireMessage, metadata: unknown): void {
    const namespace = String(
      (metadata as { langgraph_checkpoint_ns?: string })?.langgraph_checkpoint_ns ?? "",
    );
    if (!message.type?.startsWith("AI") && message.type !== "ai") return;
    if (namespace.includes("tools:")) return; // a subagent's text is its own affair
    const text = textOf(message.content);
    if (text === "") return;
    if (this.#streamed !== message.id) {
      this.#breakLine();
      this.#streamed = message.id ?? "";
      if (message.id) this.#shown.add(`text:${message.id}`);
    }
    this.#write(text);
    this.#midLine = !text.endsWith("\n");
  }

  #values(values: Record<string, unknown>): void {
    const messages = (values["messages"] ?? []) as readonly WireMessage[];
    if (!this.#started) {
      // The first state is what was there before this run, and the request itself.
      for (const message of messages) this.#shown.add(message.id ?? "");
      this.#started = true;
    }
    for (const message of messages) this.#message(message);
    if (Array.isArray(values["todos"])) this.#todos(values["todos"] as WireTodo[]);
    if (Array.isArray(values["artifacts"])) this.#artifacts = values["artifacts"].map(String);
    if (Array.isArray(values["__interrupt__"])) this.#interrupts(values["__interrupt__"] as WireInterrupt[]);
  }

  #output(data: WireOutput | null): void {
    if (data?.type !== "tool_output" || typeof data.text !== "string") return;
    const text = printable(data.text);
    if (text === "") return;
    if (this.#printing !== data.tool_call_id) this.#breakLine();
    const isOpen = this.#midLine;
    const lines = text.replace(/\n$/, "").split("\n");
    const shown = lines.map((line, index) => (isOpen && index === 0 ? line : `${OUTPUT_MARGIN}${line}`));
    this.#write(this.#colors.dim(shown.join("\n")));
    this.#midLine = !text.endsWith("\n");
    if (!this.#midLine) this.#write("\n");
    this.#printing = data.tool_call_id ?? "";
    this.#streamed = "";
  }

  #interrupts(interrupts: readonly WireInterrupt[]): void {
    this.#waiting = interrupts.flatMap(({ value }) => value?.action_requests ?? []);
    for (const request of this.#waiting) this.#line(waitingLine(request, this.#colors));
  }

  #message(message: WireMessage): void {
    const id = message.id ?? "";
    if (this.#shown.has(id)) return;
    this.#shown.add(id);
    if (message.type === "ai") {
      this.#question = false;
      if (!this.#shown.has(`text:${id}`) && textOf(message.content) !== "")
        this.#line(textOf(message.content));
      const calls = (message.tool_calls ?? []).filter((call) => call.name !== PLAN_TOOL);
      for (const call of calls) this.#line(callLine(call, this.#colors));
    } else if (message.type === "tool" && (message.name !== PLAN_TOOL || message.status === "error")) {
      this.#question = message.name === "ask_clarification" && message.status !== "error";
      this.#denials.push(...deniedCommands(message));
      if (this.#question) this.#line(this.#colors.bold(textOf(message.content)));
      else this.#line(resultLine(message, this.#colors));
    }
  }

  #todos(todos: readonly WireTodo[]): void {
    const plan = todos
      .map((todo) => `    ${TODO_MARK[todo.status] ?? "[ ]"} ${printable(todo.content)}`)
      .join("\n");
    if (plan === this.#plan || plan === "") return;
    this.#plan = plan;
    this.#line(this.#colors.cyan(`  Plan\n${plan}`));
  }

  #breakLine(): void {
    if (this.#midLine) this.#write("\n");
    this.#midLine = false;
    this.#printing = "";
  }

  #line(text: string): void {
    this.#breakLine();
    this.#write(`${text}\n`);
  }
}

/** The text of a message's content, whatever its form, as a terminal may show it. */
export const textOf = (content: unknown): string => {
  if (typeof content === "string") return printable(content);
  if (!Array.isArray(content)) return "";
  return printable(
    content.map((block: { text?: unknown }) => (typeof block.text === "string" ? block.text : "")).join(""),
  );
};

/** The code of a command that was denied because nobody could be asked. */
const UNAPPROVED = "command_unapproved";

function deniedCommands({ artifact }: WireMessage): readonly string[] {
  const { code, command } = (artifact ?? {}) as { code?: unknown; command?: unknown };
  return code === UNAPPROVED && typeof command === "string" ? [printable(command)] : [];
}

const errorText = (data: unknown): string =>
  printable(String((data as { message?: unknown } | undefined)?.message ?? "the run failed"));

function subjectOf(args: Record<string, unknown> = {}): string {
  const subject = args["path"] ?? args["command"] ?? args["pattern"] ?? args["filepaths"] ?? "";
  return cut(printable(String(subject)).split("\n")[0] ?? "", RESULT_WIDTH);
}

function waitingLine({ name, args }: WireRequest, colors: Colors): string {
  const subject = subjectOf(args);
  return colors.yellow(`  ? ${printable(name)}${subject === "" ? "" : `  ${subject}`}  waits for a decision`);
}

function callLine(call: { name: string; args?: Record<string, unknown> }, colors: Colors): string {
  const { description } = call.args ?? {};
  const detail = subjectOf(call.args);
  const reason = typeof description === "string" && description !== "" ? `  ${printable(description)}` : "";
  return `${colors.blue("●")} ${colors.bold(printable(call.name))}${reason}${detail === "" ? "" : colors.dim(`  ${detail}`)}`;
}

function resultLine(message: WireMessage, colors: Colors): string {
  const first = textOf(message.content)
    .split("\n")
    .find((line) => line.trim() !== "");
  const text = cut(first ?? "done", RESULT_WIDTH);
  const failure = commandFailure(message);
  if (failure !== undefined) return colors.yellow(`  ✗ ${failure}  ${text}`);
  return message.status === "error" ? colors.yellow(`  ✗ ${text}`) : colors.dim(`  ✓ ${text}`);
}

/** How a command failed, whose result is an ordinary one for the model. */
function commandFailure({ artifact }: WireMessage): string | undefined {
  const { exit_code: code, timed_out: timedOut } = (artifact ?? {}) as {
    exit_code?: unknown;
    timed_out?: unknown;
  };
  if (timedOut === true) return "out of time";
  if (code === null) return "ended by a signal";
  return typeof code === "number" && code !== 0 ? `exit code ${code}` : undefined;
}

const cut = (text: string, width: number): string =>
  [...text].length <= width ? text : `${[...text].slice(0, width - 1).join("")}…`;
