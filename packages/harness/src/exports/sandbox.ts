/** Public names of `@deerflow/harness/sandbox`: where commands run, and what is thought of them before they do. */

/** Providers, and what one is. */
export { BubblewrapProvider, type BubblewrapOptions } from "../sandbox/bubblewrap/bubblewrap-provider.js";
export { LocalProvider, type LocalOptions } from "../sandbox/local/local-provider.js";
export { DockerProvider, type DockerOptions } from "../sandbox/docker/docker-provider.js";
export { AioProvider, type AioOptions } from "../sandbox/docker/aio-provider.js";
export { RemoteProvider, type RemoteOptions } from "../sandbox/remote/remote-provider.js";
export type { NetworkPolicy } from "../sandbox/network/network-policy.js";
export type { NetworkRequest } from "../sandbox/network/network-request.js";
export { LazySandbox } from "../sandbox/lazy-sandbox.js";
export * from "../sandbox/contract.js";
export { type CommandLimits, DEFAULT_LIMITS } from "../sandbox/limits.js";

/** The audit of commands. */
export {
  auditCommand,
  commandAuditor,
  type CommandFinding,
  type CommandVerdict,
  type JudgeCommand,
  type Span,
} from "../policy/command-audit.js";
export type { CommandAuditOptions, CommandRules } from "../policy/command-policy.js";
export {
  type BuiltInRuleId,
  COMMAND_RULES,
  type CommandRuleId,
  PERSON_RULES,
  type Severity,
} from "../policy/command-rules.js";
export type { CommandAuditMode, RuleLevel } from "../config/command-section.js";
export {
  type CommandAuditMiddlewareOptions,
  createCommandAuditMiddleware,
} from "../middleware/command-audit-middleware.js";
export type { CommandAuditSettings } from "../middleware/command-gate.js";
export {
  type AuditEvent,
  type AuditSink,
  type CommandAudited,
  type CommandOutcome,
  loggingAuditSink,
} from "../policy/audit-sink.js";

export { DeerflowError, type ErrorCode } from "../base/errors.js";
