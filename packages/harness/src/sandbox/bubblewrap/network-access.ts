/** The network of a provider's commands: walls, bridge and proxy together, for as long as one command runs. */
import { findExecutable } from "../../base/find-executable.js";
import { EgressProxy } from "../network/egress-proxy.js";
import { allowEntries, networkPolicy, type NetworkPolicy } from "../network/network-policy.js";
import { networkSentence } from "../network/network-sentence.js";
import type { NetworkRequest } from "../network/network-request.js";
import { type NetworkReach, SYSTEM_REACH } from "../network/reach-target.js";
import type { PathReplacement } from "../path-mask.js";
import type { NetworkPart } from "./bubblewrap-arguments.js";
import type { Wrapper } from "./launch.js";
import { networkBridge } from "./network-bridge.js";
import { networkPart } from "./network-part.js";

export interface NetworkOptions {
  /** What commands may reach; nothing when absent. */
  readonly network?: NetworkPolicy;
  /**
   * With an allow list, told of every request when it has ended, and before the command's result is there. After a
   * rejection no further request of that command is let through.
   */
  readonly onNetworkRequest?: (request: NetworkRequest) => void | Promise<void>;
  /** With an allow list, how names are looked up and addresses are called. */
  readonly networkReach?: Partial<NetworkReach>;
  /** Where `socat` is looked for; node does its work where it is not. The `PATH` of this process by default. */
  readonly searchPath?: string;
  /** Host user of the sandbox's processes, who may call the proxy. */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

/** What a command needs to be started with. */
export interface NetworkForCommand {
  readonly part: NetworkPart;
  readonly wrappers: readonly Wrapper[];
  /** Host paths that only this command's processes know. */
  readonly replacements: readonly PathReplacement[];
}

export class NetworkAccess {
  readonly #options: NetworkOptions;
  readonly #policy: NetworkPolicy;
  readonly #socat: string | undefined;
  #swept = false;

  /** @throws DeerflowError `network_policy_invalid` */
  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#policy = networkPolicy(options.network ?? { mode: "none" });
    this.#socat = findExecutable("socat", options.searchPath ?? process.env["PATH"]);
  }

  /** What commands reach, for a person and for a model. */
  get sentence(): string {
    return networkSentence(this.#policy);
  }

  /** Runs one command; what it holds open of the network is closed before this resolves. */
  async during<T>(
    sandboxId: string,
    host: { readonly bubblewrap: string; readonly nodePath: string },
    run: (network: NetworkForCommand) => Promise<T>,
  ): Promise<T> {
    const part = networkPart(this.#policy);
    if (this.#policy.mode !== "allow_list") return run({ part, wrappers: [], replacements: [] });
    if (!this.#swept) EgressProxy.sweep();
    this.#swept = true;
    const { onNetworkRequest, networkReach, identity } = this.#options;
    const proxy = await EgressProxy.open({
      sandboxId,
      allow: allowEntries(this.#policy.allow),
      reach: { ...SYSTEM_REACH, ...networkReach },
      ...(onNetworkRequest === undefined ? {} : { onRequest: onNetworkRequest }),
      ...(identity === undefined ? {} : { owner: identity }),
    });
    try {
      return await run({
        part,
        wrappers: [networkBridge({ ...host, socat: this.#socat, folder: proxy.folder })],
        replacements: [{ from: proxy.folder, to: "the proxy's folder" }],
      });
    } finally {
      await proxy.close();
    }
  }
}
