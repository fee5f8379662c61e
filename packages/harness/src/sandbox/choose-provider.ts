/** Which sandbox an installation uses. Nothing here ever falls back to the host by itself. */
import type { SandboxHealth, SandboxProvider } from "./contract.js";
import type { NetworkPolicy } from "./network/network-policy.js";
import { networkObstacle } from "./network/network-sentence.js";

export interface SandboxChoice {
  readonly provider: "auto" | "bubblewrap" | "local" | "none";
  readonly allowHostBash: boolean;
  /** What commands may reach; a sandbox that cannot hold them to it does not come into question. */
  readonly network?: NetworkPolicy;
}

export interface ChosenSandbox {
  /** Absent when no command can run; `health` says why. */
  readonly provider?: SandboxProvider;
  /** One row for each sandbox that came into question. */
  readonly health: readonly SandboxHealth[];
}

/** What `auto` tries, best first. The host is not among it: it is used only where it is named. */
const LADDER = ["bubblewrap"] as const;

/** The providers that come into question, best first. Pure. */
export const candidates = ({ provider, allowHostBash }: SandboxChoice): readonly string[] => {
  if (provider === "none" || (provider === "local" && !allowHostBash)) return [];
  return provider === "auto" ? LADDER : [provider];
};

/** Rows for what the configuration itself rules out. Pure. */
export const ruledOut = ({ provider, allowHostBash }: SandboxChoice): readonly SandboxHealth[] => {
  if (provider === "none") {
    return [{ provider: "none", available: false, reason: "The configuration switches the sandbox off." }];
  }
  if (provider === "local" && !allowHostBash) {
    const reason = "Commands would run on the host itself; that needs sandbox.allow_host_bash: true.";
    return [{ provider: "local", available: false, reason }];
  }
  return [];
};

const networkRow = (provider: string, { network }: SandboxChoice): readonly SandboxHealth[] => {
  const reason = networkObstacle(provider, network ?? { mode: "none" });
  return reason === undefined ? [] : [{ provider, available: false, reason }];
};

/** Probes the candidates for real and takes the best that works. */
export async function chooseSandbox(
  choice: SandboxChoice,
  providers: readonly SandboxProvider[],
): Promise<ChosenSandbox> {
  const obstacles = candidates(choice).flatMap((name) => networkRow(name, choice));
  const names = candidates(choice).filter((name) => networkRow(name, choice).length === 0);
  const found = names.flatMap((name) => providers.filter((provider) => provider.name === name));
  const missing = names
    .filter((name) => !found.some((provider) => provider.name === name))
    .map((name) => ({ provider: name, available: false, reason: "This installation does not have it." }));
  const probed = await Promise.all(found.map((provider) => provider.health()));
  const health = [...ruledOut(choice), ...obstacles, ...probed, ...missing];
  const provider = found.find((_, index) => probed[index]?.available);
  return provider === undefined ? { health } : { provider, health };
}
