/** Which sandbox an installation uses. Nothing here ever falls back to the host by itself. */
import type { SandboxHealth, SandboxProvider } from "./contract.js";
import type { NetworkPolicy } from "./network/network-policy.js";
import { networkObstacle } from "./network/network-sentence.js";

export interface SandboxChoice {
  readonly provider: "auto" | "bubblewrap" | "docker" | "remote" | "local" | "none";
  readonly allowHostBash: boolean;
  /** Providers that need settings and have them. */
  readonly configured?: readonly ("docker" | "remote")[];
  /** Whether several people use this installation. */
  readonly identityEnabled?: boolean;
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
const LADDER = ["bubblewrap", "docker", "remote"] as const;

/** What a provider cannot do without; it comes into question only with that. */
const NEEDED_SETTINGS: Readonly<Record<string, string>> = {
  docker: "sandbox.docker.image (or base_url, in the mode aio)",
  remote: "sandbox.remote.use",
};

const isConfigured = (name: string, { configured = [] }: SandboxChoice): boolean =>
  !(name in NEEDED_SETTINGS) || configured.some((each) => each === name);

/** The providers that come into question, best first. Pure. */
export const candidates = (choice: SandboxChoice): readonly string[] => {
  if (ruledOut(choice).length > 0) return [];
  return choice.provider === "auto" ? LADDER.filter((name) => isConfigured(name, choice)) : [choice.provider];
};

/** Rows for what the configuration itself rules out. Pure. */
export const ruledOut = (choice: SandboxChoice): readonly SandboxHealth[] => {
  const reason = obstacle(choice);
  return reason === undefined ? [] : [{ provider: choice.provider, available: false, reason }];
};

function obstacle(choice: SandboxChoice): string | undefined {
  const { provider, allowHostBash, identityEnabled = false } = choice;
  if (provider === "none") return "The configuration switches the sandbox off.";
  if (provider === "local" && identityEnabled) {
    return "Commands would run on the host itself; with identity.enabled several people would share it.";
  }
  if (provider === "local" && !allowHostBash) {
    return "Commands would run on the host itself; that needs sandbox.allow_host_bash: true.";
  }
  return isConfigured(provider, choice) ? undefined : `It needs ${NEEDED_SETTINGS[provider]}.`;
}

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
