/** Judges every shell command before it runs. Advice and a log; the sandbox is the wall. */
import { ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import type { AuditSink } from "../policy/audit-sink.js";
import { auditCommand, type CommandVerdict } from "../policy/command-audit.js";
import { operationOf, refuse, withContent } from "../tools/define-tool.js";

export function sandboxAudit({ audit }: { readonly audit: AuditSink }) {
  return createMiddleware({
    name: "sandbox-audit",
    async wrapToolCall(request, next) {
      const { toolCall, tool, runtime } = request;
      if (operationOf(tool) !== "execute") return next(request);
      const command = String(toolCall.args["command"] ?? "");
      const verdict = auditCommand(command);
      await audit.record({
        type: "command.audited",
        threadId: String(runtime.configurable?.thread_id ?? ""),
        command,
        verdict: verdict.verdict,
        ruleIds: verdict.findings.map((finding) => finding.ruleId),
      });
      if (verdict.verdict === "block") {
        return refuse(toolCall, "command_blocked", blockDetails(verdict));
      }
      const result = await next(request);
      return verdict.verdict === "warn" && ToolMessage.isInstance(result)
        ? withWarning(result, verdict)
        : result;
    },
  });
}

/** Why a command was refused, in the shape of a refusal's details. */
export function blockDetails(verdict: CommandVerdict) {
  const blocking = verdict.findings.filter((finding) => finding.severity === "block");
  return { reason: blocking.map((finding) => finding.reason).join("; "), findings: blocking };
}

/** The result with one line per warning behind it. */
export function withWarning(result: ToolMessage, verdict: CommandVerdict): ToolMessage {
  const notes = verdict.findings.map((finding) => `[audit] ${finding.reason}`).join("\n");
  const content =
    typeof result.content === "string"
      ? `${result.content}\n\n${notes}`
      : [...result.content, { type: "text" as const, text: notes }];
  return withContent(result, content);
}
