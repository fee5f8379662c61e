/** The sandbox of an installation, from its configuration. */
import type { DeerflowConfig } from "../config/schema.js";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { chooseSandbox, type ChosenSandbox } from "../sandbox/choose-provider.js";
import { LocalProvider } from "../sandbox/local/local-provider.js";

/** Characters of a command's output that are kept: a long result goes into a file whole, and a model sees a part. */
const LIMITS = { outputCharacters: 10 * 1024 * 1024 };

/** Probes for real; the host's own shell is among the candidates only where the configuration allows it. */
export function probeSandbox(config: DeerflowConfig): Promise<ChosenSandbox> {
  const { provider, allow_host_bash: allowHostBash } = config.sandbox;
  return chooseSandbox({ provider, allowHostBash }, [
    new BubblewrapProvider({ limits: LIMITS }),
    ...(allowHostBash ? [new LocalProvider({ allowHostBash, limits: LIMITS })] : []),
  ]);
}
