/** Builds the lead agent of one run from an installation's parts. Assembly only. */
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { Logger } from "../base/logger.js";
import type { DeerflowConfig } from "../config/schema.js";
import { type ThreadDirectories, threadDirectories, VIRTUAL_WORKSPACE } from "../context/home-paths.js";
import type { Principal } from "../context/principal.js";
import { sandboxId } from "../context/sandbox-id.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import type { InterruptOn, ToolApproval } from "../middleware/approval-pauses.js";
import type { CommandAuditSettings } from "../middleware/command-gate.js";
import { createThreadDirectories } from "../middleware/thread-data.js";
import type { MiddlewareServices } from "../middleware/order.js";
import type { ModelCatalogue } from "../models/contract.js";
import type { AuditSink } from "../policy/audit-sink.js";
import type { SandboxMount, SandboxProvider } from "../sandbox/contract.js";
import { LazySandbox } from "../sandbox/lazy-sandbox.js";
import { maskPaths } from "../sandbox/path-mask.js";
import { addedMounts } from "./added-mounts.js";
import type { AgentFactory, AgentRequest, PreparedAgent } from "./contract.js";
import { createDeerflowAgent } from "./create-deerflow-agent.js";
import { offloadServices, outputFilesOf } from "./lead-agent-offload.js";
import { leadAgentState } from "./lead-agent-state.js";
import { leadAgentTools } from "./lead-agent-tools.js";
import { type AgentRunContext, parseAgentRunContext } from "./run-context.js";
import { leadAgentPrompt } from "./system-prompt.js";
import { takesMedia } from "./takes-media.js";

/** The one assistant of this version, by the name that DeerFlow's clients send. */
export const LEAD_AGENT = "lead_agent";

/** What an installation gives its agents. */
export interface LeadAgentParts {
  readonly home: string;
  /** Read once per run, so that an edit of the configuration counts from the next run on. */
  readonly config: () => DeerflowConfig;
  readonly models: () => Promise<ModelCatalogue>;
  /** Absent: there is no shell tool. */
  readonly sandboxProvider?: SandboxProvider;
  /** What its commands reach of the network, in one sentence. */
  readonly sandboxNetwork?: string;
  readonly audit: AuditSink;
  readonly logger: Logger;
  /** The key-value store of a tenant, for its tools and middleware. */
  readonly store?: (principal: Principal) => BaseStore;
}

/** @returns the factory that the runtime calls once per run */
export const makeLeadAgent =
  (parts: LeadAgentParts): AgentFactory =>
  async (request: AgentRequest): Promise<PreparedAgent> => {
    const config = parts.config();
    const wish = parseAgentRunContext(request.context);
    const catalogue = await parts.models();
    const model = catalogue.createChatModel(wish.modelName, {
      ...(wish.thinking === undefined ? {} : { thinking: wish.thinking }),
      ...(wish.reasoningEffort === undefined ? {} : { reasoningEffort: wish.reasoningEffort }),
    });
    const modelName = wish.modelName ?? catalogue.models[0]?.name ?? "";
    const services = {
      ...servicesOf(parts, config, request),
      modelName,
      recentMedia: { maxImages: config.media.max_images, maxBytes: config.media.max_bytes },
      takesMedia: takesMedia(catalogue.models.find(({ name }) => name === modelName)),
    };
    return {
      graph: createDeerflowAgent({
        model,
        tools: (files, offloadFiles, sandbox) => {
          const outputFiles = outputFilesOf(config, offloadFiles, parts.logger);
          const given = { logger: parts.logger, files, outputFiles, ...(sandbox && { sandbox }) };
          return leadAgentTools({ config, services: given, clarification: !wish.nonInteractive });
        },
        permissions: config.permissions,
        home: VIRTUAL_WORKSPACE,
        interruptOn: interruptOnOf(config),
        commandAudit: commandAuditOf(config, wish),
        systemPrompt: promptOf(parts, config, wish),
        planMode: wish.planMode,
        features: featuresOf(config, wish),
        services,
        stateSchema: leadAgentState,
        checkpointer: request.checkpointer,
        ...(parts.store && { store: parts.store(request.principal) }),
        name: request.assistantId,
      }),
      modelName,
      close: async () => services.sandbox?.release(),
    };
  };

/** The three folders of a thread, as every tool and every command sees them. */
export const threadMounts = (directories: ThreadDirectories): readonly SandboxMount[] =>
  Object.entries(directories).map(([name, hostPath]: [string, string]) => ({
    virtualPath: `/mnt/user-data/${name}`,
    hostPath,
    mode: "read-write",
  }));

/** A thread's files, as its agent sees them. */
export const threadFiles = (
  directories: ThreadDirectories,
  added: readonly SandboxMount[] = [],
): MountedDiskBackend => new MountedDiskBackend({ mounts: [...threadMounts(directories), ...added] });

type LeadAgentServices = Omit<MiddlewareServices, "commands"> & Required<Pick<MiddlewareServices, "files">>;

function servicesOf(
  parts: LeadAgentParts,
  config: DeerflowConfig,
  { principal, threadId }: AgentRequest,
): LeadAgentServices {
  const directories = threadDirectories(parts.home, principal, threadId);
  createThreadDirectories(directories);
  const added = addedMounts(config, parts.home);
  const mounts = [...threadMounts(directories), ...added];
  const provider = parts.sandboxProvider;
  const id = sandboxId(provider?.name ?? "none", principal, threadId);
  const spec = { id, mounts, workingDirectory: VIRTUAL_WORKSPACE };
  const replacements = mounts.map(({ hostPath, virtualPath }) => ({ from: hostPath, to: virtualPath }));
  return {
    logger: parts.logger,
    audit: parts.audit,
    mask: (text) => maskPaths(replacements, text),
    directories,
    files: threadFiles(directories, added),
    ...offloadServices(config),
    ...(provider === undefined ? {} : { sandbox: new LazySandbox(provider, spec) }),
    title: { maxWords: config.title.max_words, maxCharacters: config.title.max_chars },
  };
}

function promptOf(
  { home, sandboxProvider, sandboxNetwork = "" }: LeadAgentParts,
  config: DeerflowConfig,
  { nonInteractive }: AgentRunContext,
): string {
  const shell = { network: sandboxNetwork, variables: Object.keys(config.sandbox.environment) };
  return leadAgentPrompt({
    clarification: !nonInteractive,
    mounts: addedMounts(config, home),
    ...(sandboxProvider === undefined ? {} : { shell }),
  });
}

const interruptOnOf = ({ interrupt_on: tools }: DeerflowConfig): InterruptOn =>
  Object.fromEntries(Object.entries(tools).map(([tool, entry]) => [tool, approvalOf(entry)]));

const commandAuditOf = (
  { command_audit: { mode, severity }, command_rules: rules }: DeerflowConfig,
  { nonInteractive }: AgentRunContext,
): CommandAuditSettings => ({ rules, severity, mode, canAsk: !nonInteractive });

function approvalOf(entry: DeerflowConfig["interrupt_on"][string]): boolean | ToolApproval {
  if (typeof entry === "boolean") return entry;
  const { allowed_decisions: allowedDecisions, description } = entry;
  return {
    ...(allowedDecisions === undefined ? {} : { allowedDecisions }),
    ...(description === undefined ? {} : { description }),
  };
}

const featuresOf = (config: DeerflowConfig, wish: AgentRunContext) => ({
  title: config.title.enabled,
  readBeforeWrite: config.read_before_write.enabled,
  toolOutputOffload: config.tool_output.enabled,
  messageOffload: config.tool_output.enabled,
  clarification: !wish.nonInteractive,
});
