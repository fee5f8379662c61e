/** The sandbox of an installation, from its configuration. */
import type { DeerflowConfig } from "../config/schema.js";
import type { AuditSink } from "../policy/audit-sink.js";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { chooseSandbox, type ChosenSandbox } from "../sandbox/choose-provider.js";
import { LocalProvider } from "../sandbox/local/local-provider.js";
import { networkPolicy } from "../sandbox/network/network-policy.js";
import type { NetworkRequest } from "../sandbox/network/network-request.js";

/** Characters of a command's output that are kept in memory. All of it goes past on the way, and into a file where it is long. */
const LIMITS = { outputCharacters: 100_000 };

/**
 * Probes for real; the host's own shell is among the candidates only where the configuration allows it.
 *
 * @param audit where requests of commands to the network are recorded
 * @throws DeerflowError `network_policy_invalid`
 */
export async function probeSandbox(config: DeerflowConfig, audit?: AuditSink): Promise<ChosenSandbox> {
  const { provider, allow_host_bash: allowHostBash } = config.sandbox;
  const network = networkPolicy(config.sandbox.network);
  const onNetworkRequest = audit && recordRequests(audit);
  return chooseSandbox({ provider, allowHostBash, network }, [
    new BubblewrapProvider({
      limits: LIMITS,
      network,
      ...(onNetworkRequest === undefined ? {} : { onNetworkRequest }),
    }),
    ...(allowHostBash ? [new LocalProvider({ allowHostBash, limits: LIMITS })] : []),
  ]);
}

/** The id of a sandbox is `provider:thread`. */
const recordRequests =
  (audit: AuditSink) =>
  ({ sandboxId, ...facts }: NetworkRequest): Promise<void> =>
    audit.record({
      type: "network.requested",
      threadId: sandboxId.slice(sandboxId.indexOf(":") + 1),
      ...facts,
    });
