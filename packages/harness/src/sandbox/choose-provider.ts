/** Which sandbox an installation uses. Nothing here ever falls back to the host by itself. */
import type { SandboxHealth, SandboxProvider } from "./contract.js";

export interface SandboxChoice {
  readonly provider: "auto" | "bubblewrap" | "local" | "none";
  readonly allowHostBash: boolean;
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

/** Probes the candidates for real and takes the best that works. */
export async function chooseSandbox(
  choice: SandboxChoice,
  providers: readonly SandboxProvider[],
): Promise<ChosenSandbox> {
  const names = candidates(choice);
  const found = names.flatMap((name) => providers.filter((provider) => provider.name === name));
  const missing = names
    .filter((name) => !found.some((provider) => provider.name === name))
    .map((name) => ({ provider: name, available: false, reason: "This installation does not have it." }));
  const probed = await Promise.all(found.map((provider) => provider.health()));
  const health = [...ruledOut(choice), ...probed, ...missing];
  const provider = found.find((_, index) => probed[index]?.available);
  return provider === undefined ? { health } : { provider, health };
}
