/** Judges the calls of an agent that run commands, remembers nothing, and writes down what became of each. */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { CommandAuditMode } from "../config/command-section.js";
import { canPause } from "../langgraph/private-keys.js";
import type { AuditSink, CommandOutcome } from "../policy/audit-sink.js";
import {
  commandAuditor,
  type CommandVerdict,
  type JudgeCommand,
  type Span,
} from "../policy/command-audit.js";
import { type CommandAuditOptions, mayAsk } from "../policy/command-policy.js";
import { redactCommand } from "../policy/redact-command.js";
import { type Operation, operationOf } from "../tools/define-tool.js";
import { decidedHashes, hashOf } from "./approval-record.js";
import { commandsOf } from "./command-arguments.js";

/** How the commands of one agent are judged. */
export interface CommandAuditSettings extends CommandAuditOptions {
  /** Default `enforce`. */
  readonly mode?: CommandAuditMode;
  /** False where nobody is there: what needs approval is then denied. Default true; without a checkpointer it is false. */
  readonly canAsk?: boolean;
}

export interface CommandGateOptions extends CommandAuditSettings {
  readonly audit: AuditSink;
  /** What the tool of a name does, where that is known. */
  readonly operationOf?: (toolName: string) => Operation | undefined;
  /** Whether a tool runs commands although nothing about it says so. */
  readonly runsCommands?: (toolName: string) => boolean;
  /** Tools whose calls are never shown to a person. */
  readonly neverAsked?: (toolName: string) => boolean;
  /** Under whose name it is noted what a person decided. */
  readonly gate: string;
}

/** Where a call is made, as far as the log wants to know it. */
export interface CommandScene {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

type Named = Pick<ToolCall, "name" | "args">;

/** The verdict over all commands of a call. */
export interface JudgedCall extends CommandVerdict {
  /** The commands, one a line; undefined where the call has none. Places of findings are places in here. */
  readonly command: string | undefined;
}

const READ_CHARACTERS = 20_000;
const SEVERITIES = ["block", "ask", "warn"] as const;
const LOGGED_CHARACTERS = 200;

export class CommandGate {
  readonly #options: CommandGateOptions;
  readonly #judge: JudgeCommand;
  readonly mode: CommandAuditMode;
  /** Whether a command could ever have to wait for a person. */
  readonly mayAsk: boolean;

  /** @throws DeerflowError `command_audit_invalid` */
  constructor(options: CommandGateOptions) {
    this.#options = options;
    this.#judge = commandAuditor(options);
    this.mode = options.mode ?? "enforce";
    this.mayAsk = this.mode === "enforce" && mayAsk(options);
  }

  isCommand(toolName: string, tool?: unknown): boolean {
    return this.#options.runsCommands?.(toolName) === true || this.#isOwn(toolName, tool);
  }

  #isOwn(toolName: string, tool: unknown): boolean {
    return (tool === undefined ? this.#options.operationOf?.(toolName) : operationOf(tool)) === "execute";
  }

  /** Judges every command of a call; one without any counts as an empty command. */
  judge(call: Named, tool?: unknown): JudgedCall {
    const commands = commandsOf(call.args, { isOwn: this.#isOwn(call.name, tool) });
    if (commands.length === 0) return { ...this.#judge(""), command: undefined };
    return commands
      .map((command): JudgedCall => ({ ...this.#judge(command), command }))
      .reduce((before, next) => together(before, next));
  }

  /** Whether a call of the tool can be shown to a person; to be asked while the graph runs. */
  canAsk(toolName: string): boolean {
    const { canAsk = true, neverAsked } = this.#options;
    return canAsk && neverAsked?.(toolName) !== true && canPause();
  }

  /** What a person is told about a call that waits for them; undefined for one that does not. */
  question(call: Named): string | undefined {
    if (!this.mayAsk || !this.isCommand(call.name) || !this.canAsk(call.name)) return undefined;
    const { verdict, reason } = this.judge(call);
    return verdict === "ask" ? `${reason ?? "The command needs approval"}.` : undefined;
  }

  /** Whether the call will be refused anyway, so that asking a person would be in vain. */
  refuses(call: Named): boolean {
    return this.mode === "enforce" && this.isCommand(call.name) && this.judge(call).verdict === "block";
  }

  /** Whether a person agreed to the call just as it is now. */
  isApproved(call: ToolCall, messages: readonly BaseMessage[] = []): boolean {
    const message = messages.findLast((each) => AIMessage.isInstance(each));
    return decidedHashes(message, this.#options.gate, call.id).includes(hashOf(call));
  }

  async record(
    call: ToolCall,
    verdict: JudgedCall,
    outcome: CommandOutcome,
    scene: CommandScene,
  ): Promise<void> {
    const { span } = verdict;
    const { thread_id: threadId, run_id: runId } = scene.configurable ?? {};
    const command = redactCommand((verdict.command ?? "").slice(0, READ_CHARACTERS));
    const isCut = verdict.rule === "command-unusable";
    await this.#options.audit.record({
      type: "command.audited",
      threadId: typeof threadId === "string" ? threadId : "",
      ...(typeof runId === "string" ? { runId } : {}),
      ...(call.id === undefined ? {} : { toolCallId: call.id }),
      command: isCut ? command.text.slice(0, LOGGED_CHARACTERS) : command.text,
      verdict: verdict.verdict,
      mode: this.mode,
      outcome,
      ruleIds: verdict.findings.map(({ ruleId }) => ruleId),
      ...(verdict.switchedOff === undefined ? {} : { switchedOff: verdict.switchedOff }),
      ...(span === undefined
        ? {}
        : { span: { start: command.place(span.start), end: command.place(span.end) } }),
    });
  }

  /** A person said no, or answered in the command's place. */
  async declined(
    call: ToolCall,
    outcome: "asked-and-rejected" | "asked-and-answered",
    scene: CommandScene,
  ): Promise<void> {
    if (this.isCommand(call.name)) await this.record(call, this.judge(call), outcome, scene);
  }
}

/** The worse of two verdicts decides; findings of the second are moved behind the first command. Pure. */
function together(first: JudgedCall, second: JudgedCall): JudgedCall {
  const by = (first.command ?? "").length + 1;
  const findings = [
    ...first.findings,
    ...second.findings.map((each) => ({ ...each, span: moved(each.span, by) })),
  ];
  const verdict = SEVERITIES.find((level) => findings.some(({ severity }) => severity === level));
  const decisive = findings.find(({ severity }) => severity === verdict);
  const switchedOff = [...new Set([...(first.switchedOff ?? []), ...(second.switchedOff ?? [])])];
  return {
    verdict: verdict ?? "pass",
    rule: decisive?.ruleId,
    reason: decisive?.reason,
    span: decisive?.span,
    findings,
    command: `${first.command ?? ""}\n${second.command ?? ""}`,
    ...(switchedOff.length === 0 ? {} : { switchedOff }),
  };
}

const moved = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by });
