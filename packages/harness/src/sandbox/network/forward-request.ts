/** Carries one request to the host that it was judged for, and the answer back. */
import { type IncomingMessage, request as startRequest, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline, type Duplex } from "node:stream";
import { finished } from "node:stream/promises";

/** About the one connection they come over, so they end at the proxy: RFC 9110, 7.6.1, and what is for proxies. */
const HOP_BY_HOP = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Pairs of name and value that go on, in their order. Pure. */
export function endToEndHeaders(raw: readonly string[]): readonly (readonly [string, string])[] {
  const pairs = raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : [],
  );
  const connection = pairs.filter(([name]) => name.toLowerCase() === "connection").map(([, value]) => value);
  const named = new Set(
    connection
      .join(",")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );
  // A length that was named there would leave the body without an end.
  named.delete("content-length");
  const stays = (name: string) => HOP_BY_HOP.has(name) || named.has(name);
  return pairs.filter(([name]) => !stays(name.toLowerCase()));
}

/** Everything that is said in the open, through `upstream`. Resolves when the answer is through or broke off. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Socket,
  to: { readonly authority: string; readonly path: string },
): Promise<void> {
  const chunked = request.headers["transfer-encoding"] !== undefined;
  const outgoing = startRequest({
    createConnection: () => upstream,
    ...(request.method === undefined ? {} : { method: request.method }),
    path: to.path,
    setHost: false,
  });
  outgoing.setHeader("Host", to.authority);
  for (const [name, value] of endToEndHeaders(request.rawHeaders)) outgoing.appendHeader(name, value);
  if (chunked) outgoing.setHeader("Transfer-Encoding", "chunked");
  // Also without an error: a connection may close in silence.
  for (const event of ["error", "close"]) outgoing.on(event, () => breakOff(response));
  outgoing.on("response", (answer) => answerWith(answer, response));
  response.on("close", () => outgoing.destroy());
  if (request.headers.expect !== undefined) response.writeContinue();
  if (chunked || request.headers["content-length"] !== undefined)
    pipeline(request, outgoing, () => undefined);
  else outgoing.end();
  await finished(response).catch(() => undefined); // Broken off by one of the two ends.
}

function answerWith(answer: IncomingMessage, response: ServerResponse): void {
  try {
    response.writeHead(
      answer.statusCode ?? 502,
      answer.statusMessage,
      endToEndHeaders(answer.rawHeaders).flat(),
    );
    pipeline(answer, response, () => undefined);
  } catch {
    response.destroy(); // Its head holds what no head may hold.
  }
}

/** Says so where nothing has been said yet. What has begun is cut short, and a client sees that it is. */
function breakOff(response: ServerResponse): void {
  if (response.headersSent) return;
  const sentence = "The host closed the connection without an answer.";
  response.writeHead(502, { "Content-Type": "text/plain", Connection: "close" });
  response.end(`${sentence}\n`);
}

/** Everything that is encrypted, both ways. Resolves when both ends are closed. */
export async function tunnel(
  client: Duplex,
  head: Uint8Array,
  upstream: Socket,
  idleMilliseconds: number,
): Promise<void> {
  const stop = () => {
    client.destroy();
    upstream.destroy();
  };
  upstream.setTimeout(idleMilliseconds, stop);
  client.on("error", stop);
  upstream.on("error", stop);
  client.on("close", stop);
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  upstream.write(head);
  client.pipe(upstream);
  upstream.pipe(client);
  await finished(upstream).catch(() => undefined); // Broken off by one of the two ends.
}
