/** The sandbox of an installation, from its configuration. */
import type { DeerflowConfig } from "../config/schema.js";
import { threadOfSandbox } from "../context/sandbox-id.js";
import type { AuditSink } from "../policy/audit-sink.js";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { chooseSandbox, type ChosenSandbox, type SandboxChoice } from "../sandbox/choose-provider.js";
import type { SandboxProvider } from "../sandbox/contract.js";
import { AioProvider } from "../sandbox/docker/aio-provider.js";
import { DockerProvider } from "../sandbox/docker/docker-provider.js";
import type { CommandLimits } from "../sandbox/limits.js";
import { LocalProvider } from "../sandbox/local/local-provider.js";
import { networkPolicy } from "../sandbox/network/network-policy.js";
import type { NetworkRequest } from "../sandbox/network/network-request.js";
import { RemoteProvider } from "../sandbox/remote/remote-provider.js";

type SandboxSection = DeerflowConfig["sandbox"];

/** Characters of a command's output that are kept in memory. All of it goes past on the way, and into a file where it is long. */
const OUTPUT_CHARACTERS = 100_000;

/**
 * Probes for real; the host's own shell is among the candidates only where the configuration allows it.
 *
 * @param audit where requests of commands to the network are recorded
 * @throws DeerflowError `network_policy_invalid`
 */
export async function probeSandbox(config: DeerflowConfig, audit?: AuditSink): Promise<ChosenSandbox> {
  const { sandbox, identity } = config;
  const docker = dockerProviders(sandbox);
  const remote = remoteProviders(sandbox);
  const choice: SandboxChoice = {
    provider: sandbox.provider,
    allowHostBash: sandbox.allow_host_bash,
    identityEnabled: identity.enabled,
    configured: [...docker.map(() => "docker" as const), ...remote.map(() => "remote" as const)],
    network: networkPolicy(sandbox.network),
  };
  const providers = [bubblewrap(sandbox, audit), ...docker, ...remote, ...localProviders(sandbox)];
  return chooseSandbox(choice, providers);
}

/** What every provider is given. */
const commonOf = (sandbox: SandboxSection) => ({
  limits: limitsOf(sandbox),
  environment: sandbox.environment,
});

const limitsOf = ({ limits, bash_command_timeout }: SandboxSection): Partial<CommandLimits> => ({
  wallSeconds: bash_command_timeout,
  cpuSeconds: limits.cpu_seconds,
  processors: limits.processors,
  memoryMebibytes: limits.memory_mb,
  processes: limits.processes,
  openFiles: limits.open_files,
  fileMebibytes: limits.file_mb,
  temporaryMebibytes: limits.temporary_mb,
  freeDiskMebibytes: limits.free_disk_mb,
  outputCharacters: OUTPUT_CHARACTERS,
});

function bubblewrap(sandbox: SandboxSection, audit: AuditSink | undefined): SandboxProvider {
  const recording = audit === undefined ? {} : { onNetworkRequest: recordRequests(audit) };
  return new BubblewrapProvider({
    ...commonOf(sandbox),
    network: networkPolicy(sandbox.network),
    ...recording,
  });
}

const localProviders = (sandbox: SandboxSection): readonly SandboxProvider[] =>
  sandbox.allow_host_bash ? [new LocalProvider({ allowHostBash: true, ...commonOf(sandbox) })] : [];

/** What providers with costly sandboxes are given too. */
const keptOf = ({ replicas, idle_timeout }: SandboxSection) => ({ replicas, idleSeconds: idle_timeout });

function dockerProviders(sandbox: SandboxSection): readonly SandboxProvider[] {
  const {
    mode,
    image,
    base_url: baseUrl,
    api_key: apiKey,
    container_prefix: containerPrefix,
  } = sandbox.docker;
  const shared = {
    ...commonOf(sandbox),
    ...keptOf(sandbox),
    containerPrefix,
    network: sandbox.network.mode,
    ...(image === undefined ? {} : { image }),
  };
  if (mode === "exec") return image === undefined ? [] : [new DockerProvider({ ...shared, image })];
  if (image === undefined && baseUrl === undefined) return [];
  const address = baseUrl === undefined ? {} : { baseUrl };
  return [new AioProvider({ ...shared, ...address, ...(apiKey === undefined ? {} : { apiKey }) })];
}

function remoteProviders(sandbox: SandboxSection): readonly SandboxProvider[] {
  const { use, options, working_directory: workingDirectory } = sandbox.remote;
  if (use === undefined) return [];
  const folder = workingDirectory === undefined ? {} : { workingDirectory };
  return [new RemoteProvider({ ...commonOf(sandbox), ...keptOf(sandbox), use, options, ...folder })];
}

const recordRequests =
  (audit: AuditSink) =>
  ({ sandboxId, ...facts }: NetworkRequest): Promise<void> =>
    audit.record({
      type: "network.requested",
      threadId: threadOfSandbox(sandboxId),
      ...facts,
    });
