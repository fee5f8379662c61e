/** Judges every shell command before it runs. Advice and a log; the sandbox is the wall. */
import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { createMiddleware } from "langchain";
import type { CommandFinding, CommandVerdict } from "../policy/command-audit.js";
import { refuse, withContent } from "../tools/define-tool.js";
import type { CommandGate, JudgedCall } from "./command-gate.js";

/** What is done about a call of a verdict. */
type Step = "run" | "refuse" | "deny" | "ask-first";

export function sandboxAudit({ commands }: { readonly commands: CommandGate }) {
  return createMiddleware({
    name: "sandbox-audit",
    async wrapToolCall(request, next) {
      const { toolCall, tool, runtime, state } = request;
      if (!commands.isCommand(toolCall.name, tool)) return next(request);
      const verdict = commands.judge(toolCall, tool);
      const isApproved = commands.isApproved(toolCall, state.messages);
      const step = stepFor(verdict, commands, { isApproved, canAsk: commands.canAsk(toolCall.name) });
      await commands.record(toolCall, verdict, outcomeOf(step, isApproved), runtime);
      if (step !== "run" && verdict.command === undefined)
        return refuse(toolCall, "command_missing", { tool: toolCall.name });
      if (step !== "run") return refusal(toolCall, verdict, step);
      const result = await next(request);
      const isSilent = isApproved && verdict.verdict === "ask";
      return ToolMessage.isInstance(result) && !isSilent ? withNotes(result, verdict, commands) : result;
    },
  });
}

/** Pure. */
export function stepFor(
  { verdict }: Pick<CommandVerdict, "verdict">,
  { mode }: Pick<CommandGate, "mode">,
  { isApproved, canAsk }: { readonly isApproved: boolean; readonly canAsk: boolean },
): Step {
  if (mode === "audit_only" || verdict === "pass" || verdict === "warn") return "run";
  if (verdict === "block") return "refuse";
  if (isApproved) return "run";
  return canAsk ? "ask-first" : "deny";
}

function outcomeOf(step: Step, isApproved: boolean) {
  if (step === "deny") return "denied-because-nobody-can-be-asked";
  if (step !== "run") return "refused";
  return isApproved ? "asked-and-approved" : "allowed";
}

const CODES = {
  refuse: "command_blocked",
  deny: "command_unapproved",
  "ask-first": "approval_missing",
} as const;
const COMMAND_CHARACTERS = 200;

/** The answer names every rule that decided, and what to do instead. */
function refusal(call: ToolCall, verdict: JudgedCall, step: Exclude<Step, "run">): ToolMessage {
  const findings = verdict.findings.filter(({ severity }) => severity === verdict.verdict);
  const details = {
    reason: findings.map(({ reason, ruleId }) => `${reason} (rule ${ruleId})`).join("; "),
    rule: verdict.rule ?? "",
    verdict: verdict.verdict,
    command: (verdict.command ?? "").slice(0, COMMAND_CHARACTERS),
    findings,
    ...(step === "ask-first" ? { tool: call.name, place: "" } : {}),
  };
  return refuse(call, CODES[step], details, saferWays(findings));
}

const saferWays = (findings: readonly CommandFinding[]): string =>
  [...new Set(findings.map(({ instead }) => `Instead: ${instead}`))].join("\n");

const WOULD: Readonly<Record<CommandVerdict["verdict"], string>> = {
  pass: "",
  warn: "",
  ask: " (only noted; a person would be asked)",
  block: " (only noted; it would be refused)",
};

/** The result with one line per finding behind it. */
export function withNotes(
  result: ToolMessage,
  { findings }: Pick<CommandVerdict, "findings">,
  { mode }: Pick<CommandGate, "mode">,
): ToolMessage {
  const shown = findings.filter(({ severity }) => mode === "audit_only" || severity === "warn");
  if (shown.length === 0) return result;
  const notes = shown.map(({ reason, severity }) => `[audit] ${reason}${WOULD[severity]}`).join("\n");
  const content =
    typeof result.content === "string"
      ? `${result.content}\n\n${notes}`
      : [...result.content, { type: "text" as const, text: notes }];
  return withContent(result, content);
}
