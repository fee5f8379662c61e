/** What a policy means, in one sentence for people and models. */
import type { NetworkPolicy } from "./network-policy.js";

/** Names beyond these are counted. */
const SHOWN_ENTRIES = 20;

/** Pure. */
export function networkSentence(policy: NetworkPolicy): string {
  if (policy.mode === "none") return "Commands reach no network.";
  if (policy.mode === "open") return "Commands reach the whole network of the host, with nothing in between.";
  if (policy.allow.length === 0) return "Commands reach no network: the allow list is empty.";
  const rest = policy.allow.length - SHOWN_ENTRIES;
  const shown = policy.allow.slice(0, SHOWN_ENTRIES).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return `Commands reach only ${shown}, over HTTP and HTTPS through a proxy that the usual variables name.`;
}

/**
 * Why a provider cannot run commands under a policy; undefined when it can. Only bubblewrap holds an allow list: the
 * others have no wall around the network, or one that is not ours. Pure.
 */
export const networkObstacle = (provider: string, { mode }: NetworkPolicy): string | undefined =>
  mode === "allow_list" && provider !== "bubblewrap"
    ? `It cannot hold commands to sandbox.network.allow; only bubblewrap can. Set sandbox.network.mode to another.`
    : undefined;
