/**
 * The outer of two bubblewraps. The filter of the inner one refuses UNIX sockets, so a command cannot call the host's
 * proxy itself. The outer one has a network namespace of its own and no filter; in it a bridge carries what comes
 * over TCP to the proxy's socket. The inner one keeps that namespace and runs the command.
 */
import { EGRESS_LIMITS, EGRESS_SOCKET } from "../network/egress-proxy.js";
import type { Wrapper } from "./launch.js";
import { BRIDGE_PORT } from "./network-part.js";

export interface Bridge {
  readonly bubblewrap: string;
  /** Absolute path; it starts in a twentieth of node's time. */
  readonly socat: string | undefined;
  readonly nodePath: string;
  /** Where the proxy's socket lies. The inner walls hide it, and this whole command line with it. */
  readonly folder: string;
}

/** Without `--disable-userns`, for the inner one makes a user namespace in it. */
const OUTER = [
  ["--unshare-user"],
  ["--unshare-net"],
  ["--unshare-pid"],
  ["--unshare-ipc"],
  ["--unshare-uts"],
  ["--die-with-parent"],
  ["--new-session"],
  // The inner one becomes process 1: all ends with it, and the outer one reaps it.
  ["--as-pid-1"],
  // All of the host, as without this wrapper: the inner one takes its mounts from here.
  ["--dev-bind", "/", "/"],
  // The inner one looks its own processes up in /proc, so it needs that of its namespace. It is partly covered, and
  // below a covered one the kernel allows no new one; so the host's stays to be seen too, where nobody looks.
  ["--dev-bind", "/proc", "/sys"],
  ["--proc", "/proc"],
].flat();

const NODE_BRIDGE = `
const net = require("node:net");
const server = net.createServer({ allowHalfOpen: true }, (client) => {
  const host = net.connect({ path: "${EGRESS_SOCKET}", allowHalfOpen: true });
  const stop = () => { client.destroy(); host.destroy(); };
  client.on("error", stop).pipe(host);
  host.on("error", stop).pipe(client);
});
server.maxConnections = ${EGRESS_LIMITS.connections};
server.listen({ port: ${BRIDGE_PORT}, host: "127.0.0.1", backlog: 128 });
`;

const SOCAT_LISTEN = [
  `TCP4-LISTEN:${BRIDGE_PORT}`,
  "bind=127.0.0.1",
  "reuseaddr",
  "fork",
  "backlog=128",
  `max-children=${EGRESS_LIMITS.connections}`,
].join(",");
/** Seconds for which one direction may go on after the other has ended. */
const SOCAT_HALF_OPEN = 86_400;

/** `127.0.0.1:port` in the state LISTEN, as /proc/net/tcp has it on the little-endian processors that are supported. */
const LISTENING = `0100007F:${BRIDGE_PORT.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`;
const START_SECONDS = 30;

/**
 * Starts the words before `--` as the bridge, and when it listens becomes the words behind. Nothing ever comes from
 * the bridge's output but its end, so that reading from it is waiting.
 */
const SCRIPT = `words=()
while [[ $1 != -- ]]; do words+=("$1"); shift; done
shift
exec {bridge}< <(
  for entry in /proc/self/fd/*; do
    number=\${entry##*/}
    (( number > 2 )) && eval "exec $number>&-"
  done
  exec "\${words[@]}" </dev/null 2>/dev/null
)
until mapfile -t table </proc/net/tcp && [[ "\${table[*]}" == *"${LISTENING}"* ]]; do
  read -r -t 0.002 -u "$bridge"
  if (( $? <= 128 || SECONDS > ${START_SECONDS} )); then
    echo "sandbox: the bridge to the network did not start" >&2
    exit 1
  fi
done
exec {bridge}<&-
exec "$@"`;

/** How the shell begins its complaints. */
const SPEAKER = "sandbox";

/** Pure. The feeds stay where they are, for the inner bubblewrap. */
export const networkBridge =
  ({ bubblewrap, socat, nodePath, folder }: Bridge): Wrapper =>
  (inner) => {
    const program =
      socat === undefined
        ? [nodePath, "-e", NODE_BRIDGE]
        : [socat, "-t", String(SOCAT_HALF_OPEN), SOCAT_LISTEN, `UNIX-CONNECT:${EGRESS_SOCKET}`];
    const shell = ["/bin/bash", "--noprofile", "--norc", "-c", SCRIPT, SPEAKER];
    return {
      file: bubblewrap,
      arguments: [
        ...OUTER,
        "--chdir",
        folder,
        "--",
        ...shell,
        ...program,
        "--",
        inner.file,
        ...inner.arguments,
      ],
      feeds: inner.feeds,
    };
  };
