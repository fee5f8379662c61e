/** What commands reach of the network, in the real sandbox. Nothing here leaves 127.0.0.1. */
import { spawnSync } from "node:child_process";
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findExecutable } from "../../base/find-executable.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { type FreshSandbox, openSandbox } from "../../testing/open-sandbox.js";
import { SELF_SIGNED } from "../../testing/self-signed.js";
import type { NetworkRequest } from "../network/network-request.js";
import { type BubblewrapOptions, BubblewrapProvider } from "./bubblewrap-provider.js";

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const works = await bubblewrapWorks();

/** All that this file's sandboxes leave lies here, and nothing of the tests beside it. */
const FOLDER = mkdtempSync(join(tmpdir(), "deerflow-network-"));
/** A search path without `socat`: node is the bridge. */
const WITHOUT_SOCAT = join(FOLDER, "bin");
const before = process.env["TMPDIR"];
beforeAll(() => {
  chmodSync(FOLDER, 0o755); // Another user passes.
  mkdirSync(WITHOUT_SOCAT);
  symlinkSync(findExecutable("bwrap", process.env["PATH"]) ?? "/nowhere", join(WITHOUT_SOCAT, "bwrap"));
  process.env["TMPDIR"] = FOLDER;
});
afterAll(() => {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  rmSync(FOLDER, { recursive: true });
});

interface Row {
  readonly name: string;
  readonly identity?: NonNullable<BubblewrapOptions["identity"]>;
  readonly searchPath?: string;
}

/** Host users and bridges. A root host is the harder case, and an ordinary user the common one. */
const ROWS: readonly Row[] = [
  { name: "the host's own user" },
  { name: "the host's own user, with node as the bridge", searchPath: WITHOUT_SOCAT },
  ...(isRoot
    ? [
        { name: "an ordinary user", identity: NOBODY },
        { name: "an ordinary user, with node as the bridge", identity: NOBODY, searchPath: WITHOUT_SOCAT },
      ]
    : []),
];

const PUBLIC = "93.184.216.34";
/** Names as a resolver of the internet would give them, some with an eye on the inside. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "example.com": [PUBLIC],
  "secure.example.com": [PUBLIC],
  "slow.example.com": [PUBLIC],
  "loopback.example.com": ["127.0.0.1"],
  "private.example.com": [PUBLIC, "10.0.0.7"],
  "metadata.example.com": ["169.254.169.254"],
};

const INSIDE = [
  "http://127.0.0.1/",
  "http://localhost/",
  "http://0x7f.1/",
  "http://2130706433/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://10.0.0.1/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
  "http://loopback.example.com/",
  "http://private.example.com/",
  "http://metadata.example.com/",
  "https://loopback.example.com/",
  "https://169.254.169.254/",
] as const;

const portOf = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Listening on a TCP port, so the address is no string.
  return (server.address() as AddressInfo).port;
};

/** Command lines of this machine's processes, but for those that ended and wait to be collected. */
const processesWith = (text: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return ""; // It ended in the meantime.
      }
    })
    .filter((line) => line.includes(text));

const egressFolders = (): readonly string[] =>
  readdirSync(FOLDER).filter((name) => name.includes(".egress-"));

describe.skipIf(!works).each(ROWS)("with an allow list, as $name, a command", ({ identity, searchPath }) => {
  let opened: FreshSandbox;
  let events: NetworkRequest[] = [];
  let requests: string[] = [];
  let lookups = 0;
  let provider: BubblewrapProvider;
  const servers: { close(): unknown }[] = [];
  let hostPort = 0;
  let datagrams: DatagramSocket;
  let received = 0;

  const execute = (command: string, timeoutSeconds = 30) =>
    opened.sandbox.execute({ command, timeoutSeconds });
  const output = async (command: string) => (await execute(command)).output;

  beforeAll(async () => {
    const plain = createServer((request, response) => {
      requests.push(`${request.headers.host}${request.url}`);
      if (request.headers.host !== "slow.example.com") response.end(`plain ${request.url}\n`);
    });
    const secure = createTlsServer(SELF_SIGNED, (request, response) => {
      requests.push(`${request.headers.host}${request.url}`);
      response.end("secure\n");
    });
    hostPort = await portOf(plain);
    const securePort = await portOf(secure);
    datagrams = createSocket("udp4", () => {
      received += 1;
    });
    await new Promise<void>((resolve) => datagrams.bind(0, "127.0.0.1", resolve));
    servers.push(plain, secure, datagrams);
    provider = new BubblewrapProvider({
      ...(identity === undefined ? {} : { identity }),
      ...(searchPath === undefined ? {} : { searchPath }),
      network: { mode: "allow_list", allow: ["example.com", "*.example.com"] },
      onNetworkRequest: (event) => void events.push(event),
      networkReach: {
        lookup: async (name) => {
          lookups += 1;
          return NAMES[name] ?? [];
        },
        connect: (_address, port) =>
          connect({ host: "127.0.0.1", port: port === 443 ? securePort : hostPort, allowHalfOpen: true }),
      },
    });
    opened = await openSandbox(provider, identity);
  });
  afterAll(async () => {
    await opened.close();
    for (const server of servers) server.close();
  });
  beforeEach(() => {
    events = [];
    requests = [];
    lookups = 0;
  });

  it("works at all, and says what it reaches", async () => {
    const health = await provider.health();
    expect(health).toMatchObject({
      available: true,
      network: expect.stringContaining("only example.com, *."),
    });
  });

  it("reaches an allowed host, and the log has one event for each request", async () => {
    expect(await output("curl -sS http://example.com/a http://www.example.com/b")).toContain("plain /a");
    expect(requests).toEqual(["example.com/a"]);
    expect(events.map(({ host, port, verdict, sandboxId }) => ({ host, port, verdict, sandboxId }))).toEqual([
      { host: "example.com", port: 80, verdict: "allowed", sandboxId: opened.sandbox.id },
      { host: "www.example.com", port: 80, verdict: "allowed", sandboxId: opened.sandbox.id },
    ]);
    expect(events.map(({ reason }) => reason)).toEqual(["example.com", "name_not_found"]);
  });

  it("reaches it over TLS, end to end", async () => {
    expect(await output("curl -ksS https://secure.example.com/x")).toBe("secure\n");
    expect(events).toMatchObject([{ method: "CONNECT", host: "secure.example.com", verdict: "allowed" }]);
    expect(events[0]?.bytesIn).toBeGreaterThan(500);
  });

  it("sees why a host that is not on the list is refused", async () => {
    const printed = await output(
      "curl -sS -w '%{http_code}' http://example.org/; curl -sS https://example.org/",
    );
    expect(printed).toContain("example.org is not on the sandbox's allow list. The operator can add it");
    expect(printed).toContain("403");
    expect(events.map(({ verdict }) => verdict)).toEqual(["refused", "refused"]);
    expect(lookups).toBe(0);
  });

  it("does not reach what lies inside, in any spelling, and not by a name for it either", async () => {
    const calls = INSIDE.map((url) => `curl -fgksS --noproxy '' '${url}' 2>/dev/null; echo $?`);
    const codes = (await output(calls.join("\n"))).trim().split("\n");
    // An answer that is an error, also to the opening of a tunnel.
    expect(codes).toEqual(INSIDE.map(() => "22"));
    expect(requests).toEqual([]);
    expect(events.map(({ verdict }) => verdict)).toEqual(INSIDE.map(() => "refused"));
  });

  it("reaches nothing around the proxy: not the host's loopback, no UDP, no names", async () => {
    const udpPort = datagrams.address().port;
    const direct = [
      `exec 5<>/dev/tcp/127.0.0.1/${hostPort}`,
      `curl -sS --noproxy '*' http://127.0.0.1:${hostPort}/`,
      `curl -sS --noproxy '*' --connect-timeout 2 http://${PUBLIC}/`,
      `curl -sS --noproxy '*' --connect-timeout 2 http://169.254.169.254/`,
      `node -e 'require("dns").resolve4("example.com", (error) => process.exit(error ? 1 : 0))'`,
    ];
    for (const command of direct) expect((await execute(`(${command})`)).exitCode).not.toBe(0);
    await execute(`echo x > /dev/udp/127.0.0.1/${udpPort}; echo x > /dev/udp/${PUBLIC}/53`);
    expect(await output("cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '")).toBe("lo\n");
    expect([requests, events, received, lookups]).toEqual([[], [], 0, 0]);
  });

  it("has no UNIX sockets, and cannot call the proxy itself", async () => {
    const printed = await output(
      `node -e 'require("net").connect("/tmp/x.sock").on("error", (error) => console.log(error.code))'; ` +
        `curl -sS --unix-socket /tmp/x.sock http://example.com/; ls -d /tmp/*egress-*`,
    );
    expect(printed).toMatch(/^EPERM\n/);
    expect(printed).toContain("No such file or directory");
    expect(events).toEqual([]);
  });

  it("cannot change its network, nor make another", async () => {
    const attempts = [
      "unshare -Un true",
      "unshare -n true",
      "ip link set lo down",
      "ip addr add 10.0.0.1/8 dev lo",
    ];
    for (const command of attempts) expect((await execute(command)).exitCode).not.toBe(0);
  });

  it("sees nothing of the bridge and of the host", async () => {
    const printed = await output(
      "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/self/mountinfo | tr '\\0' '\\n'; ls -l /proc/[0-9]*/cwd /proc/[0-9]*/fd; env",
    );
    expect(printed).not.toMatch(/socat|egress|createServer|dev-bind/);
    expect(printed).not.toContain(opened.folder);
    expect(Number(await output("ls -d /proc/[0-9]* | wc -l"))).toBeLessThan(10);
  });

  it("is told of the proxy in the usual variables and of no exceptions but itself", async () => {
    const printed = await output("env | grep -i proxy | sort");
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
      expect(printed).toContain(`${name}=http://127.0.0.1:`);
      expect(printed).toContain(`${name.toLowerCase()}=http://127.0.0.1:`);
    }
    expect(printed).toContain("NO_PROXY=localhost,127.0.0.1,::1\n");
  });

  it("reaches a server that it started itself", async () => {
    const server = `require("http").createServer((q, r) => r.end("mine")).listen(5000, () => console.log("up"))`;
    const command = `: > up; node -e '${server}' > up & until grep -q up up; do sleep 0.05; done; curl -s http://localhost:5000`;
    expect(await output(command)).toBe("mine");
  });

  it("keeps its exit code, its output and its limits", async () => {
    expect(await execute("echo out; echo err >&2; exit 7")).toMatchObject({
      exitCode: 7,
      output: "out\nerr\n",
    });
    expect((await execute("kill -9 $$")).exitCode).toBe(137);
  });

  it("leaves nothing when it runs out of time", async () => {
    const run = await execute("(setsid nohup sleep 98731 &) ; curl -sS http://slow.example.com/", 1);
    expect(run).toMatchObject({ timedOut: true, exitCode: 124 });
    await expect.poll(() => processesWith("98731")).toEqual([]);
    expect(egressFolders()).toEqual([]);
  });

  it("leaves nothing when it is aborted", async () => {
    const stop = new AbortController();
    const run = opened.sandbox.execute({
      command: "curl -sS http://slow.example.com/97613",
      signal: stop.signal,
    });
    await expect.poll(() => requests).toEqual(["slow.example.com/97613"]);
    stop.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    expect(events).toMatchObject([{ host: "slow.example.com" }]);
    await expect.poll(() => processesWith("97613")).toEqual([]);
  });

  it("leaves nothing in the background", async () => {
    await execute("setsid nohup curl -sS http://slow.example.com/96527 >/dev/null 2>&1 &");
    await expect.poll(() => processesWith("96527")).toEqual([]);
    expect(egressFolders()).toEqual([]);
  });

  it("runs beside nine others, each with a network of its own", async () => {
    const runs = Array.from({ length: 10 }, (_, index) =>
      execute(`curl -sS http://example.com/${index}`, 60),
    );
    const printed = (await Promise.all(runs)).map(({ output }) => output);
    expect(printed).toEqual(Array.from({ length: 10 }, (_, index) => `plain /${index}\n`));
    expect(events).toHaveLength(10);
    expect(egressFolders()).toEqual([]);
  });
});

describe.skipIf(!works)("a sandbox whose network is open", () => {
  it("reaches the host's network, and still no UNIX socket", async () => {
    const server = createServer((_request, response) => response.end("host\n"));
    const port = await portOf(server);
    const provider = new BubblewrapProvider({ network: { mode: "open" } });
    const opened = await openSandbox(provider);
    writeFileSync(join(opened.workspace, "a.txt"), "");
    const { output } = await opened.sandbox.execute({
      command:
        `curl -sS http://127.0.0.1:${port}/; cat /etc/resolv.conf > /dev/null && echo resolver; env | grep -ci proxy; ` +
        `node -e 'require("net").connect("x.sock").on("error", (error) => console.log(error.code))'; ` +
        // Abstract names belong to the network namespace, and this is the host's.
        `node -e 'require("net").connect("\\0x").on("error", (error) => console.log(error.code))'; ` +
        `perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0) or print "$!\n"'`,
    });
    expect(output).toBe("host\nresolver\n0\nEPERM\nEPERM\nOperation not permitted\n");
    expect((await provider.health()).network).toContain("whole network");
    await opened.close();
    server.close();
  });
});

describe("a provider with an allow list", () => {
  it.skipIf(!works)("runs no command when the bridge does not start, and says so", async () => {
    const searchPath = join(FOLDER, "broken");
    mkdirSync(searchPath);
    symlinkSync(findExecutable("bwrap", process.env["PATH"]) ?? "/nowhere", join(searchPath, "bwrap"));
    writeFileSync(join(searchPath, "socat"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const provider = new BubblewrapProvider({ searchPath, network: { mode: "allow_list", allow: [] } });
    const opened = await openSandbox(provider);
    const run = opened.sandbox.execute({ command: "touch ran" });
    await expect(run).rejects.toThrow("the bridge to the network did not start");
    expect(readdirSync(opened.workspace)).toEqual([]);
    expect(await provider.health()).toMatchObject({ available: false });
    expect(egressFolders()).toEqual([]);
    await opened.close();
  });

  it.skipIf(!works)("takes away the proxies of a host that was killed", async () => {
    const { pid } = spawnSync("true");
    mkdirSync(join(FOLDER, `deerflow.${pid}.1.egress-abc`));
    writeFileSync(join(FOLDER, `deerflow.${pid}.1.egress-abc/egress.sock`), "");
    const provider = new BubblewrapProvider({ network: { mode: "allow_list", allow: [] } });
    const opened = await openSandbox(provider);
    expect((await opened.sandbox.execute({ command: "echo done" })).output).toBe("done\n");
    expect(egressFolders()).toEqual([]);
    await opened.close();
  });

  it("is refused when an entry is none", () => {
    const options = { network: { mode: "allow_list", allow: ["http://example.com"] } } as const;
    expect(() => new BubblewrapProvider(options)).toThrow("it is a URL");
  });
});
