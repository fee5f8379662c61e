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
  /** Names of more tools that run commands, beside the usual ones, as `["run_in_container"]`. */
  readonly tools?: readonly string[];
}

const COMMAND_AUDIT = "command-audit";
/** Tools of these names run commands, whoever made them. */
const USUAL_NAMES =
  /^(bash|sh|zsh|shell|terminal|execute|exec|(run|execute|exec)[-_]?(bash|shell|terminal|command|cmd|script)s?|(bash|shell|terminal)[-_]?(exec|execute|run|command|tool)|run[-_]?in[-_]?terminal)$/i;

/**
 * Judges every command before it runs: refuses, asks a person, notes, and writes each decision down. It knows the shell
 * tools of this package by what they do, and others by their names: the usual ones, as `bash`, `shell`, `execute`,
 * `terminal` and `run_command`, and those in `tools`. Every argument that is named for a command or for code is judged,
 * as `command`, `cmd`, `script` or `code`; a call without any is refused. Asking needs a checkpointer; without one, what
 * needs approval is denied.
 *
 * Put it last in the list of middleware: what one behind it makes of a call is not judged.
 *
 * @throws DeerflowError `command_audit_invalid`
 * @example createCommandAuditMiddleware({ rules: { allow: ["git *", "ls *"], deny: ["git push *"] } })
 */
export function createCommandAuditMiddleware(options: CommandAuditMiddlewareOptions = {}): AgentMiddleware {
  const seen = new Map<string, Operation | undefined>();
  const { tools = [] } = options;
  const commands = new CommandGate({
    ...options,
    runsCommands: (name) => USUAL_NAMES.test(name) || tools.includes(name),
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
