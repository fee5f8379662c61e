import { existsSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createSocketServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EGRESS_SOCKET, type EgressOptions, EgressProxy } from "./egress-proxy.js";
import { allowEntries } from "./network-policy.js";
import type { NetworkRequest } from "./network-request.js";
import type { NetworkReach } from "./reach-target.js";

const PUBLIC = "93.184.216.34";
const INSIDE = "127.0.0.1";

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function listening(server: Server | ReturnType<typeof createSocketServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  // Listening on a TCP port, so the address is no string.
  return (server.address() as AddressInfo).port;
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["rawHeaders"];
  readonly body: string;
}

/** A server that stands for all public hosts, and a proxy whose calls end there whatever address they are for. */
async function world(options: Partial<EgressOptions> = {}, reach: Partial<NetworkReach> = {}) {
  const seen: Seen[] = [];
  const events: NetworkRequest[] = [];
  const called: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method, url, rawHeaders: headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      response.writeHead(200, ["X-Kept", "yes", "Set-Cookie", "a=1", "Set-Cookie", "b=2", "Keep-Alive", "x"]);
      response.end(`answer to ${url}`);
    });
  });
  const port = await listening(server);
  const proxy = await EgressProxy.open({
    sandboxId: "bubblewrap:t",
    allow: allowEntries(["example.com", "*.example.net", "example.com:8443", PUBLIC]),
    onRequest: (event) => void events.push(event),
    reach: {
      lookup: async () => [PUBLIC],
      connect: (address, wanted) => {
        called.push(`${address}:${wanted}`);
        return connect({ host: "127.0.0.1", port, allowHalfOpen: true });
      },
      ...reach,
    },
    ...options,
  });
  closing.push(() => proxy.close());
  return { proxy, seen, events, called, call: (text: string) => raw(proxy, text) };
}

const open = (proxy: EgressProxy): Socket => connect(join(proxy.folder, EGRESS_SOCKET));

/** Sends exactly these bytes and gives everything that comes back until the connection closes. */
function raw(proxy: EgressProxy, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(proxy);
    let answer = "";
    socket.setEncoding("latin1").on("data", (piece: string) => {
      answer += piece;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(answer));
    socket.write(text, "latin1");
  });
}

const get = (url: string, ...headers: string[]): string =>
  `${[`GET ${url} HTTP/1.1`, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n`;
const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

describe("a request in the open", () => {
  it("reaches an allowed host, with the host as its only Host", async () => {
    const { call, seen, events, called } = await world();
    const answer = await call(get("http://Example.com:80/a/b?c=d", "Host: example.com", "X-Mine: 1"));
    expect(status(answer)).toBe(200);
    expect(answer).toContain("answer to /a/b?c=d");
    expect(called).toEqual([`${PUBLIC}:80`]);
    expect(seen[0]?.headers).toEqual(["Host", "example.com", "X-Mine", "1", "Connection", "close"]);
    expect(events).toEqual([
      {
        sandboxId: "bubblewrap:t",
        host: "example.com",
        port: 80,
        method: "GET",
        verdict: "allowed",
        reason: "example.com",
        bytesIn: expect.any(Number),
        bytesOut: expect.any(Number),
        milliseconds: expect.any(Number),
      },
    ]);
    expect(events[0]?.bytesIn).toBeGreaterThan(100);
    expect(events[0]?.bytesOut).toBeGreaterThan(50);
  });

  it("carries its body, whether its length is told or not", async () => {
    const { call, seen } = await world();
    const head = "POST http://example.com/ HTTP/1.1\r\nConnection: close\r\n";
    await call(`${head}Content-Length: 5\r\n\r\nhello`);
    await call(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n4\r\n you\r\n0\r\n\r\n`);
    await call(`${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nok`);
    expect(seen.map(({ body }) => body)).toEqual(["hello", "hello you", "ok"]);
  });

  it("loses what is about the connection and what is for proxies, both ways", async () => {
    const { call, seen } = await world();
    const answer = await call(
      "GET http://example.com/ HTTP/1.1\r\nConnection: close, X-Gone\r\nX-Gone: 1\r\nX-Stays: 2\r\n" +
        "Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\nUpgrade: h2c\r\n\r\n",
    );
    expect(seen[0]?.headers).toEqual(["Host", "example.com", "X-Stays", "2", "Connection", "close"]);
    expect(answer).toMatch(/X-Kept: yes\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/);
    expect(answer).not.toMatch(/Keep-Alive: x/);
  });

  it("is judged anew on the same connection", async () => {
    const { call, seen, events } = await world();
    const answer = await call(
      "GET http://example.com/1 HTTP/1.1\r\n\r\nGET http://www.example.net/2 HTTP/1.1\r\n\r\n" +
        get("http://example.org/3"),
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 403"]);
    expect(seen.map(({ url }) => url)).toEqual(["/1", "/2"]);
    expect(events.map(({ host, verdict }) => `${host} ${verdict}`).toSorted()).toEqual([
      "example.com allowed",
      "example.org refused",
      "www.example.net allowed",
    ]);
  });
});

describe("a request that is not let through", () => {
  it.each([
    ["http://example.org/", 403, "host_not_allowed"],
    ["http://example.net/", 403, "host_not_allowed"],
    ["http://example.com.evil.org/", 403, "host_not_allowed"],
    ["http://example.com:22/", 403, "port_not_allowed"],
    ["http://127.0.0.1/", 403, "address_not_public: loopback"],
    ["http://0x7f.1/", 403, "address_not_public: loopback"],
    ["http://2130706433/", 403, "address_not_public: loopback"],
    ["http://0177.0.0.1:8080/", 403, "address_not_public: loopback"],
    ["http://[::1]/", 403, "address_not_public: loopback"],
    ["http://[::ffff:127.0.0.1]/", 403, "address_not_public: loopback"],
    ["http://10.1.2.3/", 403, "address_not_public: private"],
    ["http://169.254.169.254/latest/meta-data/", 403, "address_not_public: metadata"],
    ["http://[fd00:ec2::254]/", 403, "address_not_public: metadata"],
    ["http://0/", 403, "address_not_public: unspecified"],
    ["http://localhost/", 403, "host_not_allowed"],
    ["http://user:password@example.com/", 400, "request_invalid"],
    ["http://example.com@evil.org/", 400, "request_invalid"],
    ["http://example.com:80:80/", 400, "request_invalid"],
    ["http://example.com:0/", 400, "request_invalid"],
    ["http://example.com:99999/", 400, "request_invalid"],
    ["http://exam%70le.com/", 400, "request_invalid"],
    ["http://example.com\\@evil.org/", 400, "request_invalid"],
    ["http:///", 400, "request_invalid"],
    ["https://example.com/", 400, "request_invalid"],
    ["ftp://example.com/", 400, "request_invalid"],
    ["file:///etc/passwd", 400, "request_invalid"],
    ["unix:/var/run/docker.sock", 400, "request_invalid"],
    ["/", 400, "request_invalid"],
    ["*", 400, "request_invalid"],
  ])("%s gets %i: %s", async (url, expected, reason) => {
    const { call, events, called } = await world();
    expect(status(await call(get(url)))).toBe(expected);
    expect(called).toEqual([]);
    expect(events.map(({ verdict, reason }) => ({ verdict, reason }))).toEqual([
      { verdict: "refused", reason },
    ]);
  });

  it("says in a sentence what the operator can do", async () => {
    const { call } = await world();
    const sentence =
      "example.org:8080 is not on the sandbox's allow list. The operator can add it to sandbox.network.allow.";
    const plain = await call(get("http://example.org:8080/"));
    expect(plain).toContain(`HTTP/1.1 403 ${sentence}`);
    expect(plain.endsWith(`${sentence}\n`)).toBe(true);
    expect(await call("CONNECT example.org:8080 HTTP/1.1\r\n\r\n")).toContain(
      `HTTP/1.1 403 Forbidden: ${sentence}`,
    );
  });

  it.each([
    ["an address inside", [INSIDE]],
    ["addresses outside and inside", [PUBLIC, "192.168.0.10"]],
    ["the metadata of the cloud", ["169.254.169.254"]],
    ["a mapped address inside", ["::ffff:10.0.0.1"]],
    ["nothing that is an address", ["localhost"]],
  ])("is one whose allowed name stands for %s", async (_what, answers) => {
    const { call, events, called } = await world({}, { lookup: async () => answers });
    const answer = await call(get("http://example.com/"));
    expect(status(answer)).toBe(403);
    expect(answer).not.toContain(answers[0] ?? "");
    expect(called).toEqual([]);
    expect(events[0]?.reason).toMatch(/^address_not_public/);
  });

  it.each([
    ["is not found", { lookup: async () => Promise.reject(new Error("ENOTFOUND")) }, "name_not_found"],
    ["does not answer", { connect: () => connect({ host: INSIDE, port: 1 }) }, "not_connected"],
    [
      "cannot be called",
      {
        connect: () => {
          throw new Error("no socket");
        },
      },
      "not_connected",
    ],
  ])("is one whose allowed host %s, and that is no refusal", async (_what, reach, reason) => {
    const { call, events } = await world({}, reach);
    expect(status(await call(get("http://example.com/")))).toBe(502);
    expect(events.map(({ verdict, reason }) => ({ verdict, reason }))).toEqual([
      { verdict: "allowed", reason },
    ]);
  });

  it("comes after an event that could not be logged", async () => {
    const onRequest = vi
      .fn<(event: NetworkRequest) => Promise<void>>()
      .mockRejectedValue(new Error("disk full"));
    const { call, seen } = await world({ onRequest });
    expect(status(await call(get("http://example.com/1")))).toBe(200);
    expect(status(await call(get("http://example.com/2")))).toBe(503);
    expect(seen).toHaveLength(1);
  });
});

describe("a resolver that changes its mind", () => {
  it("gains nothing: what was looked at is what is called", async () => {
    const lookup = vi
      .fn<NetworkReach["lookup"]>()
      .mockResolvedValueOnce([PUBLIC])
      .mockResolvedValue([INSIDE]);
    const { call, called } = await world({}, { lookup });
    expect(status(await call(get("http://example.com/")))).toBe(200);
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(called).toEqual([`${PUBLIC}:80`]);
    expect(status(await call(get("http://example.com/")))).toBe(403);
    expect(called).toHaveLength(1);
  });
});

describe("a request that is two things at once", () => {
  it.each([
    ["names two hosts", get("http://example.com/", "Host: example.com", "Host: evil.org"), 400],
    ["names its host twice", get("http://example.com/", "Host: example.com", "Host: example.com"), 400],
    ["names another host", get("http://example.com/", "Host: evil.org"), 400],
    ["names another port", get("http://example.com/", "Host: example.com:8443"), 400],
    [
      "has two lengths",
      "POST http://example.com/ HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 50\r\n\r\nGET ",
      400,
    ],
    [
      "has a length and pieces",
      "POST http://example.com/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x",
      400,
    ],
    ["has a space before a colon", get("http://example.com/", "Host : example.com"), 400],
    ["folds a header", get("http://example.com/", "X-A: 1", " Host: evil.org"), 400],
    ["ends a line in a bare return", "GET http://example.com/ HTTP/1.1\r\nX: 1\rHost: evil.org\r\n\r\n", 400],
    ["has a return in its address", "GET http://example.com/\r\nX: y HTTP/1.1\r\n\r\n", 400],
    [
      "is a tunnel that names another host",
      "CONNECT example.com:443 HTTP/1.1\r\nHost: evil.org:443\r\n\r\n",
      400,
    ],
    ["is of a time without headers", "GET http://example.com/\r\n\r\n", 400],
    ["is a tunnel to a path", "CONNECT example.com:443/path HTTP/1.1\r\n\r\n", 400],
    ["is a tunnel to a URL", "CONNECT http://example.com:443 HTTP/1.1\r\n\r\n", 400],
    ["is a tunnel with a user", "CONNECT a@example.com:443 HTTP/1.1\r\n\r\n", 400],
    ["is a tunnel without a port", "CONNECT example.com HTTP/1.1\r\n\r\n", 400],
    ["is HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["is TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["has a huge head", get("http://example.com/", `X-Huge: ${"x".repeat(100_000)}`), 400],
  ])("gets nowhere when it %s", async (_what, text, expected) => {
    const { call, seen, events } = await world();
    const answer = await call(text);
    expect(status(answer)).toBe(expected);
    expect(seen).toEqual([]);
    expect(events.map(({ verdict, reason }) => ({ verdict, reason }))).toEqual([
      { verdict: "refused", reason: "request_invalid" },
    ]);
  });

  it("sends only its own body when more follows a request without one", async () => {
    const { call, seen, events } = await world();
    await call(`GET http://example.com/ HTTP/1.1\r\n\r\n${get("http://evil.org/")}`);
    expect(seen.map(({ url }) => url)).toEqual(["/"]);
    expect(events.map(({ host }) => host).toSorted()).toEqual(["evil.org", "example.com"]);
  });

  it("keeps its length when it asks to lose it", async () => {
    const { call, seen } = await world();
    const inner = "GET /smuggled HTTP/1.1\r\n\r\n";
    const head =
      "POST http://example.com/ HTTP/1.1\r\nConnection: close, Content-Length, Transfer-Encoding\r\n";
    await call(`${head}Content-Length: ${inner.length}\r\n\r\n${inner}`);
    expect(seen.map(({ url, body }) => ({ url, body }))).toEqual([{ url: "/", body: inner }]);
  });
});

describe("a tunnel", () => {
  it("carries bytes both ways, counted, until one end closes", async () => {
    const echo = createSocketServer((socket) => socket.pipe(socket));
    const port = await listening(echo);
    const { proxy, events } = await world(
      {},
      { connect: () => connect({ host: INSIDE, port, allowHalfOpen: true }) },
    );
    const socket = open(proxy);
    let answer = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      answer += piece;
    });
    socket.write("CONNECT example.com:8443 HTTP/1.1\r\nHost: example.com:8443\r\n\r\nearly ");
    await expect.poll(() => answer).toBe("HTTP/1.1 200 Connection established\r\n\r\nearly ");
    socket.end("late");
    await expect.poll(() => events.length).toBe(1);
    expect(answer).toContain("early late");
    expect(events[0]).toMatchObject({
      host: "example.com",
      port: 8443,
      method: "CONNECT",
      verdict: "allowed",
      reason: "example.com:8443",
      bytesIn: 10,
      bytesOut: 10,
    });
  });

  it("is closed when nothing comes over it", async () => {
    const silent = createSocketServer(() => undefined);
    const port = await listening(silent);
    const { call, events } = await world(
      { limits: { idleMilliseconds: 50 } },
      { connect: () => connect({ host: INSIDE, port, allowHalfOpen: true }) },
    );
    expect(status(await call("CONNECT example.com:443 HTTP/1.1\r\n\r\n"))).toBe(200);
    await expect.poll(() => events.length).toBe(1);
  });
});

describe("the proxy", () => {
  it("lies in a folder that only its user enters, and leaves nothing behind", async () => {
    const { proxy } = await world();
    expect(statSync(proxy.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(proxy.folder, EGRESS_SOCKET)).mode & 0o777).toBe(0o600);
    await proxy.close();
    expect(existsSync(proxy.folder)).toBe(false);
  });

  it("reports what is under way before it has closed", async () => {
    const silent = createSocketServer(() => undefined);
    const port = await listening(silent);
    let lookedUp = 0;
    const lookup = (name: string) => {
      lookedUp += 1;
      return name === "example.com"
        ? Promise.resolve([PUBLIC])
        : new Promise<readonly string[]>(() => undefined);
    };
    const { proxy, events } = await world(
      {},
      { lookup, connect: () => connect({ host: INSIDE, port, allowHalfOpen: true }) },
    );
    const tunnel = raw(proxy, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
    const waiting = raw(proxy, get("http://www.example.net/"));
    await expect.poll(() => lookedUp).toBe(2);
    await proxy.close();
    expect(events.map(({ host }) => host).toSorted()).toEqual(["example.com", "www.example.net"]);
    await Promise.all([tunnel, waiting]);
  });

  it("closes a connection too many, and goes on", async () => {
    const { proxy, call } = await world({ limits: { connections: 2 } });
    const idle = [open(proxy), open(proxy)];
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    expect(await call(get("http://example.com/"))).toBe("");
    for (const socket of idle) socket.destroy();
    await expect.poll(async () => status(await call(get("http://example.com/")))).toBe(200);
  });

  it("closes a connection whose head does not come to its end", async () => {
    const { call, seen } = await world({ limits: { headMilliseconds: 50 } });
    expect(await call("GET http://example.com/ HTTP/1.1\r\nX: ")).not.toContain("200");
    expect(seen).toEqual([]);
  });

  it("survives clients and hosts that break off", async () => {
    const rude = createSocketServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const port = await listening(rude);
    const { proxy, call, events } = await world(
      {},
      { connect: () => connect({ host: INSIDE, port, allowHalfOpen: true }) },
    );
    await call(get("http://example.com/"));
    const socket = open(proxy);
    socket.write("CONNECT example.com:443 HTTP/1.1\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await expect.poll(() => events.length).toBe(2);
    expect(status(await call(get("http://example.org/")))).toBe(403);
  });

  it.each([
    ["garbage", "HELLO\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a new protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
    ["nothing", ""],
  ])("survives a host that answers with %s", async (_what, text) => {
    const odd = createSocketServer((socket) => socket.once("data", () => socket.end(text)));
    const port = await listening(odd);
    const { call, events } = await world(
      {},
      { connect: () => connect({ host: INSIDE, port, allowHalfOpen: true }) },
    );
    expect(await call(get("http://example.com/"))).not.toContain("HTTP/1.1 200");
    await expect.poll(() => events.length).toBe(1);
    expect(status(await call(get("http://example.org/")))).toBe(403);
  });
});
