/** Which sandbox runs commands, as clients are told. */
import type { Host } from "@deerflow/harness";
import type { Health } from "@deerflow/protocol";

/** The row of the provider that runs commands, or all reasons why none does. Pure. */
export function sandboxHealth({ provider, health }: Host["sandbox"]): Health["sandbox"] {
  const active = provider && health.find((row) => row.provider === provider.name);
  if (active === undefined) {
    return { provider: "none", available: false, reason: health.map((row) => row.reason).join(" ") };
  }
  const { reason, limits, network } = active;
  return {
    provider: active.provider,
    available: true,
    reason,
    ...(limits === undefined ? {} : { limits }),
    ...(network === undefined ? {} : { network }),
  };
}
