/** The agent factory for a program that brings its own model and tools: no configuration file, no home. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { AgentMiddleware } from "langchain";
import { DeerflowError } from "../base/errors.js";
import { silentLogger } from "../base/logger.js";
import { type AgentGraphOptions, createAgentGraph } from "../graph/create-agent-graph.js";
import { approval } from "../middleware/approval.js";
import {
  APPROVAL_GATE,
  type ApprovalOptions,
  asksForApproval,
  entryOf,
} from "../middleware/approval-pauses.js";
import { type CommandAuditSettings, CommandGate } from "../middleware/command-gate.js";
import {
  assembleMiddleware,
  FEATURES,
  type MiddlewareServices,
  type RuntimeFeatures,
} from "../middleware/order.js";
import { type AuditSink, loggingAuditSink } from "../policy/audit-sink.js";
import { type PermissionOptions, permitted } from "./permissions.js";

export interface DeerflowAgentOptions extends PermissionOptions {
  readonly model: BaseChatModel;
  readonly systemPrompt?: string;
  /** Replaces the whole chain, save approval where it is asked for; then `features` and `extraMiddleware` must be absent. */
  readonly middleware?: readonly AgentMiddleware[];
  /** Switches of the rows of the order table; what is absent keeps its default. */
  readonly features?: Partial<RuntimeFeatures>;
  /** How commands are judged; what must wait for a person is denied without a checkpointer. Default: the built-in rules. */
  readonly commandAudit?: CommandAuditSettings;
  /** Placed inside the chain, before Clarification. */
  readonly extraMiddleware?: readonly AgentMiddleware[];
  /** Gives the model a todo list. Default false. */
  readonly planMode?: boolean;
  /** What the rows work with; a row whose service is absent is left out. */
  readonly services?: Partial<Omit<MiddlewareServices, "approval" | "commands" | "offloadFiles">>;
  readonly stateSchema?: AgentGraphOptions["stateSchema"];
  readonly contextSchema?: AgentGraphOptions["contextSchema"];
  readonly checkpointer?: BaseCheckpointSaver;
  readonly store?: BaseStore;
  readonly name?: string;
}

const allFeatures = (planMode: boolean): RuntimeFeatures =>
  // The cast is sound: FEATURES lists every key of the record.
  ({
    ...Object.fromEntries(FEATURES.map((feature) => [feature, true])),
    todoList: planMode,
  }) as RuntimeFeatures;

/**
 * Builds an agent and returns it as a compiled LangGraph graph.
 * @throws DeerflowError `permissions_invalid`; `permissions_unenforceable` when a shell could go around the rules;
 * `filesystem_options_invalid`; `command_audit_invalid`; `invalid_request` when options contradict one another
 */
export function createDeerflowAgent(options: DeerflowAgentOptions) {
  const { model, systemPrompt, stateSchema, contextSchema, checkpointer, store, name } = options;
  const { middleware, extraMiddleware, services: given = {} } = options;
  const { services, tools, approval } = permitted(options, given, middleware ?? extraMiddleware ?? []);
  const logger = services.logger ?? silentLogger;
  const audit = services.audit ?? loggingAuditSink(logger);
  const commands = commandGate(options, approval, audit);
  const asking = commands.mayAsk && isApprovalOn(options) ? { ...approval, commands } : approval;
  return createAgentGraph({
    model,
    tools,
    middleware: chainOf(options, { ...services, logger, audit, commands, approval: asking }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(stateSchema === undefined ? {} : { stateSchema }),
    ...(contextSchema === undefined ? {} : { contextSchema }),
    ...(checkpointer === undefined ? {} : { checkpointer }),
    ...(store === undefined ? {} : { store }),
    ...(name === undefined ? {} : { name }),
  });
}

/** Without the row that asks, nobody can be asked. */
const isApprovalOn = ({ features, middleware }: DeerflowAgentOptions): boolean =>
  features?.approval !== false && middleware === undefined;

function commandGate(
  options: DeerflowAgentOptions,
  { operationOf }: ApprovalOptions,
  audit: AuditSink,
): CommandGate {
  const { commandAudit, features, interruptOn = {}, middleware } = options;
  if (commandAudit !== undefined && middleware !== undefined) {
    throw contradiction(
      "`middleware` replaces the whole chain, so `commandAudit` would not hold; put createCommandAuditMiddleware into it",
    );
  }
  if (commandAudit !== undefined && features?.sandboxAudit === false) {
    throw contradiction("`features.sandboxAudit` is off, so `commandAudit` would not hold");
  }
  return new CommandGate({
    ...commandAudit,
    audit,
    canAsk: isApprovalOn(options) && commandAudit?.canAsk !== false,
    neverAsked: (tool) => entryOf({ interruptOn }, tool) === false,
    gate: APPROVAL_GATE,
    ...(operationOf === undefined ? {} : { operationOf }),
  });
}

type ChainServices = Partial<MiddlewareServices> &
  Required<Pick<MiddlewareServices, "approval" | "audit" | "commands" | "logger">>;

function chainOf(options: DeerflowAgentOptions, services: ChainServices): readonly AgentMiddleware[] {
  const { middleware, features, extraMiddleware, planMode = false } = options;
  const asks = asksForApproval(services.approval);
  if (middleware !== undefined) {
    if (features !== undefined || extraMiddleware !== undefined) {
      throw contradiction(
        "`middleware` replaces the whole chain, so it cannot stand together with `features` or `extraMiddleware`",
      );
    }
    return asks ? [approval(services.approval), ...middleware] : middleware;
  }
  if (asks && features?.approval === false) {
    throw contradiction("`features.approval` is off, and `permissions` or `interruptOn` ask for it");
  }
  return assembleMiddleware(
    "lead",
    { ...allFeatures(planMode), ...features },
    { mask: (text) => text, ...services },
    extraMiddleware,
  );
}

const contradiction = (reason: string) => new DeerflowError("invalid_request", { reason });
