/** Judges the calls of an agent that run commands, remembers nothing, and writes down what became of each. */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { CommandAuditMode } from "../config/command-section.js";
import { canPause } from "../langgraph/private-keys.js";
import type { AuditSink, CommandOutcome } from "../policy/audit-sink.js";
import { commandAuditor, type CommandVerdict, type JudgeCommand } from "../policy/command-audit.js";
import { type CommandAuditOptions, mayAsk } from "../policy/command-policy.js";
import { type Operation, operationOf } from "../tools/define-tool.js";
import { textFrom } from "../tools/tolerant-arguments.js";
import { decidedHashes, hashOf } from "./approval-record.js";

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
  /** Tools that run commands although nothing about them says so. */
  readonly tools?: readonly string[];
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

/** The argument that holds the command, under every name that models and tools have for it. */
const ARGUMENTS = ["command", "cmd", "script", "commands"];
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
    if (this.#options.tools?.includes(toolName) === true) return true;
    return (tool === undefined ? this.#options.operationOf?.(toolName) : operationOf(tool)) === "execute";
  }

  judge(call: Named): CommandVerdict {
    return this.#judge(commandOf(call.args));
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
    verdict: CommandVerdict,
    outcome: CommandOutcome,
    scene: CommandScene,
  ): Promise<void> {
    const { thread_id: threadId, run_id: runId } = scene.configurable ?? {};
    const command = commandOf(call.args);
    const isCut = verdict.rule === "command-unusable";
    await this.#options.audit.record({
      type: "command.audited",
      threadId: typeof threadId === "string" ? threadId : "",
      ...(typeof runId === "string" ? { runId } : {}),
      ...(call.id === undefined ? {} : { toolCallId: call.id }),
      command: isCut ? command.slice(0, LOGGED_CHARACTERS) : command,
      verdict: verdict.verdict,
      mode: this.mode,
      outcome,
      ruleIds: verdict.findings.map(({ ruleId }) => ruleId),
      ...(verdict.span === undefined ? {} : { span: verdict.span }),
    });
  }

  /** A person said no, or answered in the command's place. */
  async rejected(call: ToolCall, scene: CommandScene): Promise<void> {
    if (this.isCommand(call.name)) await this.record(call, this.judge(call), "asked-and-rejected", scene);
  }
}

/** The command of a call, as its tool will understand it; empty when there is none. */
export function commandOf(args: ToolCall["args"]): string {
  const given = ARGUMENTS.map((name): unknown => (Object.hasOwn(args, name) ? args[name] : undefined)).find(
    (value) => value !== undefined && value !== null,
  );
  return given === undefined ? "" : textFrom(given);
}
