/** The command audit on its own, for an agent of LangChain's `createAgent`. */
import { type AgentMiddleware, createMiddleware } from "langchain";
import { silentLogger } from "../base/logger.js";
import { type AuditSink, loggingAuditSink } from "../policy/audit-sink.js";
import { type Operation, operationOf } from "../tools/define-tool.js";
import { approvalRequests } from "./approval.js";
import { type CommandAuditSettings, CommandGate } from "./command-gate.js";
import { sandboxAudit } from "./sandbox-audit.js";

export interface CommandAuditMiddlewareOptions extends CommandAuditSettings {
  /** Is told of every command. Default: nobody. */
  readonly audit?: AuditSink;
  /** Names of tools that run commands and were not made by this package, as `["shell"]`. */
  readonly tools?: readonly string[];
}

const COMMAND_AUDIT = "command-audit";
/** Ours run commands under these names, also in a process that has not seen the tools yet. */
const OWN_TOOLS: ReadonlyMap<string, Operation> = new Map([
  ["bash", "execute"],
  ["execute", "execute"],
]);

/**
 * Judges every command before it runs: refuses, asks a person, notes, and writes each decision down. It knows the shell
 * tools of this package by what they do, and others by the names in `tools`; the command is their argument `command`,
 * `cmd` or `script`. Asking needs a checkpointer; without one, what needs approval is denied.
 *
 * @throws DeerflowError `command_audit_invalid`
 * @example createCommandAuditMiddleware({ rules: { allow: ["git *", "ls *"], deny: ["git push *"] } })
 */
export function createCommandAuditMiddleware(options: CommandAuditMiddlewareOptions = {}): AgentMiddleware {
  const seen = new Map<string, Operation | undefined>(OWN_TOOLS);
  const commands = new CommandGate({
    ...options,
    audit: options.audit ?? loggingAuditSink(silentLogger),
    operationOf: (name) => seen.get(name),
    gate: COMMAND_AUDIT,
  });
  const { afterModel } = approvalRequests({ commands, gate: COMMAND_AUDIT });
  const { wrapToolCall } = sandboxAudit({ commands });
  const { wrapModelCall } = createMiddleware({
    name: COMMAND_AUDIT,
    wrapModelCall(request, next) {
      for (const tool of request.tools ?? []) {
        const { name } = tool as { readonly name?: unknown };
        if (typeof name === "string") seen.set(name, operationOf(tool));
      }
      return next(request);
    },
  });
  // The cast is sound: the hooks look at nothing but what every agent's state has.
  return {
    ...createMiddleware({ name: COMMAND_AUDIT }),
    afterModel,
    wrapModelCall,
    wrapToolCall,
  } as AgentMiddleware;
}
