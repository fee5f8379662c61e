/** What the walls of a sandbox leave open of the network, as data. */
import type { NetworkPolicy } from "../network/network-policy.js";
import { NO_NETWORK, type NetworkPart } from "./bubblewrap-arguments.js";

/** Where the bridge listens. The network namespace is the sandbox's own, so the port is always free. */
export const BRIDGE_PORT = 3128;
const PROXY = `http://127.0.0.1:${BRIDGE_PORT}`;

/** Programs agree neither on the case of these names nor on which of them they read. */
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] as const;

const OWN_NAMES = "localhost,127.0.0.1,::1";

const PARTS: Readonly<Record<NetworkPolicy["mode"], NetworkPart>> = {
  none: NO_NETWORK,
  // The namespace that is kept is the one around it, in which only the bridge listens.
  allow_list: {
    options: [["--share-net"]],
    env: {
      ...Object.fromEntries(
        PROXY_VARIABLES.flatMap((name) => [
          [name, PROXY],
          [name.toLowerCase(), PROXY],
        ]),
      ),
      // A server that the command itself started; nothing of the host is there.
      NO_PROXY: OWN_NAMES,
      no_proxy: OWN_NAMES,
      // Node reads the variables above only when it is told to.
      NODE_USE_ENV_PROXY: "1",
    },
  },
  open: {
    options: [["--share-net"], ["--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"]],
    env: {},
  },
};

export const networkPart = ({ mode }: NetworkPolicy): NetworkPart => PARTS[mode];
