/** One installation, opened: configuration, storage, sandbox, models, agents and runs, wired together. No logic. */
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { LEAD_AGENT, makeLeadAgent, threadFiles } from "../agent/lead-agent.js";
import type { AgentFactory } from "../agent/contract.js";
import { lineLogger, type Logger } from "../base/logger.js";
import { ConfigSource } from "../config/config-source.js";
import type { DeerflowConfig } from "../config/schema.js";
import { auditLogPath, resolveHome, threadDirectories } from "../context/home-paths.js";
import type { Principal } from "../context/principal.js";
import { sandboxId } from "../context/sandbox-id.js";
import type { ModelCatalogue } from "../models/contract.js";
import { assertProvidersKnown } from "../models/registry.js";
import type { Persistence } from "../persistence/contract.js";
import type { DatabaseLocation } from "../persistence/sql/database-location.js";
import { loggingAuditSink } from "../policy/audit-sink.js";
import type { ChosenSandbox } from "../sandbox/choose-provider.js";
import { MemoryStreamBridge } from "./bridge/memory-stream-bridge.js";
import type { StreamBridge } from "./bridge/contract.js";
import { CheckpointPruner } from "./checkpoint-pruner.js";
import { checkSandboxConfig } from "./check-sandbox-config.js";
import { currentModels } from "./current-models.js";
import { fileLogger } from "./file-logger.js";
import {
  type DatabaseFolders,
  databaseFolders,
  databaseLocations,
  lostOnRestart,
} from "./database-location.js";
import { admissionOf } from "./database-switch/admission.js";
import type { InstalledDatabases } from "./database-switch/contract.js";
import type { DatabaseSwitch } from "./database-switch/database-switch.js";
import { type OpenDatabases, openDatabases } from "./database-switch/open-databases.js";
import { readSwitchTarget } from "./database-switch/switch-target.js";
import { removeThreadFiles } from "./remove-thread-files.js";
import { InProcessRunQueue } from "./run-queue/in-process-run-queue.js";
import { RunManager } from "./run-manager.js";
import { StorageQuota } from "./quota/storage-quota.js";
import { probeSandbox } from "./sandbox-choice.js";
import { ThreadService } from "./thread-service.js";

export interface HostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly configPath?: string;
  /** Lines to standard error at the configured level when absent. */
  readonly logger?: Logger;
  /**
   * Refuses SQLite files that another process serves, keeps others from serving them, and takes care of what is
   * stored in the background. Default false.
   */
  readonly serving?: boolean;
}

export interface Host {
  /** The folder that holds everything; absolute. */
  readonly home: string;
  readonly logger: Logger;
  readonly persistence: Persistence;
  /** The key-value store of the principal's tenant. */
  store(principal: Principal): BaseStore;
  /** Puts another database in the place of the one in use. */
  readonly databaseSwitch: DatabaseSwitch;
  /** Where the data lies now, and how far a switch is. */
  databases(): InstalledDatabases;
  /**
   * A place of a database as the configuration would name it.
   * @throws DeerflowError `database_switch_invalid`
   */
  readDatabase(place: string, schema?: string): DatabaseLocation;
  readonly bridge: StreamBridge;
  readonly runs: RunManager;
  readonly threads: ThreadService;
  /** What threads and users keep, and may keep. */
  readonly quota: StorageQuota;
  readonly agents: AgentFactory;
  readonly sandbox: ChosenSandbox;
  /** Which sandbox runs commands, or why none does, for a person. */
  readonly sandboxDescription: string;
  /** The configuration that holds now. */
  config(): DeerflowConfig;
  /** The models of the configuration that holds now, or of the last one whose models could be resolved. */
  models(): Promise<ModelCatalogue>;
  /** Stops the runs, waits for them and closes everything. */
  close(): Promise<void>;
}

/**
 * Opens an installation.
 * @throws DeerflowError `config_*`, `sandbox_mount_invalid`, `database_*`; then nothing stays open
 */
export async function openHost(options: HostOptions): Promise<Host> {
  const { env, cwd, configPath } = options;
  const level = new ConfigSource({ env, cwd, ...(configPath ? { path: configPath } : {}) }).current()
    .log_level;
  const logger = options.logger ?? lineLogger(level, (line) => process.stderr.write(`${line}\n`));
  const source = new ConfigSource({ env, cwd, ...(configPath ? { path: configPath } : {}) }, logger);
  const config = source.current();
  assertProvidersKnown(config.models); // before anything is written
  const home = resolveHome(env, cwd);
  checkSandboxConfig(config, home);
  const folders = databaseFolders(home, cwd, source.path);
  const locations = databaseLocations(config, folders);
  const lost = lostOnRestart(locations);
  if (lost !== undefined) logger.warn(lost);
  const databases = await openDatabases({ home, locations, logger, serving: options.serving ?? false });
  try {
    return await wire({ env, logger, source, home, folders, databases, serving: options.serving ?? false });
  } catch (error) {
    await databases.close();
    throw error;
  }
}

interface Parts {
  readonly env: HostOptions["env"];
  readonly logger: Logger;
  readonly source: ConfigSource;
  readonly home: string;
  readonly folders: DatabaseFolders;
  readonly databases: OpenDatabases;
  readonly serving: boolean;
}

async function wire({ env, logger, source, home, folders, databases, serving }: Parts): Promise<Host> {
  const { persistence, databaseSwitch } = databases;
  const store = (principal: Principal): BaseStore => persistence.store(principal);
  const config = (): DeerflowConfig => source.current();
  const models = currentModels({ config, env, logger });
  const audit = loggingAuditSink(fileLogger(auditLogPath(home), "info"));
  const sandbox = await probeSandbox(config(), audit);
  const agents = makeLeadAgent({
    home,
    config,
    models,
    audit,
    logger,
    store,
    ...sandboxParts(sandbox),
  });
  const bridge = new MemoryStreamBridge();
  const { default_recursion_limit, max_recursion_limit } = config();
  const limits = {
    defaultRecursionLimit: default_recursion_limit,
    maximumRecursionLimit: max_recursion_limit,
  };
  const queue = new InProcessRunQueue();
  const quota = quotaOf({ persistence, config, home });
  const admission = admissionOf(databases.router);
  const runs = new RunManager({ persistence, bridge, queue, agents, limits, quota, logger, admission });
  await runs.reconcile();
  const pruner = prunerOf({ databases, config, logger });
  if (serving) pruner.start();
  const removeFiles = async (principal: Principal, threadId: string) => {
    const { provider } = sandbox;
    await provider?.destroy(sandboxId(provider.name, principal, threadId));
    return removeThreadFiles(home, principal, threadId);
  };
  return {
    home,
    logger,
    persistence,
    store,
    databaseSwitch,
    databases: () => databases.status(),
    readDatabase: (place, schema) => readSwitchTarget({ to: place, schema }, folders),
    bridge,
    runs,
    threads: new ThreadService({ persistence, agents, runs, removeFiles, defaultAssistantId: LEAD_AGENT }),
    quota,
    agents,
    sandbox,
    sandboxDescription: describeSandbox(sandbox),
    config,
    models,
    async close() {
      await pruner.stop();
      await runs.close();
      await bridge.close();
      await sandbox.provider?.close();
      await databases.close();
    },
  };
}

const quotaOf = (parts: { persistence: Persistence; config: () => DeerflowConfig; home: string }) =>
  new StorageQuota({
    persistence: parts.persistence,
    limits() {
      const { thread_bytes: threadBytes, user_bytes: userBytes } = parts.config().quota;
      return { threadBytes, userBytes };
    },
    files: async (principal, threadId) => threadFiles(threadDirectories(parts.home, principal, threadId)),
  });

const prunerOf = (parts: { databases: OpenDatabases; config: () => DeerflowConfig; logger: Logger }) =>
  new CheckpointPruner({
    databases() {
      const { databaseSwitch, router } = parts.databases;
      const phase = databaseSwitch.status?.phase;
      return phase === "copying" || phase === "draining" ? undefined : router.current.databases;
    },
    policy: () => parts.config().database.retention,
    logger: parts.logger,
  });

const sandboxParts = ({ provider, health }: ChosenSandbox) => {
  if (provider === undefined) return {};
  const network = health.find((row) => row.provider === provider.name)?.network;
  return { sandboxProvider: provider, ...(network === undefined ? {} : { sandboxNetwork: network }) };
};

const describeSandbox = ({ provider, health }: ChosenSandbox): string =>
  provider === undefined
    ? `none (${health.map((row) => `${row.provider}: ${row.reason}`).join(" ")})`
    : provider.name;
